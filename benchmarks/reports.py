"""Measure the commands that read data sets and results, on made-up data of any size.

    python -m benchmarks.reports --seeds 1000 --variants 116 --models 13 [--folder made-up]

With `--folder`, the data set and the results are kept for the next run, which measures the same commands again. Each
command runs in a process of its own, whose CPU seconds and maximum resident set size are those that the system counts.
`score` is one model that answers at once; the other models are scored without being measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.made_up_results import write_dataset
from benchmarks.shared import processor
from merge_snli.base.table import Column, Table

MERGE = (str(Path(sys.executable).with_name("merge-snli")),)

WRITE_RESULTS = """
import sys
from pathlib import Path
from benchmarks.made_up_results import write_results
dataset, out, first, end = sys.argv[1:]
write_results(Path(dataset), Path(out), range(int(first), int(end)))
"""


class Used(NamedTuple):
    """What a process used."""

    seconds: float
    cpu_seconds: float
    mebibytes: float


def main() -> None:
    """Write what is missing of the data, run every command, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1000, help="number of seeds (default: %(default)s)")
    parser.add_argument("--variants", type=int, default=116, help="variants of each seed (default: %(default)s)")
    parser.add_argument("--models", type=int, default=13, help="number of models, at least two (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="folder that keeps the data (default: none)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        if not (folder / "data" / "run.json").exists():
            write_dataset(folder / "data", seeds=arguments.seeds, variants=arguments.variants)
        rows = [(name, *used) for name, used in measure(folder, arguments.models)]
    columns = (Column("command", "left"), Column("seconds"), Column("CPU seconds"), Column("peak MiB", format=",.0f"))
    size = f"{arguments.seeds:,} seeds with {arguments.variants:,} variants each, {arguments.models:,} models"
    sys.stdout.write(f"{processor()}; load {os.getloadavg()[0]:.1f}\n{size}\n\n")
    sys.stdout.write(Table(columns=columns, rows=tuple(rows)).markdown())


def measure(folder: Path, models: int) -> Iterator[tuple[str, Used]]:
    """Run each command, and yield its name and what it used; results are written first, if they are not there."""
    data, results, out = (str(folder / name) for name in ("data", "results", "out"))
    write = (sys.executable, "-c", WRITE_RESULTS, data)
    with tempfile.TemporaryDirectory() as first:
        yield "score", run((*write, first, "0", "1"))
    if not Path(results).exists():
        run((*write, results, "0", str(models)))
    yield "validate", run((*MERGE, "validate", data))
    yield "compare", run((*MERGE, "compare", results))
    yield "compare --all-thresholds", run((*MERGE, "compare", results, "--all-thresholds"))
    yield "leaderboard", run((*MERGE, "leaderboard", results, "--out", f"{out}/leaderboard"))
    yield "explore", run((*MERGE, "explore", results, "--dataset", data, "--out", f"{out}/explorer"))
    yield "analyze", run((*MERGE, "analyze", results, "--dataset", data, "--out", f"{out}/analyses"))


def run(command: Sequence[str]) -> Used:
    """Run a command in a process of its own.

    Raises:
        SystemExit: If the command fails.
    """
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{output.read().decode()}")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Used(time.perf_counter() - start, cpu_seconds, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
