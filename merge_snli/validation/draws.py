"""Check the degree of inflation, and compute the draws of the subsamples again."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from generation.replacements.combine import Replacement
from generation.sentences.words import SharedWord
from generation.variants.draws import draw
from generation.variants.variant import Variant
from merge_snli.problems.reading import Problem
from merge_snli.validation.finding import quoted
from merge_snli.validation.seed_groups import VARIANTS

if TYPE_CHECKING:
    from generation.options import Options
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.seed_groups import Row, SeedGroup


def check_draws(group: SeedGroup, options: Options, collector: Collector) -> None:
    """Check the number of variants per word class of a seed, and their subsamples.

    Args:
        group: The variants of one seed.
        options: The options of the run.
        collector: Gets the findings and counts.
    """
    first = group.first
    for word_class, of_class in groupby(group.rows, key=lambda row: str(row["word_class"])):
        rows = list(of_class)
        collector.count("draws", options.subsamples)
        if len(rows) < options.inflation:
            message = f"has {len(rows)} variants of class {word_class}, fewer than the {options.inflation} required"
            collector.find(VARIANTS, first, "seed_id", f"{quoted(group.seed_id)} {message}")
        variants = [_variant(row) for row in rows]
        drawn = draw(
            variants,
            inflation=options.inflation,
            subsamples=options.subsamples,
            random_seed=options.random_seed,
        )
        for number, (row, variant) in enumerate(zip(rows, variants, strict=True), first):
            expected = list(drawn[variant.id])
            if row["subsamples"] != expected:
                message = f"is {quoted(row['subsamples'])}; the random seed gives {quoted(expected)}"
                collector.find(VARIANTS, number, "subsamples", message)
        first += len(rows)


def _variant(row: Row) -> Variant:
    """Return the parts of a variant that a draw reads."""
    word = SharedWord(row["original"], row["word_class"], (), ())
    return Variant(Problem(row["seed_id"], "", "", 0), word, Replacement(row["replacement"], (), (), 0.0))
