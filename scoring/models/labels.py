"""What a model's outputs mean: entailment, neutral, contradiction, or not entailment, whatever a model calls them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS
from scoring.models.options import INFER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENTAILMENT, NEUTRAL, CONTRADICTION = NLI_LABELS
NOT_ENTAILMENT = "not_entailment"
TWO_WAY = (ENTAILMENT, NOT_ENTAILMENT)
"""The labels that are compared where the model or the data set tells only entailment from the rest."""

SPELLINGS: Mapping[str, frozenset[str]] = {
    ENTAILMENT: frozenset({"entailment", "entail", "entails", "entailed", "e", "yes", "true", "supports"}),
    NEUTRAL: frozenset({"neutral", "neutrality", "n", "maybe", "unknown", "neither", "not_enough_info"}),
    CONTRADICTION: frozenset(
        {"contradiction", "contradict", "contradicts", "contradicted", "contradictory", "c", "no", "false", "refutes"}
    ),
    NOT_ENTAILMENT: frozenset(
        {"not_entailment", "notentailment", "non_entailment", "nonentailment", "no_entailment", "not_entailed", "ne"}
    ),
}
"""How NLI models and data sets spell each label, in lower case with `_` for all that is no letter or digit."""

INFERRED = "inferred"

NEGATIVE_OF_TWO = frozenset({"no", "false"})
"""Spellings of contradiction that mean not_entailment where only one other label stands beside them."""


@dataclass(frozen=True)
class ModelLabels:
    """The meaning of a model's outputs and where it comes from.

    Attributes:
        names: Label of each output, in the order of the outputs, spelled as in this module.
        found: `config` (the model's own `id2label`), `table` (what is known of the paper's models), `given`
            (`--labels`), `inferred` (from the seeds; empty until then) or `function` (the function names them).
        own: The names that the model's `id2label` has; empty for a function.
    """

    names: tuple[str, ...]
    found: str
    own: tuple[str, ...] = ()

    @property
    def overruled(self) -> bool:
        """Whether labels were given that the model's own names contradict."""
        return self.found == "given" and canonical_names(self.own) not in (None, self.names)


def canonical_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """Spell label names as this module does.

    Args:
        names: Names as a model or a data set has them.

    Returns:
        The same labels in the same order, or None where one is unknown or stands twice, or where they are neither
        the three labels nor entailment and not_entailment.

    Examples:
        >>> canonical_names(["CONTRADICTION", "Entail", "n"])
        ('contradiction', 'entailment', 'neutral')
        >>> canonical_names(["yes", "no"])
        ('entailment', 'not_entailment')
        >>> canonical_names(["LABEL_0", "LABEL_1", "LABEL_2"]) is None
        True
    """
    plain = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in names]
    spelled = tuple(_spelled(name, two_way=len(plain) == len(TWO_WAY)) for name in plain)
    if sorted(map(str, spelled)) in (sorted(NLI_LABELS), sorted(TWO_WAY)):
        return tuple(name for name in spelled if name is not None)
    return None


def _spelled(name: str, *, two_way: bool) -> str | None:
    if two_way and name in NEGATIVE_OF_TWO:
        return NOT_ENTAILMENT
    return next((label for label, spellings in SPELLINGS.items() if name in spellings), None)


def parse_labels(text: str) -> tuple[str, ...] | str:
    """Read the value of `--labels`, such as `entailment,neutral,contradiction` or `infer`.

    Raises:
        InputError: Where it names something else than the three labels, or entailment and not_entailment.
    """
    return INFER if text.strip().lower() == INFER else parse_order(text)


def parse_order(text: str) -> tuple[str, ...]:
    """Read an order of labels, such as `entailment,neutral,contradiction`.

    Raises:
        InputError: Where it names something else than the three labels, or entailment and not_entailment.
    """
    names = canonical_names(text.split(","))
    if names is None:
        raise InputError(
            f"--labels {text} is no order of labels: give each label of the model's outputs once, in their order, "
            f"such as --labels {','.join(NLI_LABELS)} or --labels {','.join(TWO_WAY)}, or say --labels infer"
        )
    return names


def find_model_labels(
    own: Sequence[str], *, given: Sequence[str] | str | None, model: str, known: Sequence[str] | None = None
) -> ModelLabels:
    """Find what the outputs of a model mean.

    Args:
        own: The names of the model's `id2label`, in the order of its outputs.
        given: What the user said that they mean, as a list or as one text with commas; `infer` to find it on the seeds
            later; or None to go by the model's own names.
        model: The model's name, for the message.
        known: What is known of the model where its own names say nothing, or None.

    Raises:
        InputError: Where the names say nothing (`LABEL_0`) and nothing is given or known, or too many or too few are
            given.
    """
    if given is not None:
        names = parse_labels(given if isinstance(given, str) else ",".join(given))
        if isinstance(names, str):
            return ModelLabels((), INFERRED, tuple(own))
        if len(names) != len(own):
            raise InputError(
                f"{model} has {len(own)} outputs ({', '.join(own)}), --labels names {len(names)}: "
                "give one label for each output, in their order"
            )
        return ModelLabels(names, "given", tuple(own))
    found = canonical_names(own)
    if found is not None:
        return ModelLabels(found, "config", tuple(own))
    if known is not None and len(known) == len(own):
        return ModelLabels(tuple(known), "table", tuple(own))
    raise InputError(_unknown_labels(own, model))


def _unknown_labels(own: Sequence[str], model: str) -> str:
    calls = f"{model} calls its outputs {', '.join(own)}"
    if len(own) == len(NLI_LABELS):
        mend = f"say what they mean, in their order, such as --labels {','.join(NLI_LABELS)}"
    elif len(own) == len(TWO_WAY):
        mend = f"say what they mean, in their order, such as --labels {','.join(TWO_WAY)}"
    else:
        mend = "an NLI model has three (entailment, neutral, contradiction) or two (entailment, not_entailment)"
        return f"{calls}, which is no set of NLI labels: {mend}"
    return (
        f"{calls}, which does not tell entailment from the others: {mend} (its model card tells the order), or let "
        "--labels infer find it on the seeds"
    )


def data_labels(names: Sequence[str], data_set: str) -> tuple[str, ...]:
    """Spell a data set's label names as this module does.

    Raises:
        InputError: Where they are neither the three labels nor entailment and not_entailment.
    """
    found = canonical_names(names)
    if found is None:
        raise InputError(
            f"the labels of {data_set} are {', '.join(names)}: a score needs {', '.join(NLI_LABELS)}, "
            f"or {', '.join(TWO_WAY)}"
        )
    return found


def compared_labels(model: Sequence[str], data: Sequence[str]) -> tuple[str, ...]:
    """Return the labels in which a model's answers and the gold labels are compared.

    Entailment and not_entailment where one of them does not tell neutral from contradiction, which then count as
    not_entailment on the other side; else the three labels.
    """
    return TWO_WAY if NOT_ENTAILMENT in {*model, *data} else NLI_LABELS


def positions(names: Sequence[str], compared: Sequence[str]) -> tuple[int, ...]:
    """Return for each of `names` its position in `compared`, as `compared_labels` gave it.

    Examples:
        >>> positions(("contradiction", "entailment", "neutral"), TWO_WAY)
        (1, 0, 1)
    """
    return tuple(compared.index(name) if name in compared else compared.index(NOT_ENTAILMENT) for name in names)
