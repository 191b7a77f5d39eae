# merge-snli on a CPU. Build: docker build --tag merge-snli .
# Run in a folder with your data: docker run --rm --volume "$PWD:/data" --volume merge-cache:/cache merge-snli demo
FROM python:3.12-slim
ARG PIP_FLAGS="--extra-index-url https://download.pytorch.org/whl/cpu"
ENV HF_HOME=/cache/huggingface PYTHONUNBUFFERED=1
COPY . /source
# The CPU build of torch first: the plain one brings CUDA.
RUN pip install --no-cache-dir --constraint /source/constraints.txt $PIP_FLAGS torch \
    && pip install --no-cache-dir --constraint /source/constraints.txt $PIP_FLAGS /source \
    && rm -rf /source
WORKDIR /data
ENTRYPOINT ["merge-snli"]
CMD ["--help"]
