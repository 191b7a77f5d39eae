"""How a named model is loaded and read: one frozen value, spelled as on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from merge_snli.errors import InputError

DTYPES = ("float32", "bfloat16", "float16", "int8")
"""Types of a model's numbers: float32 is the reference; int8 quantizes the linear layers as they run, on a CPU."""

INFER = "infer"
"""In place of labels: find their order on the seeds."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How a model is loaded and what its outputs mean.

    Attributes:
        labels: The label of each output, in their order; `infer` to find the order on the seeds; None to go by the
            model's config, or by what is known of the paper's models.
        dtype: One of `DTYPES`.
        device: A device of torch, such as `cpu` or `cuda:0`; None for a GPU where there is one.
        allow_pickle: Take weights that are pickles where there are no safetensors.
        trust_remote_code: Run Python code of the model's repository.
    """

    labels: tuple[str, ...] | str | None = None
    dtype: str = "float32"
    device: str | None = None
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        """Refuse a type that no model is run in.

        Raises:
            InputError: Names it and what it may be.
        """
        if self.dtype not in DTYPES:
            raise InputError(f"--dtype is {self.dtype!r}: give one of {', '.join(DTYPES)}")
