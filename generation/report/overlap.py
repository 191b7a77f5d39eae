"""Figure 9, as numbers and as a picture: what two masked LMs have in common.

The paper counts suggestions per problem, which need the work folder of the run. A data set alone has the variants per
seed that both masked LMs validated.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from pathlib import Path

import numpy as np

from generation.replacements.finding import FilteredWord
from generation.report.compared import table_of
from merge_snli.base.arrays import Bools, Floats
from merge_snli.base.errors import InputError
from merge_snli.base.files import write_bytes
from merge_snli.base.table import Cell, Table
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.variants import validated_by
from merge_snli.schema import ALL

INCHES_PER_MASKED_LM = 0.9
MIN_INCHES = 5  # the title's width
# Share of the largest value from which a cell's number is white instead of black.
DARK = 0.6
# Not quite black and white, which a page replaces by its own colors: those of cells stay.
BLACK, WHITE = "#010101", "#fefefe"

# The formats, each with its metadata without dates, so that the file is reproducible.
METADATA: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Overlap:
    """Words by the masked LMs that have them.

    Attributes:
        of: What is counted, such as `Variants per seed`.
        masked_lms: Names of the masked LMs.
        shared: Words that both masked LMs have, on average; on the diagonal those that only this one has. Of shape
            (masked LMs, masked LMs).
        note: How the words are counted.
    """

    of: str
    masked_lms: tuple[str, ...]
    shared: Floats
    note: str


def overlap(dataset: MergeDataset) -> Overlap:
    """Count the variants of config `all` that masked LMs validated in premise or hypothesis.

    Args:
        dataset: A MERGE data set.
    """
    table = read_split(dataset, ALL)
    masks = validated_by(table, dataset.record)
    matrix = np.stack([*masks.values()], axis=1)
    shared = _shared(matrix, np.ones(len(matrix)))
    note = "Counted over the variants of config all; suggestions that became no variant are not counted."
    return Overlap("Variants per seed", tuple(masks), shared / len(table["seed_id"].unique()), note)


def suggestion_overlap(words: Iterable[FilteredWord], masked_lms: tuple[str, ...]) -> Overlap:
    """Count the suggestions that masked LMs share, as the filters left them before sets are formed.

    A suggestion for several occurrences of a word in a problem counts once.

    Args:
        words: The shared words of all problems, those of a problem one after another.
        masked_lms: Names of the masked LMs.

    Returns:
        The average over problems, as in the paper.
    """
    counts: Counter[frozenset[str]] = Counter()
    problems = 0
    for _, of_problem in groupby(words, lambda word: word.tagged.problem.id):
        problems += 1
        names: dict[Hashable, set[str]] = defaultdict(set)
        for word in of_problem:
            for form in word.forms:
                for suggestion in form.suggestions:
                    names[word.word, suggestion].add(form.masked_lm)
        counts.update(map(frozenset, names.values()))
    matrix = np.zeros((len(counts), len(masked_lms)), np.bool_)
    for row, of_row in enumerate(counts):
        matrix[row] = [name in of_row for name in masked_lms]
    shared = _shared(matrix, np.array([*counts.values()], np.float64))
    note = f"Average over {problems:,} problems with a word to replace, of what the filters of the run kept."
    return Overlap("Suggestions per problem", masked_lms, shared / max(1, problems), note)


def _shared(matrix: Bools, times: Floats) -> Floats:
    """Count the words that two masked LMs share, and on the diagonal those that only one has.

    Args:
        matrix: Whether each masked LM has each word, of shape (words, masked LMs).
        times: How often each word counts.
    """
    counted = matrix * times[:, None]
    shared = counted.T @ matrix
    np.fill_diagonal(shared, counted[matrix.sum(axis=1) == 1].sum(axis=0))
    return shared


def figure_9(shown: Overlap) -> Table:
    """Return the numbers of Figure 9 as a table."""
    rows: list[dict[str, Cell]] = []
    for name, values in zip(shown.masked_lms, shown.shared.tolist(), strict=True):
        row: dict[str, Cell] = {"masked LM": name}
        for other, value in zip(shown.masked_lms, values, strict=True):
            row[other] = round(value, 1)
        rows.append(row)
    return table_of(
        rows,
        title=f"Figure 9: {shown.of.lower()} that two masked LMs share",
        labels=["masked LM"],
        notes=("On the diagonal: those that only this masked LM has.", shown.note),
    )


def check_format(path: Path) -> None:
    """Check that an overlap can be drawn into a file of this name: its suffix is one of `METADATA`."""
    if path.suffix not in METADATA:
        raise InputError(f"⟦out⟧ {path}: unknown format {path.suffix!r}, use one of {', '.join(METADATA)}")


def draw_overlap(shown: Overlap, path: Path) -> None:
    """Draw an overlap of masked LMs into a file.

    Args:
        shown: The overlap.
        path: The file, for `check_format`.
    """
    check_format(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    size = max(MIN_INCHES, 2 + INCHES_PER_MASKED_LM * len(shown.masked_lms))
    figure = Figure(figsize=(size, size), layout="constrained")
    axes = figure.add_subplot()
    # A mesh and not an image: an SVG file then has shapes, which are sharp at every size.
    edges = np.arange(len(shown.masked_lms) + 1) - 0.5
    axes.pcolormesh(edges, edges, shown.shared, cmap="Blues", vmin=0)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    labels = [name.rpartition("/")[2].removeprefix("demo:") for name in shown.masked_lms]
    axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(labels)), labels)
    for (row, column), value in np.ndenumerate(shown.shared):
        color = WHITE if value > DARK * shown.shared.max() else BLACK
        axes.text(column, row, f"{value:.1f}", ha="center", va="center", color=color)
    axes.set_title(f"{shown.of} shared by two masked LMs\n(diagonal: of this one only)", fontsize=10)
    content = BytesIO()
    # A fixed salt makes the ids in an SVG reproducible; texts stay texts.
    with mpl.rc_context({"svg.hashsalt": "merge-snli", "svg.fonttype": "none"}):
        figure.savefig(content, format=path.suffix[1:], metadata=METADATA[path.suffix])
    write_bytes(path, content.getvalue())
