"""The labels of NLI and of other tasks, and how models and data sets spell them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from merge_snli.schema import NLI_LABELS

# The labels of a data set or model, in the order of their numbers.
Labels: TypeAlias = tuple[str, ...]

ENTAILMENT, NEUTRAL, CONTRADICTION = NLI_LABELS
NOT_ENTAILMENT = "not_entailment"
# The labels to compare if the model or the data set distinguishes only entailment from the rest.
TWO_WAY = (ENTAILMENT, NOT_ENTAILMENT)
# Stands for labels of a model whose order is inferred from the seeds.
INFER = "infer"

# Spellings of each label in data sets, models and replies, in lower case, with `_` for other characters.
SPELLINGS: Mapping[str, frozenset[str]] = {
    ENTAILMENT: frozenset(
        """
        entailment entail entails entailed e yes true support supports supported imply implies implied
        """.split()  # noqa: SIM905
    ),
    NEUTRAL: frozenset(
        """
        neutral neutrality n maybe unknown neither uncertain undetermined unverifiable notmentioned not_mentioned
        nei notenoughinfo not_enough_info not_enough_information not_enough_evidence
        """.split()  # noqa: SIM905
    ),
    CONTRADICTION: frozenset(
        """
        contradiction contradict contradicts contradicted contradictory c no false refute refutes refuted
        """.split()  # noqa: SIM905
    ),
    NOT_ENTAILMENT: frozenset(
        """
        not_entailment notentailment non_entailment nonentailment no_entailment not_entailed ne not_supported
        """.split()  # noqa: SIM905
    ),
}

# Spellings of contradiction that mean not_entailment if there are only two labels.
NEGATIVE_OF_TWO = frozenset({"no", "false"})
# Labels that do not show whether the task is NLI: they also answer questions.
ANSWERS_TO_QUESTIONS = NEGATIVE_OF_TWO | {"yes", "true", "maybe"}

# The sets of labels that say that a task is NLI.
LABEL_SETS: tuple[set[str | None], ...] = ({*NLI_LABELS}, {*TWO_WAY}, {ENTAILMENT, CONTRADICTION})

# Result files have one digit per answer.
MAX_LABELS = 10

# A whole number, also as a decimal such as `1.0` in a CSV file that pandas wrote. One with more digits names no label.
WHOLE_NUMBER = re.compile(r"(-?\d{1,4})(\.0*)?")


def task_labels(names: Sequence[str]) -> Labels:
    """Return label names as scores use them: NLI labels in canonical spelling, those of other tasks as they are.

    Examples:
        >>> task_labels(["Entails", "Neutral", "Contradicts"])
        ('entailment', 'neutral', 'contradiction')
        >>> task_labels(["no", "unknown", "yes"])
        ('no', 'unknown', 'yes')
    """
    return (None if are_answers(names) else canonical_names(names)) or tuple(names)


def are_answers(names: Iterable[str]) -> bool:
    """Return whether labels can be answers to questions: none but yes, no, true or false decides.

    Examples:
        >>> are_answers(["yes", "maybe", "no"]), are_answers(["supported", "nei", "refuted"])
        (True, False)
    """
    spelled = {spelling(name) for name in names}
    return not spelled.isdisjoint(ANSWERS_TO_QUESTIONS) and spelled <= ANSWERS_TO_QUESTIONS | SPELLINGS[NEUTRAL]


def are_nli(labels: Iterable[str]) -> bool:
    """Return whether labels from `task_labels` are those of NLI."""
    return {*labels} <= {*NLI_LABELS, NOT_ENTAILMENT}


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None for another text.

    Examples:
        >>> [whole_number(text) for text in ("1", "-1.0", "1.5", "one")]
        [1, -1, None, None]
    """
    match = WHOLE_NUMBER.fullmatch(text)
    return None if match is None else int(match[1])


def spelling(text: str) -> str:
    """Return a label in lower case, with `_` for other characters than letters and digits of any script.

    A whole number is returned as it is, since -1 is not 1.
    """
    if whole_number(text) is not None:
        return text
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def find_label(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that a text names, also in other capitals and punctuation; None for none or several.

    Examples:
        >>> find_label("Not Equivalent", ["not_equivalent", "equivalent"])
        'not_equivalent'
        >>> find_label("1", ["-1", "0"]) is None
        True
    """
    if text in labels:
        return text
    spelled = [label for label in labels if spelling(label) == spelling(text) != ""]
    return spelled[0] if len(spelled) == 1 else None


def canonical_names(names: Sequence[str]) -> Labels | None:
    """Return the canonical spelling of label names.

    Args:
        names: Label names of a model or a data set.

    Returns:
        The same labels in the same order, or None unless they are the three labels, entailment and not_entailment, or
        entailment and contradiction, each once.

    Examples:
        >>> canonical_names(["CONTRADICTION", "Entail", "n"])
        ('contradiction', 'entailment', 'neutral')
        >>> canonical_names(["yes", "no"])
        ('entailment', 'not_entailment')
        >>> canonical_names(["LABEL_0", "LABEL_1", "LABEL_2"]) is None
        True
    """
    spelled = tuple(canonical_name(name, two_way=len(names) == len(TWO_WAY)) for name in names)
    if {*spelled} not in LABEL_SETS or len(spelled) > len({*spelled}):
        return None
    return tuple(name for name in spelled if name is not None)


@cache
def canonical_name(text: str, *, two_way: bool) -> str | None:
    """Return the label that a text spells, or None if it is not the spelling of a label.

    Args:
        text: The name of a label in a model or a data set.
        two_way: Whether there are only two labels.

    Examples:
        >>> canonical_name("ENTAILMENT", two_way=False)
        'entailment'
        >>> canonical_name("no", two_way=True)
        'not_entailment'
    """
    name = spelling(text)
    if two_way and name in NEGATIVE_OF_TWO:
        return NOT_ENTAILMENT
    return next((label for label, spellings in SPELLINGS.items() if name in spellings), None)
