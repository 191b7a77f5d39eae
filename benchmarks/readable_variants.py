"""Measure the filters for readable variants: the shares of good variants in the studies, and the seeds that remain.

    python -m benchmarks.readable_variants --problems snli/test.jsonl mnli/dev_matched.jsonl --work work

The first table is computed from the scores in `*_study.csv`, by variant id. The second counts the seeds and variants of
the presets, and of `strict` without each of its filters, with the two bundled masked LMs. All runs share the work
folder, so that masked LMs answer once.
"""

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from generation.options import PRESETS
from generation.pipeline import generate
from merge_snli.annotation.scores import share
from merge_snli.base.table import Column, Table
from merge_snli.schema import ALL, GOOD, TEST, data_file

MASKED_LMS = PRESETS["demo"]["mlm"]
DEGREES = (20, 10, 5)
STRICT = PRESETS["strict"]

FILTERS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    **{name: {**PRESETS[name], "mlm": MASKED_LMS} for name in ("strict", "balanced", "demo")},
    **{
        f"strict without {left_out}": {name: value for name, value in STRICT.items() if name != left_out}
        for left_out in STRICT
        if left_out != "classes"
    },
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", help="files of problems")
    parser.add_argument("--limit", type=int, help="problems of each file; default: all")
    parser.add_argument("--work", type=Path, help="work folder; default: a temporary one")
    arguments = parser.parse_args()
    sys.stdout.write(shares().markdown())
    for problems in arguments.problems or ():
        with TemporaryDirectory() as folder:
            counts = seeds_and_variants(problems, arguments.limit, Path(folder), arguments.work or Path(folder, "work"))
        sys.stdout.write(f"\n{problems}\n\n{counts.markdown()}")


def shares() -> Table:
    """Return the share of good variants of each sample of the studies, with Wilson's 95% intervals."""
    samples: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for sample, source, is_good in judged():
        samples[sample, source].append(is_good)
    rows = []
    for key, good in sorted(samples.items()):
        of_sample = share(good)
        interval = f"{100 * of_sample.interval.low:.0f} to {100 * of_sample.interval.high:.0f}"
        rows.append((*key, of_sample.variants, f"{100 * of_sample.share:.1f} ({interval})"))
    return Table(
        columns=(*(Column(name, "left") for name in ("sample", "problems")), *map(Column, ("judged", "good (%)"))),
        rows=tuple(rows),
    )


def judged() -> Iterator[tuple[str, str, bool]]:
    """Yield the sample and source of each judged variant, and whether it is good by its mean scores."""
    for row in _read("preset_study.csv"):
        scores = [int(row[name]) for name in ("F_a1", "R_a1", "F_a2", "R_a2")]
        for preset in row["filters"].split(" and "):
            yield f"presets, {row['sample']} sample: {preset}", row["source"], sum(scores) >= 2 * GOOD
    for row in _read("veto_study.csv"):
        for preset in row["filters"].split(" and "):
            yield f"first study of the veto: {preset}", row["source"], int(row["F"]) + int(row["R"]) >= GOOD
    for study, column in (("strict_study.csv", "vetoed"), ("options_study.csv", "dropped_by")):
        by_variant: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
        for row in _read(study):
            by_variant[row[column], row["source"], row["variant_id"]] += [int(row["F"]), int(row["R"])]
        for (value, source, _), scores in by_variant.items():
            yield f"{study.removesuffix('_study.csv')}, {column}: {value or 'none'}", source, sum(scores) >= 2 * GOOD


def seeds_and_variants(problems: str, limit: int | None, folder: Path, work: Path) -> Table:
    """Count the seeds and variants that filters leave.

    Args:
        problems: A file of problems.
        limit: The number of problems; None for all.
        folder: Where the data sets are written.
        work: The work folder.
    """
    rows = []
    for number, (name, chosen) in enumerate(FILTERS.items()):
        options = {**chosen, "mlm": MASKED_LMS, "inflation": 1, "subsamples": 1}
        generate(problems, out=folder / str(number), work=work, quiet=True, limit=limit, **options)
        variants = pq.read_table(folder / str(number) / data_file(ALL, TEST), columns=["seed_id", "word_class"])
        sizes = Counter(zip(*variants.to_pydict().values(), strict=True))
        of_degrees = ({key: size for key, size in sizes.items() if size >= degree} for degree in DEGREES)
        rows.append(
            (name, *(f"{len({seed for seed, _ in enough}):,} / {sum(enough.values()):,}" for enough in of_degrees))
        )
    degrees = (Column(f"d = {degree}") for degree in DEGREES)
    return Table(columns=(Column("filters", "left"), *degrees), rows=tuple(rows))


def _read(study: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(study).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
