"""Measure the filters for readable variants: the shares of good variants in the studies, and the seeds that remain.

    python -m benchmarks.readable_variants --problems snli/test.jsonl mnli/dev_matched.jsonl --work work

The first table is computed from the scores in `*_study.csv`, by variant id. The second has the tests of the veto. The
third counts the seeds and variants of the presets, and of `strict` without each of its filters, with the two bundled
masked LMs. All runs share the work folder, so that masked LMs answer once.
"""

import argparse
import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from scipy.stats import fisher_exact

from generation.options import PRESETS
from generation.pipeline import generate
from merge_snli.annotation.scores import share
from merge_snli.base.table import Cell, Column, Table
from merge_snli.schema import ALL, GOOD, TEST, data_file

MASKED_LMS = PRESETS["demo"]["mlm"]
DEGREES = (20, 10, 5)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", help="files of problems")
    parser.add_argument("--limit", type=int, help="problems of each file; default: all")
    parser.add_argument("--work", type=Path, help="work folder; default: a temporary one")
    arguments = parser.parse_args()
    sys.stdout.write(f"{shares().markdown()}\n{veto_tests().markdown()}")
    for problems in arguments.problems or ():
        with TemporaryDirectory() as folder:
            counts = seeds_and_variants(problems, arguments.limit, Path(folder), arguments.work or Path(folder, "work"))
        sys.stdout.write(f"\n{problems}\n\n{counts.markdown()}")


def shares() -> Table:
    """Return the share of good variants of each sample of the studies, with Wilson's 95% intervals."""
    samples: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for sample, source, is_good in judged():
        samples[sample, source].append(is_good)
    rows: list[tuple[Cell, ...]] = []
    for (sample, source), good in sorted(samples.items()):
        found = share(good)
        low, high = 100 * found.interval.low, 100 * found.interval.high
        rows.append((sample, source, found.variants, f"{100 * found.share:.1f} ({low:.0f} to {high:.0f})"))
    columns = (Column("sample", "left"), Column("problems", "left"), Column("judged"), Column("good (%)"))
    return Table(columns=columns, rows=tuple(rows))


def veto_tests() -> Table:
    """Return Fisher's exact test of what the veto keeps, in both studies of it.

    The samples of the first study have variants in common, so that its p-value is only a rough guide.
    """
    good: defaultdict[str, list[bool]] = defaultdict(list)
    for sample, _, is_good in judged():
        good[sample].append(is_good)
    overlap = sum(row["filters"] == "veto and strict" for row in _read("veto_study.csv"))
    rows: list[tuple[Cell, ...]] = []
    for study, kept, other, in_both in (
        ("strict", "strict, vetoed: false", "strict, vetoed: true", 0),
        ("first", "first study of the veto: veto", "first study of the veto: strict", overlap),
    ):
        counts = [(sum(good[sample]), len(good[sample])) for sample in (kept, other)]
        p_value = float(fisher_exact(np.array([[right, of - right] for right, of in counts])).pvalue)
        cells = [f"{right} of {judged_of}" for right, judged_of in counts]
        rows.append((study, *cells, in_both, f"{p_value:.1g}"))
    names = ("kept by the veto", "without the veto or dropped by it", "in both", "p")
    return Table(columns=(Column("study", "left"), *map(Column, names)), rows=tuple(rows))


def judged() -> Iterator[tuple[str, str, bool]]:
    """Yield the sample and source of each judged variant, and whether it is good by its mean scores."""
    for row in _read("preset_study.csv"):
        total = sum(int(row[name]) for name in ("F_a1", "R_a1", "F_a2", "R_a2"))
        for preset in row["filters"].split(" and "):
            yield f"presets, {row['sample']} sample: {preset}", row["source"], total >= 2 * GOOD
    for row in _read("veto_study.csv"):
        total = int(row["F"]) + int(row["R"])
        for preset in row["filters"].split(" and "):
            yield f"first study of the veto: {preset}", row["source"], total >= GOOD
    for study, column in (("strict", "vetoed"), ("options", "dropped_by")):
        totals: Counter[tuple[str, str, str]] = Counter()
        for row in _read(f"{study}_study.csv"):
            totals[row[column], row["source"], row["variant_id"]] += int(row["F"]) + int(row["R"])
        for (value, source, _), total in totals.items():
            yield f"{study}, {column}: {value or 'none'}", source, total >= 2 * GOOD


def seeds_and_variants(problems: str, limit: int | None, folder: Path, work: Path) -> Table:
    """Count the seeds and variants that filters leave.

    Args:
        problems: A file of problems.
        limit: The number of problems; None for all.
        folder: Where the data sets are written.
        work: The work folder.
    """
    rows = []
    for number, (name, chosen) in enumerate(chosen_filters().items()):
        options = {**chosen, "mlm": MASKED_LMS, "inflation": 1, "subsamples": 1}
        generate(problems, out=folder / str(number), work=work, quiet=True, limit=limit, **options)
        variants = pq.read_table(folder / str(number) / data_file(ALL, TEST), columns=["seed_id", "word_class"])
        sizes = Counter(zip(*variants.to_pydict().values(), strict=True))
        cells = []
        for degree in DEGREES:
            enough = {key: size for key, size in sizes.items() if size >= degree}
            seeds = {seed for seed, _ in enough}
            cells.append(f"{len(seeds):,} / {sum(enough.values()):,}")
        rows.append((name, *cells))
    degrees = (Column(f"d = {degree}") for degree in DEGREES)
    return Table(columns=(Column("filters", "left"), *degrees), rows=tuple(rows))


def chosen_filters() -> dict[str, dict[str, Any]]:
    """Return the options of each row: no filters, presets, and `strict` without each of its filters."""
    strict = dict(PRESETS["strict"])
    rows = {"none": {}, "strict": strict, "balanced": dict(PRESETS["balanced"]), "demo": dict(PRESETS["demo"])}
    for left_out in strict:
        if left_out != "classes":
            rows[f"strict without {left_out}"] = {name: value for name, value in strict.items() if name != left_out}
    return rows


def _read(study: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(study).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
