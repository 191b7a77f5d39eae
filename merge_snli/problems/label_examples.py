"""An error that asks a user to name labels, with the number of rows and one problem of each."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from textwrap import shorten

from merge_snli.base.errors import InputError, brief
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import MAX_LABELS
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import check_sentences
from merge_snli.problems.rows import SourceRow

# Characters of all examples of a message, and of one.
ALL_CHARACTERS, MAX_CHARACTERS = 400, 100


def with_examples(
    message: str,
    labels: Sequence[str],
    rows: Iterator[SourceRow],
    options: ProblemOptions,
    label_of: Callable[[SourceRow], str],
) -> InputError:
    """Return an error that asks for the names of labels, with an example for each.

    Args:
        message: What is wrong.
        labels: The labels.
        rows: The rows of the source.
        options: Names the columns.
        label_of: Returns which of the labels a row has, or another text.

    Raises:
        InputError: If the first row of a label is not a valid problem, which comes first.
    """
    numbers: Counter[str] = Counter()
    examples: dict[str, str] = {}
    width = min(MAX_CHARACTERS, ALL_CHARACTERS // min(len(labels), MAX_LABELS))
    for row in islice(rows, options.limit):
        label = label_of(row)
        numbers[label] += 1
        if label in labels and label not in examples:
            examples[label] = shorten(" / ".join(check_sentences(row, options)), width, placeholder=" …")
    shown = []
    for label in labels[:MAX_LABELS]:
        if label in examples:
            rows_with_label = count(numbers[label], "row")
            shown.append(f"{brief(label, 20)}: {rows_with_label}, such as {examples[label]}")
    return InputError(f"{message}. Some problems: {'; '.join(shown)}")
