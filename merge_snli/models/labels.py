"""Define what is known about a model that is scored, and what its outputs mean."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from merge_snli.base.errors import InputError, param
from merge_snli.base.table import capitalized
from merge_snli.dataset.label_names import say_nothing
from merge_snli.dataset.label_spellings import (
    INFER,
    NOT_ENTAILMENT,
    TWO_WAY,
    are_nli,
    canonical_names,
    find_label,
    spelling,
    task_labels,
)
from merge_snli.schema import NLI_LABELS

# A premise and a hypothesis.
Pair = tuple[str, str]

INFERRED, TABLE, FUNCTION, ANSWERS, PROMPT = "inferred", "table", "function", "answers", "prompt"


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


@dataclass(frozen=True)
class ModelLabels:
    """The labels of a model's outputs, and where they come from.

    Attributes:
        names: The label of each output, in order; NLI labels in canonical spelling.
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
        own = task_labels(self.config_names)
        return self.origin == "given" and own != self.names and sorted(own) == sorted(self.names)


def parse_labels(given: Sequence[str] | str) -> tuple[str, ...] | str:
    """Parse labels that a user gave: names, as a list or comma-separated, or `infer`."""
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    if [name.lower() for name in names] == [INFER]:
        return INFER
    if len(names) < len(TWO_WAY) or not all(names) or len({*map(spelling, names)}) < len(names):
        raise InputError(
            f"invalid {param('model_labels')} {','.join(names)!r}: give the label of each output once, in order "
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
) -> ModelLabels:
    """Find the labels of a model's outputs; `labels_on` compares them with those of a data set.

    Args:
        config_names: The names in the model's `id2label`, in the order of its outputs.
        given: Labels from the user, as a list or comma-separated; `infer` to infer them from the seeds later; None to
            use the config.
        model: The model's name, for messages.
        known: Labels to use if the config has no NLI labels; `infer` to infer them; None if unknown.
    """
    outputs = tuple(config_names)
    origin = "config"
    names: Sequence[str] | str = task_labels(outputs)
    if given is not None:
        origin, names = "given", parse_labels(given)
    elif known is not None and canonical_names(outputs) is None and (known == INFER or len(known) == len(outputs)):
        origin, names = TABLE, known
    if isinstance(names, str):
        return ModelLabels((), INFERRED, outputs)
    if len(names) != len(outputs):
        raise InputError(
            f"{model} has {len(outputs)} outputs ({', '.join(outputs)}), but {param('model_labels')} has "
            f"{len(names)}; give one label per output, in order"
        )
    return ModelLabels(tuple(names), origin, outputs)


def labels_on(labels: ModelLabels, data_labels: Sequence[str], *, model: str) -> ModelLabels:
    """Return the labels of a model as a data set spells them.

    Args:
        labels: The labels of the model.
        data_labels: The labels of the data set, from `task_labels`.
        model: The model's name, for the message.
    """
    if labels.origin == INFERRED:
        return labels
    if are_nli(data_labels):
        names = canonical_names(labels.names)
    else:
        spelled = tuple(find_label(name, data_labels) or name for name in labels.names)
        is_named = labels.origin != "config" or not say_nothing(labels.names)
        names = spelled if is_named and sorted(spelled) == sorted(data_labels) else None
    if names is None:
        raise InputError(_other_labels(labels, data_labels, model))
    return replace(labels, names=names)


def _other_labels(labels: ModelLabels, data_labels: Sequence[str], model: str) -> str:
    """Return a message on outputs that are not named as the labels of a data set."""
    outputs = labels.names
    message = f"the outputs of {model} are named {', '.join(labels.config_names or outputs)}, in this order"
    if labels.origin == "given":
        message = f"invalid {param('model_labels')} {','.join(outputs)!r} for {model}: {message}"
    message += f", and the labels of the data are {', '.join(data_labels)}"
    option = f"give the label of each output, in their order: {labels_option(len(outputs))}"
    if not are_nli(data_labels):
        advice = f"if they mean these, {option}" if len(outputs) == len(data_labels) else "use a model of this task"
        return f"{message}; {advice}"
    of_nli = f"an NLI model has the labels {', '.join(NLI_LABELS)}, or {' and '.join(TWO_WAY)}, in an order of its own"
    if len(outputs) not in (len(NLI_LABELS), len(TWO_WAY)):
        return f"{message}; {of_nli}"
    twice = [name for name in outputs if outputs.count(name) > 1]
    reason = f"{twice[0]} is there twice" if twice else "no name says which one is entailment"
    return f"{message}: {reason}. {capitalized(of_nli)} (see its card): {option}, or use {param('model_labels', INFER)}"


def compared_labels(model: Sequence[str], data: Sequence[str]) -> tuple[str, ...]:
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
