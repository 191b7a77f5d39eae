# make demo      install the package, then run the full pipeline on bundled data and models
# make dev       install with the development dependencies
# make test      install the development dependencies, then run the tests; TESTS names some, as TESTS=tests/training
# make test-all  run the tests, then the slow ones
# make lint      check style, types, import layers and workflows
# make docs      build the documentation site in build/site
# make release-check  check version, metadata and archives, and install the wheel on each Python
# make smoke     build the wheel and run its demo in a separate environment
# make data      regenerate the bundled data set from the bundled problems
# make train     train the bundled models
# PIP_FLAGS      extra flags for the installation, such as an index with another build of torch (see README.md)

PYTHONS := python3 python3.14 python3.13 python3.12 python3.11
SUPPORTED := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach name,$(PYTHONS),$(shell $(name) -c '$(SUPPORTED)' 2>/dev/null && echo $(name))))
PIP_FLAGS ?=
export PIP_FLAGS
# uv installs no compiled modules. If Python did not keep them either, every process would compile its imports again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
RUNTIME := $(VENV)/runtime-ready
READY := $(VENV)/ready
OLD_DATASETS := build/datasets-3/venv
OLD_READY := $(OLD_DATASETS)/ready
RUN := $(VENV)/bin/
# One torch thread per process: two busy processes with two threads each slow each other down on two cores.
TEST_ENVIRONMENT := HF_HUB_OFFLINE=1 HF_EVALUATE_OFFLINE=1 OMP_NUM_THREADS=1
WORKERS ?= 2
TESTS ?=

.DEFAULT_GOAL := help
.PHONY: help dev demo test test-all lint wheel docs smoke release-check data train clean

help:
	@sed -n '/^$$/q;s/^# //p' Makefile

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=..." >&2; exit 2; }
	@.ci/step $(VENV)/install.log "Creating $(VENV) with $(PYTHON)" $(PYTHON) -m venv $(VENV)

$(RUNTIME): pyproject.toml constraints.txt .ci/install | $(VENV)/bin/python
	@.ci/install $(VENV) --editable .
	@touch $@

$(READY): $(RUNTIME)
	@.ci/install $(VENV) --editable '.[dev]'
	@touch $@

# The last release of datasets that runs loading scripts, for the tests of ours.
$(OLD_READY): tests/datasets-3-requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=..." >&2; exit 2; }
	@.ci/step $(OLD_DATASETS)/install.log "Creating $(OLD_DATASETS) with $(PYTHON)" $(PYTHON) -m venv $(OLD_DATASETS)
	@.ci/step $(OLD_DATASETS)/install.log "Installing datasets 3" $(OLD_DATASETS)/bin/python -m pip install \
		--disable-pip-version-check $(PIP_FLAGS) --requirement tests/datasets-3-requirements.txt
	@touch $(OLD_READY)

demo: $(RUNTIME)
	$(RUN)merge-snli demo --out demo

dev: $(READY)

test: $(READY)
	$(TEST_ENVIRONMENT) $(RUN)python -m pytest --numprocesses $(WORKERS) --dist worksteal $(TESTS)

test-all: $(OLD_READY) test
	$(TEST_ENVIRONMENT) $(RUN)python -m pytest --numprocesses $(WORKERS) --dist loadfile -m 'slow or cluster' $(TESTS)

lint: $(READY)
	@.ci/lint $(VENV)

wheel: $(READY)
	rm -rf dist
	$(RUN)python -m build --wheel --outdir dist .

# The pages, the changelog and the metric's card are copied to one folder, and the notebooks are run and rendered there.
SITE_PAGES := build/docs
docs: $(READY)
	@.ci/install $(VENV) --editable '.[dev,docs]'
	rm -rf $(SITE_PAGES) build/site
	mkdir -p build && cp -r docs $(SITE_PAGES)
	cp CHANGELOG.md $(SITE_PAGES)/changelog.md
	cp CONTRIBUTING.md $(SITE_PAGES)/contributing.md
	cp metrics/pattern_accuracy/README.md $(SITE_PAGES)/metric.md
	$(TEST_ENVIRONMENT) $(RUN)merge-snli harness demo:dataset --show-prompts >> $(SITE_PAGES)/prompts.md
	$(RUN)python -m tests.command_reference $(SITE_PAGES)/commands.md
	$(TEST_ENVIRONMENT) $(RUN)python -m nbconvert --execute --to markdown $(SITE_PAGES)/*.ipynb
	rm $(SITE_PAGES)/*.ipynb
	sed -i.bak -e 's|(\([a-z-]*\)\.ipynb)|(\1.md)|' -e 's|(docs/|(|' -e 's|(\.\./CHANGELOG\.md|(changelog.md|' \
		-e 's|(\.\./CONTRIBUTING\.md|(contributing.md|' -e 's|(\.\./metrics/pattern_accuracy/README\.md|(metric.md|' \
		$(SITE_PAGES)/*.md && rm $(SITE_PAGES)/*.bak
	$(RUN)zensical build --clean --strict

# On each supported Python that is found; pyenv has those that PYENV_VERSION names, such as 3.11.7:3.12.1:3.13.0.
release-check: $(READY)
	@.ci/install $(VENV) --editable '.[dev,release]'
	$(RUN)python .ci/release.py check dist $(PYTHONS)

SMOKE := build/smoke
smoke: wheel
	rm -rf $(SMOKE)
	@.ci/step $(SMOKE)/venv/install.log "Creating $(SMOKE)/venv with $(PYTHON)" $(PYTHON) -m venv $(SMOKE)/venv
	@.ci/install $(SMOKE)/venv dist/*.whl
	mkdir $(SMOKE)/empty && cd $(SMOKE)/empty && ../venv/bin/merge-snli demo

# The data set of the bundled problems is part of the package folder.
data: $(READY)
	rm -rf build/data
	$(RUN)python -m training.bundled_data
	rm -rf merge_snli/data
	cp -r build/data/merge_snli/. merge_snli/

# The bundled models; training resumes from existing checkpoints, and nli-b is made from nli-a.
train: $(READY)
	@.ci/install $(VENV) --editable '.[dev,train]'
	$(RUN)python -m training.train
	$(RUN)python -m training.measure

clean:
	rm -rf $(VENV) build dist demo
