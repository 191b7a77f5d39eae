"""Read the labels that annotators gave to a problem, which SNLI and MultiNLI have in their own files."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import TWO_WAY, canonical_name

if TYPE_CHECKING:
    import pyarrow as pa

# The column of the files, which `--keep-column` keeps: a JSON list of labels, empty where an annotator gave none.
COLUMN = "annotator_labels"


def label_counts(text: str | None, names: Sequence[str], seed_id: str) -> list[int]:
    """Return how many annotators gave each label.

    Args:
        text: The value of `COLUMN`; empty if there are no labels.
        names: The labels of the data set.
        seed_id: The problem, for the message.

    Examples:
        >>> label_counts('["neutral", "neutral", "entailment", ""]', ("entailment", "neutral", "contradiction"), "s1")
        [1, 2, 0]
    """
    given: object = None
    with suppress(ValueError):
        given = json.loads(text or "[]")
    spelled = [str(label) for label in given if label] if isinstance(given, list) else [""]
    labels = [canonical_name(label, two_way=len(names) == len(TWO_WAY)) for label in spelled]
    if not {*labels} <= {*names}:
        raise InputError(
            f"seed {seed_id}: {COLUMN} is {text!r:.60}, expected a JSON list of {', '.join(names)}: generate the data "
            "set from files that have it"
        )
    return [labels.count(name) for name in names]


def annotators_by_seed(table: "pa.Table", names: Sequence[str]) -> Ints | None:
    """Return how many annotators gave each label to each seed, [n_seeds, n_labels]; None without their labels.

    Args:
        table: Rows with the column `seed_id`; seeds are in the order of their first row.
        names: The labels of the data set.
    """
    if COLUMN not in table.column_names:
        return None
    by_seed = dict(zip(table["seed_id"].to_pylist(), table[COLUMN].to_pylist(), strict=True))
    return np.array([label_counts(text, names, seed) for seed, text in by_seed.items()], dtype=np.int64)
