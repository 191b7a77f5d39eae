"""Measure time and memory of `merge-snli validate` on enlarged copies of the bundled data set.

    python -m benchmarks.validation --copies 1 10 100

Each copy of a seed has a different id and therefore different subsamples. The command runs in a separate process;
memory is its maximum resident set size.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generation.options import Options, with_defaults
from generation.output.write_data import write_data
from generation.replacements.combine import Replacement
from generation.sentences.words import SharedWord
from generation.variants import Variant, subsample
from merge_snli.card.dataset_folder import card_and_record, data_record
from merge_snli.dataset.record import read_record
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.embedded import FOLDER
from merge_snli.problems.problem import Problem
from merge_snli.schema import ALL, SEED, TEST, data_file, features

Row = dict[str, Any]


def main() -> None:
    """Run the benchmark and print one line per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--copies", type=int, nargs="+", default=[1, 10], help="numbers of copies of each seed (default: 1 10)"
    )
    for copies in parser.parse_args().copies:
        with tempfile.TemporaryDirectory() as folder:
            variants = enlarge(Path(folder) / "merge_snli", copies)
            seconds, peak = measure(Path(folder) / "merge_snli")
        sys.stdout.write(f"{variants:,} variants: {seconds:.1f} s, {peak / 2**20:.0f} MiB\n")


def enlarge(folder: Path, copies: int) -> int:
    """Write the bundled data set with `copies` copies of every seed, and return its number of variants."""
    record = read_record(FOLDER.parent / RUN_FILE)
    options = Options(**with_defaults(record.options))
    labels = record.label_names
    parts = folder.with_name("parts")
    files: dict[str, list[Path]] = {ALL: [], SEED: []}
    parts.mkdir()
    for config, of_config in files.items():
        rows = pq.read_table(FOLDER.parent / data_file(config, TEST), partitioning=None).to_pylist()
        for copy in range(copies):
            copied = [renamed(row, copy) for row in rows]
            table = copied if config == SEED else subsampled(copied, options)
            of_copy = parts / f"{config}-{copy}.parquet"
            pq.write_table(pa.Table.from_pylist(table, features(config, labels, options.classes).arrow_schema), of_copy)
            of_config.append(of_copy)
    folder.mkdir()
    configs = write_data(folder, files[ALL], files[SEED], options, labels)
    record = replace(record, configs=configs, data=data_record(folder, configs))
    for name, content in card_and_record(record, folder).items():
        (folder / name).write_bytes(content)
    return configs[ALL].rows


def renamed(row: Row, copy: int) -> Row:
    """Return a row with the ids of a copy."""
    row = row | {"seed_id": f"{copy:06}-{row['seed_id']}"}
    if "variant_id" in row:
        row["variant_id"] = f"{copy:06}-{row['variant_id']}"
    return row


def subsampled(rows: list[Row], options: Options) -> list[Row]:
    """Select the subsamples again, since a subsample depends on the seed id."""
    out = []
    for _, of_class in groupby(rows, key=lambda row: (row["seed_id"], row["word_class"])):
        group = list(of_class)
        subsamples = subsample(
            [variant_of(row) for row in group],
            inflation=options.inflation,
            subsamples=options.subsamples,
            random_seed=options.random_seed,
        )
        out += [row | {"subsamples": subsamples[row["variant_id"]]} for row in group]
    return out


def variant_of(row: Row) -> Variant:
    """Return the fields of a row that a subsample uses, as a variant."""
    word = SharedWord(row["original"], row["word_class"], (), ())
    return Variant(Problem(row["seed_id"], "", "", 0), word, Replacement(row["replacement"], (), (), 0.0))


def measure(folder: Path) -> tuple[float, int]:
    """Run `validate` in a separate process; return its seconds and its maximum resident set size in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen([str(Path(sys.executable).with_name("merge-snli")), "validate", str(folder)])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"validate failed with exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
