"""How the two texts of a problem are called: premise and hypothesis for NLI, else as the columns of the source."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from merge_snli.dataset.label_spellings import TWO_WAY, are_nli, task_labels

# Usual names of the columns of premise and hypothesis as `plain_name` returns them, tried in this order: those of
# SNLI's files, SICK's, ANLI's.
NLI_COLUMNS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentencea", "sentenceb"),
    ("text", "hypothesis"),
    ("context", "hypothesis"),
)

# Other names of these columns, of which one pair may be there.
OTHER_NLI_COLUMNS = (
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("t", "h"),
    ("premises", "hypothesis"),
    ("premise", "conclusion"),
    ("premises", "conclusion"),
)

# What `plain_name` leaves out of a name: a note in parentheses, and all but letters and digits.
NOT_IN_PLAIN_NAMES = re.compile(r"\(.*\)|[\W_]+")


def plain_name(column: object) -> str:
    """Return the name of a column without case, blanks, punctuation and a note in parentheses.

    Examples:
        >>> plain_name("sentence_A"), plain_name("Label (entailment, neutral)")
        ('sentencea', 'label')
    """
    return NOT_IN_PLAIN_NAMES.sub("", str(column)).casefold()


def are_nli_columns(first: str | None, second: str | None) -> bool:
    """Return whether the columns of two texts, in either order, have usual names of premise and hypothesis."""
    names = {plain_name(first), plain_name(second)}
    return any(names == {*pair} for pair in NLI_COLUMNS + OTHER_NLI_COLUMNS)


class TextNames(NamedTuple):
    """What the two texts of a problem are called; the columns of a data set are always `premise` and `hypothesis`."""

    first: str = "premise"
    second: str = "hypothesis"

    @property
    def by_column(self) -> dict[str, str]:
        """What each text is called, by its column."""
        return dict(zip(("premise", "hypothesis"), self, strict=True))


NLI_TEXTS = TextNames()


def is_nli(label_names: Sequence[str], texts: TextNames) -> bool:
    """Return whether problems are NLI.

    Their labels say so; entailment and not_entailment alone do not, since tasks with other texts have them (QNLI).

    Args:
        label_names: The names of the labels.
        texts: What the texts are called.

    Examples:
        >>> is_nli(("entailment", "neutral", "contradiction"), TextNames("text", "claim"))
        True
        >>> is_nli(("entailment", "not_entailment"), TextNames("question", "sentence"))
        False
    """
    labels = task_labels(label_names)
    return are_nli(labels) and (texts == NLI_TEXTS or {*labels} != {*TWO_WAY})


def text_names(columns: Sequence[str | None], label_names: Sequence[str]) -> TextNames:
    """Return what the texts of problems are called.

    Args:
        columns: The columns of the two texts in the source; empty or None for the usual ones.
        label_names: The names of the labels.

    Examples:
        >>> text_names(("sentence1", "sentence2"), ("entailment", "neutral", "contradiction"))
        TextNames(first='premise', second='hypothesis')
        >>> text_names(("sentence1", "sentence2"), ("equivalent", "not_equivalent"))
        TextNames(first='sentence1', second='sentence2')
        >>> text_names(("paragraph", "question+answer"), ("False", "True"))
        TextNames(first='paragraph', second='question and answer')
    """
    first, second = columns
    if not first or not second or (are_nli_columns(first, second) and are_nli(task_labels(label_names))):
        return NLI_TEXTS
    return TextNames(*(name.replace("+", " and ") for name in (first, second)))
