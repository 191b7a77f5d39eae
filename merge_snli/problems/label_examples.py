"""Messages that ask a user to name labels, with some problems of each."""

from collections.abc import Sequence
from textwrap import shorten

from merge_snli.base.errors import InputError, param
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import check_sentences
from merge_snli.problems.rows import SourceRow

EXAMPLES = 2  # number of problems of each label that a message shows
SHOWN_CHARACTERS = 60  # of each sentence

# Some problems of each label.
Examples = dict[str, list[str]]


def naming_option(labels: Sequence[str]) -> str:
    """Return the option that names labels."""
    return param("data_labels", tuple(f"{label}=NAME" for label in labels))


def meaningless(labels: Sequence[str], options: ProblemOptions) -> str:
    """Return a message on labels whose names do not say what they mean."""
    return (
        f"{options.problems}: the labels in column {options.label_column!r} are named {', '.join(labels)}, which does "
        f"not say what they mean. Name each: {naming_option(labels)}. Some problems:"
    )


def shown(labels: Sequence[str], examples: Examples) -> str:
    """Return the examples of labels as lines at the end of a message."""
    return "".join(f"\n  {label}: {example}" for label in labels for example in examples[label])


def add_example(examples: Examples, label: str, row: SourceRow, options: ProblemOptions) -> InputError | None:
    """Add a row to the examples of a label; return what is wrong with its sentences."""
    invalid = None
    try:
        sentences = check_sentences(row, options)
    except InputError as error:
        invalid, sentences = error, ("", "")
    of_label = examples.setdefault(label, [])
    if len(of_label) < EXAMPLES:
        of_label.append(" / ".join(shorten(sentence, SHOWN_CHARACTERS) for sentence in sentences))
    return invalid
