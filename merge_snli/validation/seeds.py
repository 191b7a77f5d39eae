"""Whether config `seed` holds the seed problems of the variants, with their shared words and how many each gave."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.problems.ids import content_id
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options
    from merge_snli.validation.seed_words import SeedWords
    from merge_snli.validation.variants import Row, Wrong


def check_seed(
    seed: Row, rows: Sequence[Row], words: SeedWords, options: Options, label_names: Sequence[str]
) -> Iterator[Wrong]:
    """Yield what of a seed's row disagrees with its variants or with the tagger.

    Args:
        seed: A row of config `seed`.
        rows: All its variants, of config `all`.
        words: The words of the seed, from its own sentences.
        options: The options of the run.
        label_names: Names of the labels in the order of their numbers.
    """
    yield from _check_id(seed, options, label_names)
    for name in options.classes:
        listed, counts = seed[f"{name}_words"], seed[f"{name}_variants"]
        if len(listed) != len(counts) or len(set(listed)) != len(listed) or any(count < 0 for count in counts):
            yield f"{name}_variants", f"is {quoted(counts)}: it should be one number a word of {name}_words"
            continue
        if words.shared is not None:
            shared = [w.text for w in words.shared.values() if w.word_class == name and w.left_out is None]
            if listed != shared:
                yield f"{name}_words", f"is {quoted(listed)} where the tagger finds {quoted(shared)}"
        yield from _check_counts(name, dict(zip(listed, counts, strict=True)), rows, options)


def _check_id(seed: Row, options: Options, label_names: Sequence[str]) -> Iterator[Wrong]:
    """Yield where an id that was made from the content is not that of this content."""
    if options.id_column is not None or not 0 <= seed["label"] < len(label_names):
        return
    wanted = content_id(seed["premise"], seed["hypothesis"], label_names[seed["label"]])
    if not re.fullmatch(rf"{wanted}(-[1-9][0-9]*)?", seed["seed_id"]):
        yield "seed_id", f"is {quoted(seed['seed_id'])} where premise, hypothesis and label give {quoted(wanted)}"


def _check_counts(name: str, counted: dict[str, int], rows: Sequence[Row], options: Options) -> Iterator[Wrong]:
    """Yield where the counts of a class are not those of its variants; there are none where they are too few."""
    found = Counter(row["original"] for row in rows if row["word_class"] == name)
    if found:
        if found != Counter({word: count for word, count in counted.items() if count}):
            yield f"{name}_variants", f"says {quoted(counted)} where config all has {quoted(dict(found))}"
    elif sum(counted.values()) >= options.inflation and options.seeds_from is None:
        yield f"{name}_variants", f"says {quoted(counted)}, enough for config {name}, where config all has none"


def check_row_of_seed(row: Row, seed: Row, kept: Sequence[str]) -> Iterator[Wrong]:
    """Yield what a variant has otherwise than its seed's row.

    Args:
        row: A variant.
        seed: Its row of config `seed`.
        kept: Columns of the source that both carry on.
    """
    pairs = {"label": "label", "seed_premise": "premise", "seed_hypothesis": "hypothesis"}
    for column, of_seed in (pairs | {name: name for name in kept}).items():
        if row[column] != seed[of_seed]:
            yield column, f"is {quoted(row[column])} where its seed has {quoted(seed[of_seed])}"
