"""Which sets of label names do not show whether their task is NLI, and the messages about them."""

from collections.abc import Collection, Sequence

from merge_snli.base.errors import brief, listed, param
from merge_snli.dataset.label_names import say_nothing
from merge_snli.dataset.label_spellings import (
    MAX_LABELS,
    NEGATIVE_OF_TWO,
    NEUTRAL,
    TWO_WAY,
    are_answers,
    canonical_name,
    spelling,
)
from merge_snli.dataset.texts import are_nli_columns
from merge_snli.problems.options import ProblemOptions
from merge_snli.schema import NLI_LABELS


def naming_option(labels: Collection[str]) -> str:
    """Return the option that names labels."""
    names = [f"{brief(label, 20)}=NAME" for label in labels]
    return param("data_labels", tuple(names[:MAX_LABELS]))


def of_column(options: ProblemOptions) -> str:
    """Return the beginning of a message on the labels of a source."""
    return f"{options.problems}: column {options.label_column!r}"


def unclear_names(names: Sequence[str], options: ProblemOptions) -> str | None:
    """Return a message on names of labels that do not show what they mean; None for others.

    Labels such as yes, unknown and no are those of NLI if the columns of the texts have usual names of NLI. Yes and no
    alone are answers to questions if they do not.

    Args:
        names: The names.
        options: Names the columns.
    """
    if say_nothing(names):
        named = f"has the labels {listed(names)}, which do not say what they mean"
        return f"{of_column(options)} {named}. Name each: {naming_option(names)}"
    if not are_answers(names):
        return None
    is_neutral = [canonical_name(name, two_way=False) == NEUTRAL for name in names]
    is_negative = [spelling(name) in NEGATIVE_OF_TWO for name in names]
    labels = f"{of_column(options)} has only the labels {listed(names)}"
    if are_nli_columns(options.premise_column, options.hypothesis_column):
        if any(is_neutral) or not any(is_negative):
            return None
        two, three = param("data_labels", TWO_WAY), param("data_labels", NLI_LABELS)
        return (
            f"{labels}, which do not show the names. Set them with {two} or {three}; in another task, with "
            f"{naming_option(names)}"
        )
    if not any(is_neutral):
        return None
    columns = f"{options.premise_column!r} and {options.hypothesis_column!r}"
    return (
        f"{labels}, which are those of NLI or answers to questions, and the columns {columns} do not show which. Name "
        f"each: {naming_option(names)}"
    )
