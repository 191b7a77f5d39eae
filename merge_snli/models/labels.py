"""Define what a model that is scored provides: predictions on pairs, and the labels of its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, TWO_WAY, canonical_names
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# A premise and a hypothesis.
Pair = tuple[str, str]

# Value of `model_labels` that infers their order from the seeds.
INFER = "infer"

INFERRED, TABLE, FUNCTION, ANSWERS, PROMPT = "inferred", "table", "function", "answers", "prompt"


@dataclass(frozen=True)
class ModelFacts:
    """What is known about a loaded model.

    Attributes:
        architecture: Class name of the model, or None for a function.
        parameters: Number of parameters, or None for a function.
        max_length: Maximum number of tokens per pair, special tokens included, or None if there is no limit.
    """

    architecture: str | None
    parameters: int | None
    max_length: int | None


class Predictor(Protocol):
    """A loaded model: a sequence classifier or a function."""

    facts: ModelFacts
    n_outputs: int
    batch_tokens: int

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the number of tokens of each pair, or 0 if the model does not count tokens."""

    def padded_length(self, tokens: int) -> int:
        """Return the length to which a pair of `tokens` tokens is padded; the same number if it is not padded."""

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float32] | NDArray[np.int64]:
        """Return the logits, [n, n_outputs], of pairs of the same padded length that are all padded or none.

        A model without logits returns the number of the output of each pair, or a code of
        `merge_snli.models.labels.Missing`, int64, [n].
        """


class Missing(IntEnum):
    """Stands for a label that there is not, in arrays of numbers of labels."""

    NOT_ASKED = -1
    """The model was not asked, the pair is too long for it, or its answer was not imported."""
    NO_ANSWER = -2
    """The model gave no answer, or one that cannot be read, which is wrong."""


@dataclass(frozen=True)
class ModelLabels:
    """The labels of a model's outputs, and where they come from.

    Attributes:
        names: The canonical label of each output, in order.
        origin: `config` (the model's `id2label`), `table` (the paper's models), `given` (`--model-labels`), `inferred`
            (from the seeds; `names` is empty until then), `function` (a function returns labels), `answers`
            (imported) or `prompt` (a language model ranks the answers of a prompt).
        config_names: The names in the model's `id2label`; empty for a function and for answers.
    """

    names: tuple[str, ...]
    origin: str
    config_names: tuple[str, ...] = ()

    @property
    def overrides_config(self) -> bool:
        """Whether `--model-labels` contradicts the names in the model's config."""
        return self.origin == "given" and canonical_names(self.config_names) not in (None, self.names)


def parse_labels(given: Sequence[str] | str) -> tuple[str, ...] | str:
    """Parse labels that a user gave: names, as a list or comma-separated, or `infer`.

    Raises:
        InputError: If they are neither `infer` nor the three labels, or entailment and not_entailment, each once.
    """
    names = given.split(",") if isinstance(given, str) else given
    if [name.strip().lower() for name in names] == [INFER]:
        return INFER
    canonical = canonical_names(names)
    if canonical is None:
        raise InputError(
            f"invalid {param('model_labels')} {','.join(names)!r}: give the label of each output once, in order, e.g. "
            f"{param('model_labels', NLI_LABELS)} or {param('model_labels', TWO_WAY)}, or use "
            f"{param('model_labels', 'infer')}"
        )
    return canonical


def find_model_labels(
    config_names: Sequence[str],
    *,
    given: Sequence[str] | str | None,
    model: str,
    known: Sequence[str] | str | None = None,
) -> ModelLabels:
    """Find the labels of a model's outputs.

    Args:
        config_names: The names in the model's `id2label`, in the order of its outputs.
        given: Labels from the user, as a list or comma-separated; `infer` to infer them from the seeds later; None to
            use the config.
        model: The model's name, for messages.
        known: Labels to use if the config has no meaningful names; `infer` to infer them; None if unknown.

    Raises:
        InputError: If the config has no meaningful names (`LABEL_0`) and no labels are given or known, or the number of
            given labels is not that of the outputs.
    """
    outputs = tuple(config_names)
    if given is not None:
        names = parse_labels(given)
        if isinstance(names, str):
            return ModelLabels((), INFERRED, outputs)
        if len(names) != len(outputs):
            raise InputError(
                f"{model} has {len(outputs)} outputs ({', '.join(outputs)}), but {param('model_labels')} has "
                f"{len(names)}; give one label per output, in order"
            )
        return ModelLabels(names, "given", outputs)
    canonical = canonical_names(outputs)
    if canonical is not None:
        return ModelLabels(canonical, "config", outputs)
    if known == INFER:
        return ModelLabels((), INFERRED, outputs)
    if known is not None and len(known) == len(outputs):
        return ModelLabels(tuple(known), TABLE, outputs)
    raise InputError(_unknown_labels(outputs, model))


def _unknown_labels(outputs: Sequence[str], model: str) -> str:
    named = f"the outputs of {model} are named {', '.join(outputs)}"
    example = {len(labels): labels for labels in (NLI_LABELS, TWO_WAY)}.get(len(outputs))
    if example is None:
        return (
            f"{named}, which are not NLI labels; an NLI model has three outputs ({', '.join(NLI_LABELS)}) or two "
            f"({', '.join(TWO_WAY)})"
        )
    return (
        f"{named}, which does not say which one is entailment; give their labels in order (see the model card), e.g. "
        f"{param('model_labels', example)}, or use {param('model_labels', 'infer')}"
    )


def canonical_dataset_labels(names: Sequence[str], dataset: str) -> tuple[str, ...]:
    """Return the canonical spelling of a data set's label names.

    Args:
        names: The label names of the data set.
        dataset: Its name, for messages.

    Raises:
        InputError: If they are not the three labels, or entailment and not_entailment.
    """
    found = canonical_names(names)
    if found is None:
        raise InputError(
            f"the labels of {dataset} are {', '.join(names)}; scoring needs {', '.join(NLI_LABELS)}, "
            f"or {', '.join(TWO_WAY)}"
        )
    return found


def compared_labels(model: Sequence[str], data: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in which predictions and gold labels are compared.

    If the model or the data set has only entailment and not_entailment, these two: neutral and contradiction then
    count as not_entailment. Otherwise the three labels.
    """
    return TWO_WAY if NOT_ENTAILMENT in {*model, *data} else NLI_LABELS


def positions(names: Sequence[str], compared: Sequence[str]) -> tuple[int, ...]:
    """Return the position of each name in `compared`, the result of `compared_labels`.

    Examples:
        >>> positions(("contradiction", "entailment", "neutral"), TWO_WAY)
        (1, 0, 1)
    """
    return tuple(compared.index(name) if name in compared else compared.index(NOT_ENTAILMENT) for name in names)
