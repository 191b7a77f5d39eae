"""Select example variants of a data set and format them as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.dataset import label_names, read_split
from merge_snli.schema import ALL, subsample_split

if TYPE_CHECKING:
    import pyarrow as pa

    from merge_snli.dataset import MergeDataset

EXAMPLES_PER_LABEL = 3


def examples_text(dataset: MergeDataset) -> str:
    """Format example variants of each label, each from a different seed.

    Args:
        dataset: A MERGE data set.

    Returns:
        One block per label, with the replacement, premise and hypothesis of each example.
    """
    table = read_split(dataset, ALL, subsample_split(0))
    return "\n".join(
        f"{name}\n" + "".join(map(_example, _select(table, number))) for number, name in enumerate(label_names(table))
    )


def _select(table: pa.Table, label: int) -> list[dict[str, str]]:
    """Return the variant with the highest log-odds of some seeds with a label, at regular intervals."""
    best: dict[str, dict[str, str]] = {}
    for row in table.to_pylist():
        seed = row["seed_id"]
        if row["label"] == label and (seed not in best or row["log_odds"] > best[seed]["log_odds"]):
            best[seed] = row
    step = max(1, len(best) // EXAMPLES_PER_LABEL)
    return list(best.values())[::step][:EXAMPLES_PER_LABEL]


def _example(row: dict[str, str]) -> str:
    replacement = f"{row['original']} -> {row['replacement']}"
    return f"  {replacement}\n    P: {row['premise']}\n    H: {row['hypothesis']}\n"
