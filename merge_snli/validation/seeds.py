"""Check the rows of config `seed` against their variants and the tagger."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.problems.ids import content_id
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.options import Options
    from merge_snli.validation.collector import Find
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.seed_groups import Row
    from merge_snli.validation.seed_words import SeedWords


def check_seed(seed: Row, rows: Sequence[Row], words: SeedWords, run: RecordedRun, find: Find) -> None:
    """Check a seed's id, shared words and counts.

    Args:
        seed: A row of config `seed`.
        rows: All its variants.
        words: The words of the seed.
        run: The record of the run.
        find: Gets the findings.
    """
    _check_id(seed, run, find)
    for name in run.options.classes:
        listed, counts = seed[f"{name}_words"], seed[f"{name}_variants"]
        if len(listed) != len(counts) or len(set(listed)) != len(listed) or any(count < 0 for count in counts):
            find(f"{name}_variants", f"is {quoted(counts)}, but must be one count per word of {name}_words")
            continue
        if words.shared is not None:
            shared = [w.text for w in words.shared.values() if w.word_class == name and w.left_out is None]
            if listed != shared:
                find(f"{name}_words", f"is {quoted(listed)}; the tagger finds {quoted(shared)}")
        _check_counts(name, dict(zip(listed, counts, strict=True)), rows, run.options, find)


def _check_id(seed: Row, run: RecordedRun, find: Find) -> None:
    """Check an id that was computed from the content."""
    if run.options.id_column is not None or not 0 <= seed["label"] < len(run.label_names):
        return
    expected = content_id(seed["premise"], seed["hypothesis"], run.label_names[seed["label"]])
    if not re.fullmatch(rf"{expected}(-[1-9][0-9]*)?", seed["seed_id"]):
        find("seed_id", f"is {quoted(seed['seed_id'])}; premise, hypothesis and label give {quoted(expected)}")


def _check_counts(name: str, counts: dict[str, int], rows: Sequence[Row], options: Options, find: Find) -> None:
    """Compare the counts of a word class with its variants, of which there are none if there would be too few."""
    found = Counter(row["original"] for row in rows if row["word_class"] == name)
    if found:
        if found != Counter({word: count for word, count in counts.items() if count}):
            find(f"{name}_variants", f"is {quoted(counts)}; config all has {quoted(dict(found))}")
    elif sum(counts.values()) >= options.inflation and options.seeds_from is None:
        find(f"{name}_variants", f"is {quoted(counts)}, enough for config {name}; config all has none")


def check_seed_columns(row: Row, seed: Row, keep_column: Sequence[str], find: Find) -> None:
    """Compare the columns that a variant copies from its seed.

    Args:
        row: A variant.
        seed: Its row of config `seed`.
        keep_column: Columns of the problems that both copy.
        find: Gets the findings.
    """
    columns = {"label": "label", "seed_premise": "premise", "seed_hypothesis": "hypothesis"}
    for column, seed_column in (columns | {name: name for name in keep_column}).items():
        if row[column] != seed[seed_column]:
            find(column, f"is {quoted(row[column])}; its seed has {quoted(seed[seed_column])}")
