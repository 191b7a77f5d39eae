"""How to load a model, and what its outputs mean: the options that every command with models has."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from merge_snli.base.errors import InputError
from merge_snli.base.option import option_field, set_checked

# float32 is the reference.
DTYPES = ("float32", "bfloat16", "float16")

# The heading of these options in `--help`.
LOADING = "how models are loaded, and what their outputs mean"


# The field of an option that says how models are scored.
scoring_option = partial(option_field, neutral="changes no data set")


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """How to load a model, and the labels of its outputs; each field describes itself, see `merge_snli.base.option`.

    `prompt` is a `merge_snli.models.filled_prompt.FilledPrompt`: how to ask a causal LM, which ranks the answers; None
    for a sequence classifier.
    """

    model_labels: tuple[str, ...] | None = scoring_option(
        None,
        "labels of the models' outputs in order, if their configs do not name them; or infer, to find the order on the "
        "seeds",
        group=LOADING,
        metavar="LABEL",
    )
    dtype: str = scoring_option("float32", "dtype of the models", group=LOADING, choices=DTYPES)
    device: str | None = scoring_option(
        None, "torch device, such as cpu or cuda:0", group=LOADING, metavar="NAME", shown_default="GPU if available"
    )
    allow_pickle: bool = scoring_option(
        False,
        "load pickle weights if a model has no safetensors; pickle weights can execute arbitrary code",
        group=LOADING,
    )
    trust_remote_code: bool = scoring_option(False, "run Python code from model repositories", group=LOADING)
    prompt: Any = scoring_option(None, "how to ask a causal LM, which ranks the answers")  # noqa: RUF009 - a field

    def __post_init__(self) -> None:
        """Check the values, and that they fit together.

        Raises:
            InputError: If a value is invalid, or an option is not for causal LMs.
        """
        if isinstance(self.model_labels, str):
            object.__setattr__(self, "model_labels", self.model_labels.split(","))
        set_checked(self, without=("prompt", "source"))
        if self.model_labels is not None:
            from merge_snli.models.labels import parse_labels

            parse_labels(self.model_labels)
        if isinstance(self.prompt, str):
            raise InputError(
                f"⟦prompt⟧ is {self.prompt!r}: give a FilledPrompt, from merge_snli.language_models.shots.fill_prompt"
            )
        if self.prompt is not None and self.model_labels is not None:
            raise InputError("⟦model_labels⟧ is for sequence classifiers: remove it, or ⟦prompt⟧")
