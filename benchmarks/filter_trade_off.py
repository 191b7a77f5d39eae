"""Measure the filters for readable variants: seeds and variants that remain, and the share of good variants.

    python -m benchmarks.filter_trade_off --snli snli/test.jsonl --work work

Generates a data set per filter from the bundled problems and from the first 3,000 problems of SNLI test, with the two
bundled masked LMs. All runs share the work folder, so that masked LM answers are computed once. The scores of the
variants are in `annotation_study.csv` (400 variants of the plain method) and `filter_study.csv` (top-ups, and variants
of the bundled data set), by variant id.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from generation import Options
from generation.options import DEMO_FILTERS
from generation.pipeline import run_pipeline
from merge_snli.annotation.scores import Share, share
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import Column, Table
from merge_snli.schema import ALL, GOOD, TEST, data_file

FOLDER = Path(__file__).parent
POOL, STUDY = FOLDER / "annotation_study.csv", FOLDER / "filter_study.csv"
BUNDLED, SNLI = "merge_snli", "snli_test_3000"
"""The names of the data sets in the files of scores."""

POOL_SEED = 1
"""The random seed of the pool's draw: `merge-snli annotate sample --random-seed 1`."""
POOL_PROBLEMS = 207
"""The bundled problems when the pool was drawn; later ones have larger numbers."""
POOL_INFLATION = 20
DEGREES = (20, 10)
TOP_UP = "top-up"
SCORE_COLUMNS = ("F_a1", "R_a1", "F_a2", "R_a2")

FILTERS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "--articles": {"articles": True},
    "--same-tag": {"same_tag": True},
    **{f"--min-log-odds {margin}": {"min_log_odds": float(margin)} for margin in (1, 2, 3)},
    **{f"--max-rank {rank}": {"max_rank": rank} for rank in (100, 50, 30, 20, 10)},
    "--min-mlms 2": {"min_mlms": 2},
    "--min-mlms 2 --max-rank 100": {"min_mlms": 2, "max_rank": 100},
    "--min-mlms 2 --max-rank 30": {"min_mlms": 2, "max_rank": 30},
    "--same-tag --articles --max-rank 30": {"same_tag": True, "articles": True, "max_rank": 30},
    **{f"those of demo with --max-rank {rank}": {**DEMO_FILTERS, "max_rank": rank} for rank in (50, 20, 10)},
    "those of demo": DEMO_FILTERS,
}
NONE = next(iter(FILTERS))


@dataclass(frozen=True)
class Variants:
    """The variants that one filter keeps, for any degree of inflation.

    Attributes:
        classes: By variant id, its seed and word class.
    """

    classes: Mapping[str, tuple[str, str]]

    def at(self, inflation: int) -> set[str]:
        """Return the ids of the variants of seeds with enough variants of their class."""
        sizes = Counter(self.classes.values())
        return {identity for identity, pair in self.classes.items() if sizes[pair] >= inflation}

    def counts(self, inflation: int) -> tuple[int, int]:
        """Count the seeds and variants at a degree of inflation."""
        ids = self.at(inflation)
        return len({self.classes[identity][0] for identity in ids}), len(ids)


