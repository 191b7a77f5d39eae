"""The degree of inflation and the draws: each seed and class has enough variants, and each draw is the run's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.replacements.combine import Replacement
from generation.sentences.words import SharedWord
from generation.variants.draws import draw
from generation.variants.variant import Variant
from merge_snli.problems.reading import Problem
from merge_snli.validation.finding import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options
    from merge_snli.validation.variants import Row


def check_group(rows: Sequence[Row], options: Options) -> Iterator[tuple[int, str, str]]:
    """Yield what is wrong with the variants of one seed and class, as place in the group, column and message.

    Args:
        rows: All of them, from the split that holds each variant once.
        options: The options of the run; `inflation`, `subsamples` and `random_seed` are read.
    """
    if len(rows) < options.inflation:
        message = f"{len(rows)} variants of class {rows[0]['word_class']}, fewer than the {options.inflation} needed"
        yield 0, "seed_id", f"{quoted(rows[0]['seed_id'])} has {message}"
    drawn = draw(
        [_variant(row) for row in rows],
        inflation=options.inflation,
        subsamples=options.subsamples,
        random_seed=options.random_seed,
    )
    for place, row in enumerate(rows):
        wanted = list(drawn[_variant(row).id])
        if row["subsamples"] != wanted:
            yield place, "subsamples", f"is {quoted(row['subsamples'])} where the run's seed draws {quoted(wanted)}"


def _variant(row: Row) -> Variant:
    """Return what a draw reads of a variant."""
    word = SharedWord(row["original"], row["word_class"], (), ())
    return Variant(Problem(row["seed_id"], "", "", 0), word, Replacement(row["replacement"], (), (), 0.0))
