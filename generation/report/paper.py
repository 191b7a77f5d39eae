"""The numbers of the paper (arXiv:2510.24295) as data, and tables that compare those of a run with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from merge_snli.base.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.base.table import Cell

    Row = tuple[Mapping[str, Cell], Mapping[str, float]]

# Problems of SNLI test that have a gold label.
PROBLEMS = 9_824

# Seeds, variants per seed, labels, and unique variants per subsample.
TABLE_2_COLUMNS = ("seeds", "average", "neutral %", "contradiction %", "entailment %", "unique")

TABLE_2: Mapping[str, tuple[float, ...]] = {
    "noun": (1808, 90.8, 29.4, 20.2, 50.3, 4121),
    "verb": (506, 86.8, 30.6, 18.6, 50.8, 1115),
    "adj": (259, 77.6, 32.8, 22.4, 44.8, 460),
    "all": (2222, 77.4, 30.0, 20.4, 49.5, 5781),
}

# Problems that share a word of the class, and their labels.
TABLE_4_COLUMNS = ("problems", "neutral %", "contradiction %", "entailment %")

TABLE_4: Mapping[str, tuple[float, ...]] = {
    "noun": (7363, 33.4, 28.7, 37.8),
    "verb": (3780, 31.8, 28.2, 40.0),
    "adj": (1067, 33.6, 23.7, 42.6),
    "adv": (76, 26.3, 13.2, 60.5),
}

# Vocabulary size of each masked LM.
TABLE_5: Mapping[str, int] = {
    "BERT-B": 28_996,
    "BERT-L": 28_996,
    "RoBERTa-B": 50_265,
    "RoBERTa-L": 50_265,
    "BART-B": 50_265,
    "BART-L": 50_265,
    "ALBERT-B": 30_000,
    "ALBERT-XXL": 30_000,
    "Electra-B": 30_522,
    "Electra-L": 30_522,
}

# Percent of 200 fillers that are of another class in premise and hypothesis, and that are not more probable there.
TABLE_6: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("ALBERT-B", "adj"): (45.7, 48.4, 87.6, 80.4),
    ("ALBERT-B", "noun"): (7.2, 7.8, 88.4, 79.9),
    ("ALBERT-B", "verb"): (26.5, 29.3, 91.1, 87.1),
    ("ALBERT-XXL", "adj"): (45.3, 48.4, 87.8, 78.1),
    ("ALBERT-XXL", "noun"): (6.1, 6.7, 89.6, 75.9),
    ("ALBERT-XXL", "verb"): (24.5, 24.5, 92.1, 84.5),
    ("BART-B", "adj"): (63.9, 65.8, 90.2, 84.2),
    ("BART-B", "noun"): (28.3, 26.6, 91.3, 84.8),
    ("BART-B", "verb"): (38.7, 37.2, 90.0, 88.5),
    ("BART-L", "adj"): (64.0, 65.9, 89.4, 83.4),
    ("BART-L", "noun"): (30.6, 30.8, 91.5, 83.3),
    ("BART-L", "verb"): (37.2, 38.1, 88.7, 87.6),
    ("BERT-B", "adj"): (45.1, 48.7, 93.5, 89.6),
    ("BERT-B", "noun"): (10.6, 11.6, 92.2, 85.8),
    ("BERT-B", "verb"): (26.4, 28.6, 92.5, 90.4),
    ("BERT-L", "adj"): (44.4, 47.4, 94.5, 91.0),
    ("BERT-L", "noun"): (10.4, 12.3, 94.0, 87.9),
    ("BERT-L", "verb"): (28.9, 29.7, 94.5, 92.6),
    ("Electra-B", "adj"): (45.4, 48.4, 89.6, 84.9),
    ("Electra-B", "noun"): (11.0, 11.3, 88.2, 82.4),
    ("Electra-B", "verb"): (27.6, 27.5, 88.3, 88.9),
    ("Electra-L", "adj"): (45.6, 49.0, 91.1, 86.2),
    ("Electra-L", "noun"): (10.7, 10.7, 90.9, 85.0),
    ("Electra-L", "verb"): (25.5, 26.5, 90.5, 89.5),
    ("RoBERTa-B", "adj"): (49.2, 52.3, 93.9, 89.1),
    ("RoBERTa-B", "noun"): (7.7, 8.2, 94.2, 88.3),
    ("RoBERTa-B", "verb"): (31.1, 33.8, 95.0, 91.8),
    ("RoBERTa-L", "adj"): (47.7, 50.9, 95.2, 91.3),
    ("RoBERTa-L", "noun"): (7.7, 8.1, 95.7, 90.2),
    ("RoBERTa-L", "verb"): (33.2, 32.3, 96.6, 93.6),
}

# Variants that at least two masked LMs validated, `Both` in the paper.
SEVERAL = "several"

# Average number of variants per subsample that only this masked LM validated, and that one of another family did.
TABLE_9: Mapping[str, tuple[float, float]] = {
    "BERT-B": (473.7, 9572.0),
    "ALBERT-B": (2085.8, 4073.9),
    "Electra-L": (700.1, 7445.4),
    "BERT-L": (228.0, 9572.0),
    "ALBERT-XXL": (4114.0, 4073.9),
    "Electra-B": (2128.2, 7445.4),
    "RoBERTa-B": (355.9, 9729.8),
    "RoBERTa-L": (188.0, 9729.8),
    SEVERAL: (41186.3, 10273.7),
}


def compared_table(*, title: str, rows: Sequence[Row], labels: Sequence[str], notes: tuple[str, ...]) -> Table:
    """Return a table with the paper's figure and the difference from it in columns of their own.

    Args:
        title: What the table shows.
        rows: For each row its values by column header, and the paper's figures for some of these columns, if any. All
            rows have the same headers.
        labels: Headers of the columns that name a row.
        notes: How to read the table.
    """
    headers = list(rows[0][0])
    compared = [header for header in headers if any(header in paper for _, paper in rows)]
    return Table(
        title=title,
        columns=(
            *(Column(header, "left" if header in labels else "right") for header in headers),
            *(Column(f"{header} {kind}") for header in compared for kind in ("paper", "diff")),
        ),
        rows=tuple(
            (
                *values.values(),
                *(cell for name in compared for cell in _comparison(values[name], paper.get(name))),
            )
            for values, paper in rows
        ),
        notes=notes,
    )


def percent(part: int, whole: int) -> float | None:
    """Return a share in percent, rounded to one decimal; None if `whole` is 0."""
    return round(100 * part / whole, 1) if whole else None


def _comparison(value: Cell, paper: float | None) -> tuple[Cell, Cell]:
    if paper is None or not isinstance(value, int | float):
        return paper, None
    return paper, round(value - paper, 1)