def main() -> None:
    """Generate the data sets and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snli", type=Path, required=True, metavar="FILE", help="SNLI test as JSON lines")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="work folder")
    arguments = parser.parse_args()
    sources: dict[str, dict[str, Any]] = {
        BUNDLED: {"problems": "demo:problems", "id_column": "id"},
        SNLI: {"problems": str(arguments.snli), "limit": 3000},
    }
    by_filter = {
        (name, label): variants(options | dict(chosen), arguments.work)
        for name, options in sources.items()
        for label, chosen in FILTERS.items()
    }
    sys.stdout.write(trade_off(by_filter).markdown())
    for sample, good in read_samples().items():
        sys.stdout.write(f"{sample}: {len(good)} judged, {percent(share(good))} good\n")


def trade_off(by_filter: Mapping[tuple[str, str], Variants]) -> Table:
    """Return the table: seeds and variants per filter, data set and degree of inflation, and the share of good ones."""
    scores = read_scores()
    counts = {key: [kept.counts(degree) for degree in DEGREES] for key, kept in by_filter.items()}
    rows = tuple(
        (
            label,
            *(f"{seeds:,} / {kept:,}" for name in (BUNDLED, SNLI) for seeds, kept in counts[name, label]),
            *judged(label, by_filter, scores),
        )
        for label in FILTERS
    )
    titles = (*(f"{title}, d = {degree}" for title in ("bundled", "SNLI") for degree in DEGREES), "judged", "good (%)")
    return Table(columns=(Column("filter", "left"), *map(Column, titles)), rows=rows)


def variants(options: Mapping[str, Any], work: Path) -> Variants:
    """Generate a data set and return all its variants."""
    with tempfile.TemporaryDirectory() as out:
        run = Options(mlm=("demo:mlm-wordpiece", "demo:mlm-bpe"), inflation=1, subsamples=1, **options)
        run_pipeline(run, Path(out) / "data", work=work, quiet=True)
        table = pq.read_table(Path(out) / "data" / data_file(ALL, TEST))
    keys = zip(table["seed_id"].to_pylist(), table["word_class"].to_pylist(), strict=True)
    return Variants(dict(zip(table["variant_id"].to_pylist(), keys, strict=True)))


def read_scores() -> dict[tuple[str, str], bool]:
    """Return whether each judged variant of the plain method is good, by data set and variant id."""
    rows = [*read_csv(POOL), *(row for row in read_csv(STUDY) if row["sample"] == TOP_UP)]
    return {(row["data_set"], row["variant_id"]): is_good(row) for row in rows}


def read_samples() -> dict[str, list[bool]]:
    """Return whether each judged variant of the bundled data set, and of its seeds without filters, is good."""
    samples: dict[str, list[bool]] = {}
    for row in read_csv(STUDY):
        if row["sample"] != TOP_UP:
            samples.setdefault(row["sample"], []).append(is_good(row))
    return samples


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file of scores."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_good(row: Mapping[str, str]) -> bool:
    """Return whether the means of F and R over the two annotators add up to a good variant."""
    return sum(int(row[name]) for name in SCORE_COLUMNS) >= 2 * GOOD


def judged(
    label: str, by_filter: Mapping[tuple[str, str], Variants], scores: Mapping[tuple[str, str], bool]
) -> list[Any]:
    """Return how many variants of a filter were judged, and the share of good ones with its interval.

    The variants of a filter are those of the population that the pool was drawn from, as far as the filter keeps them.
    They are judged in one random order, so the first of them that have scores are a random sample.
    """
    good = [
        scores[name, identity]
        for name in (BUNDLED, SNLI)
        for identity in first(population(by_filter, name, label), {key for data_set, key in scores if data_set == name})
    ]
    return [len(good), percent(share(good))]


def percent(value: Share) -> str:
    """Format a share with its interval, in percent."""
    return f"{100 * value.share:.1f} ({100 * value.interval.low:.0f} to {100 * value.interval.high:.0f})"


def population(by_filter: Mapping[tuple[str, str], Variants], name: str, label: str) -> list[str]:
    """Return the variants that a filter keeps of those that the pool was drawn from, in the order of its draw."""
    plain = by_filter[name, NONE].at(POOL_INFLATION) & by_filter[name, label].classes.keys()
    ids = [
        identity for identity in plain if name != BUNDLED or int(identity.split(":")[0].split("-")[1]) <= POOL_PROBLEMS
    ]
    return sorted(ids, key=lambda identity: sha256_of_json([POOL_SEED, identity]))


def first(ordered: Iterable[str], known: set[str]) -> list[str]:
    """Return the variants before the first one without a score."""
    ids: list[str] = []
    for identity in ordered:
        if identity not in known:
            break
        ids.append(identity)
    return ids


if __name__ == "__main__":
    main()
