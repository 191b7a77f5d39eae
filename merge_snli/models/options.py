"""Options for loading a model, spelled as on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from merge_snli.base.errors import InputError, param

DTYPES = ("float32", "bfloat16", "float16", "int8")
"""float32 is the reference; int8 quantizes the linear layers dynamically, on a CPU."""

INFER = "infer"
"""Value of `model_labels` that infers their order from the seeds."""


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How to load a model, and the labels of its outputs.

    Attributes:
        model_labels: The label of each output, in order; `infer` to infer the order from the seeds; None to use the
            model's config, or the known labels of the paper's models.
        dtype: One of `DTYPES`.
        device: A torch device such as `cpu` or `cuda:0`; None for a GPU if available.
        allow_pickle: Accept pickle weights if the model has no safetensors weights; they can execute arbitrary code.
        trust_remote_code: Run Python code from the model's repository.
    """

    model_labels: tuple[str, ...] | str | None = None
    dtype: str = "float32"
    device: str | None = None
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        """Check the dtype.

        Raises:
            InputError: If it is not one of `DTYPES`.
        """
        if self.dtype not in DTYPES:
            raise InputError(f"invalid {param('dtype')} {self.dtype!r}; choose one of {', '.join(DTYPES)}")
