"""Check the rows of configs `all` and `seed`, seed by seed."""

from __future__ import annotations

from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING

from merge_snli.schema import ALL
from merge_snli.validation.finding import quoted
from merge_snli.validation.in_place import check_in_place
from merge_snli.validation.parquet import read_column
from merge_snli.validation.recorded_run import SEEDS, VARIANTS
from merge_snli.validation.seed import read_seeds
from merge_snli.validation.seeds import check_seed
from merge_snli.validation.variants import check_variants

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from merge_snli.validation.collector import Collector
    from merge_snli.validation.recorded_run import RecordedRun
    from merge_snli.validation.resources import Resources


def check_rows(folder: Path, run: RecordedRun, resources: Resources, collector: Collector) -> None:
    """Check the rows of configs `all` and `seed`.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        resources: The tagger and WordNet of the run.
        collector: Gets the findings and counts.
    """
    groups = [(seed_id, sum(1 for _ in group)) for seed_id, group in groupby(read_column(folder / VARIANTS, "seed_id"))]
    seed_ids = list(read_column(folder / SEEDS, "seed_id"))
    if not _check_seed_ids([seed_id for seed_id, _ in groups], seed_ids, collector):
        return
    for batch in read_seeds(folder, [count for _, count in groups], resources.tagger, run.options):
        check_in_place(batch, run.options, resources, collector)
        for seed in batch:
            collector.count("seeds")
            collector.count("variants", len(seed.variants))
            check_seed(seed, run, collector)
            check_variants(seed, run, collector)


def _check_seed_ids(found: Sequence[str], seeds: Sequence[str], collector: Collector) -> bool:
    """Return whether the variants have the seeds of config `seed` in ascending order; report the first difference."""
    for number, (seed_id, expected) in enumerate(zip_longest(seeds, found)):
        if seed_id != expected:
            problem = "is missing" if seed_id is None else f"is {quoted(seed_id)}"
            of_all = "has no more seeds" if expected is None else f"has the seed {quoted(expected)} next"
            collector.find(SEEDS, number, "seed_id", f"{problem}; config {ALL} {of_all}")
            return False
    for number, (seed_id, following) in enumerate(pairwise(seeds), 1):
        if following <= seed_id:
            collector.find(
                SEEDS, number, "seed_id", f"{quoted(following)} is out of order: it follows {quoted(seed_id)}"
            )
            return False
    return True
