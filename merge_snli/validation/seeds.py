"""Check the rows of config `seed` against their variants and the tagger."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from merge_snli.problems.reading import content_id
from merge_snli.validation.finding import quoted
from merge_snli.validation.recorded_run import SEEDS

if TYPE_CHECKING:
    from generation.options import Options
    from merge_snli.validation.collector import Collector, Find
    from merge_snli.validation.recorded_run import RecordedRun
    from merge_snli.validation.seed import CheckedSeed, Row


def check_seed(seed: CheckedSeed, run: RecordedRun, collector: Collector) -> None:
    """Check a seed's label, id, shared words and counts.

    Args:
        seed: The seed.
        run: The record of the run.
        collector: Gets the findings.
    """
    row, find = seed.row, partial(collector.find, SEEDS, seed.number)
    if 0 <= row["label"] < len(run.label_names):
        _check_id(row, run, find)
    else:
        find("label", f"is {row['label']}; the labels are 0 to {len(run.label_names) - 1}")
    for name in run.options.classes:
        listed, counts = row[f"{name}_words"], row[f"{name}_variants"]
        if len(listed) != len(counts) or len(set(listed)) != len(listed) or any(count < 0 for count in counts):
            find(f"{name}_variants", f"is {quoted(counts)}, but must be one count per word of {name}_words")
            continue
        shared = [word.text for word in seed.shared.values() if word.word_class == name and word.left_out is None]
        if listed != shared:
            find(f"{name}_words", f"is {quoted(listed)}; the tagger finds {quoted(shared)}")
        _check_counts(name, dict(zip(listed, counts, strict=True)), seed, run.options, find)


def _check_id(row: Row, run: RecordedRun, find: Find) -> None:
    """Check an id that was computed from the content."""
    if run.options.id_column is not None:
        return
    expected = content_id(row["premise"], row["hypothesis"], run.label_names[row["label"]])
    if not re.fullmatch(rf"{expected}(-[1-9][0-9]*)?", row["seed_id"]):
        find("seed_id", f"is {quoted(row['seed_id'])}; premise, hypothesis and label give {quoted(expected)}")


def _check_counts(name: str, counts: dict[str, int], seed: CheckedSeed, options: Options, find: Find) -> None:
    """Compare the counts of a word class with its variants, of which there are none if there would be too few."""
    found = Counter(row["original"] for row in seed.variants.values() if row["word_class"] == name)
    if found:
        if found != Counter({word: count for word, count in counts.items() if count}):
            find(f"{name}_variants", f"is {quoted(counts)}; config all has {quoted(dict(found))}")
    elif sum(counts.values()) >= options.inflation and options.seeds_from is None:
        find(f"{name}_variants", f"is {quoted(counts)}, enough for config {name}; config all has none")
