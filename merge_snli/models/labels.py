"""Define what is known about a model that is scored, and what its outputs mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_names import say_nothing
from merge_snli.dataset.label_spellings import (
    INFER,
    NOT_ENTAILMENT,
    TWO_WAY,
    Labels,
    are_nli,
    canonical_names,
    find_label,
    spelling,
    task_labels,
)
from merge_snli.schema import NLI_LABELS

# A premise and a hypothesis.
Pair = tuple[str, str]

# The origins of the labels of a model's outputs: `id2label` in its config, the user, the seeds, the table of the
# paper's models, a function that returns them, imported answers, or a prompt whose answers a language model ranks.
CONFIG, GIVEN, INFERRED, TABLE = "config", "given", "inferred", "table"
FUNCTION, ANSWERS, PROMPT = "function", "answers", "prompt"


@dataclass(frozen=True)
class ModelFacts:
    """What is known about a loaded model.

    Attributes:
        architecture: Class name of the model.
        parameters: Number of parameters.
        max_length: Maximum number of tokens per pair, special tokens included, or None if there is no limit.
        chat: Whether a prompt goes to it in a chat template.
    """

    architecture: str
    parameters: int
    max_length: int | None
    chat: bool = False


class Missing(IntEnum):
    """Stands for a label that there is not, in arrays of numbers of labels.

    Attributes:
        NOT_PREDICTED: The model did not predict the pair, which may be too long for it, or its answer was not imported.
        NO_ANSWER: The model gave no answer, or one that cannot be read, which is wrong.
    """

    NOT_PREDICTED = -1
    NO_ANSWER = -2


def parse_labels(given: Sequence[str] | str) -> Labels | str:
    """Parse labels that a user gave: names, as a list or comma-separated, or `infer`."""
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    if [name.lower() for name in names] == [INFER]:
        return INFER
    if len(names) < len(TWO_WAY) or not all(names) or len({*map(spelling, names)}) < len(names):
        raise InputError(
            f"invalid ⟦model_labels⟧ {','.join(names)!r}: give the label of each output once, in order "
            f"({labels_option(max(len(names), len(TWO_WAY)))}), or use {param('model_labels', INFER)}"
        )
    return task_labels(names)


def labels_option(outputs: int) -> str:
    """Return the form of the option that names outputs. Which label an output has, only the user knows."""
    return param("model_labels", tuple(f"label of output {number}" for number in range(outputs)))


def find_model_labels(
    config_names: Sequence[str],
    *,
    given: Sequence[str] | str | None,
    model: str,
    known: Sequence[str] | str | None = None,
) -> tuple[Labels, str]:
    """Find the labels of a model's outputs; `labels_on` compares them with those of a data set.

    Args:
        config_names: The names in the model's `id2label`, in the order of its outputs.
        given: Labels from the user, as a list or comma-separated; `infer` to infer them from the seeds later; None to
            use the config.
        model: The model's name, for messages.
        known: Labels to use if the config has no NLI labels; `infer` to infer them; None if unknown.

    Returns:
        The label of each output, those of NLI in canonical spelling, and where they come from: `config`, `given`,
        `table` (known) or `inferred` (from the seeds; there are no labels until then).
    """
    outputs = tuple(config_names)
    origin = CONFIG
    names: Sequence[str] | str = task_labels(outputs)
    if given is not None:
        origin = GIVEN
        names = parse_labels(given)
    elif known is not None and canonical_names(outputs) is None and (known == INFER or len(known) == len(outputs)):
        origin = TABLE
        names = known
    if isinstance(names, str):
        return (), INFERRED
    if len(names) != len(outputs):
        raise InputError(
            f"{model} has {len(outputs)} outputs ({', '.join(outputs)}), but ⟦model_labels⟧ has "
            f"{len(names)}; give one label per output, in order"
        )
    return tuple(names), origin


def labels_on(
    names: Labels, data_labels: Sequence[str], *, origin: str, config_names: Sequence[str], model: str
) -> Labels:
    """Return the labels of a model as a data set spells them.

    Args:
        names: The label of each output; none if they are to be inferred.
        data_labels: The labels of the data set, from `task_labels`.
        origin: The origin of the labels, as `find_model_labels` returns it, or `PROMPT`.
        config_names: The names in the model's `id2label`; none with a prompt.
        model: The model's name, for the message.
    """
    if origin == INFERRED:
        return names
    found: tuple[str, ...] | None = None
    if are_nli(data_labels):
        found = canonical_names(names)
    elif origin != CONFIG or not say_nothing(names):
        spelled = tuple(find_label(name, data_labels) or name for name in names)
        found = spelled if sorted(spelled) == sorted(data_labels) else None
    if found is None:
        message = f"the outputs of {model} are named {', '.join(config_names or names)}, in this order"
        if origin == GIVEN:
            message = f"invalid ⟦model_labels⟧ {','.join(names)!r} for {model}: {message}"
        raise InputError(f"{message}, and the labels of the data are {_instead_of(names, data_labels)}")
    return found


def _instead_of(outputs: Sequence[str], data_labels: Sequence[str]) -> str:
    """Return the labels of a data set, and what to do about outputs that are not named so."""
    fitting = (len(NLI_LABELS), len(TWO_WAY)) if are_nli(data_labels) else (len(data_labels),)
    advice = "use a model of this task"
    if len(outputs) in fitting:
        advice = f"if they mean these, give the label of each output, in their order: {labels_option(len(outputs))}"
        if are_nli(data_labels):
            advice += f", or use {param('model_labels', INFER)}"
    return f"{', '.join(data_labels)}; {advice}"


def compared_labels(model: Sequence[str], data: Sequence[str]) -> Labels:
    """Return the labels in which predictions and gold labels are compared.

    If the model or the data set has only entailment and not_entailment, these two: neutral and contradiction then
    count as not_entailment. Otherwise the three labels; for another task than NLI, the labels of the data set.
    """
    if not are_nli(data):
        return tuple(data)
    return TWO_WAY if NOT_ENTAILMENT in {*model, *data} else NLI_LABELS


def positions(names: Sequence[str], compared: Sequence[str]) -> tuple[int, ...]:
    """Return the position of each name in `compared`, the result of `compared_labels`.

    Examples:
        >>> positions(("contradiction", "entailment", "neutral"), TWO_WAY)
        (1, 0, 1)
    """
    return tuple(compared.index(name) if name in compared else compared.index(NOT_ENTAILMENT) for name in names)
