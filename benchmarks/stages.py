"""Print the seconds of each stage of `generate` side by side: for numbers of workers, and for other revisions.

    git worktree add --detach ../before REVISION
    python -m benchmarks.stages --problems snli/test.jsonl --limit 3000 --runs ../before .:1 .:2

A run is a folder with a checkout and, after a colon, `workers`. The answers of the masked LMs are kept from the first
run on if there is `--folder`, so that only the other stages are compared. The exit code is 1 if the data files differ,
as they do between versions of the method.

`--simulate 8` measures the CPU time of each shard in one process of this checkout, and prints the time that the stages
would take if as many workers took the shards one after another, each on a core of its own, without their start.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.shared import processor

CODE = """
import json, resource, sys, time
start = time.monotonic()
from generation.options import Options
from generation.pipeline import run_pipeline
from merge_snli.base.progress import Progress
options, out, work, choices = json.loads(sys.argv[1])
progress = Progress()
data = run_pipeline(Options(**options), out, work=work, progress=progress, **choices)
times = {stage.name: stage.seconds for stage in progress.stages} | {"whole command": time.monotonic() - start}
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
times["CPU time"] = sum(usage.ru_utime + usage.ru_stime for usage in used)
print(json.dumps([data.digest, times]))
"""
ANSWERS = "suggestions"

# Before `CODE`: notes the CPU seconds of each item of a stage.
NOTE_ITEMS = """
import time
from merge_snli.base.stages import TaskShare
items = []
def taken(share, number):
    noted = []
    items.append(noted)
    for item in share.of(number):
        start = time.process_time()
        yield item
        noted.append(time.process_time() - start)
TaskShare.taken = taken
"""
PRINT_ITEMS = "print(json.dumps(items))"


def main() -> None:
    """Run each of the runs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", required=True, type=Path)
    parser.add_argument("--limit", type=int, default=3_000)
    parser.add_argument("--mlm", nargs="+", default=["demo:mlm-wordpiece", "demo:mlm-bpe"])
    parser.add_argument("--runs", nargs="+", default=[".:1", ".:2"])
    parser.add_argument("--folder", type=Path, help="folder that keeps the answers between runs")
    parser.add_argument("--simulate", type=int, nargs="+", metavar="WORKERS", help="numbers of workers")
    arguments = parser.parse_args()
    options = {"problems": str(arguments.problems.absolute()), "limit": arguments.limit, "mlm": arguments.mlm}
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        keep = arguments.folder is not None
        if arguments.simulate is not None:
            items = measure(".:1", options, folder, keep=keep, code=f"{NOTE_ITEMS}{CODE}{PRINT_ITEMS}")
            sys.stdout.write(f"{processor()}; load {os.getloadavg()[1]:.1f}\n{simulated(items, arguments.simulate)}")
            return
        measured = [measure(run, options, folder, keep=keep) for run in arguments.runs]
    sys.stdout.write(f"{processor()}; load {os.getloadavg()[1]:.1f}\n\n| stage | {' | '.join(arguments.runs)} |\n")
    sys.stdout.write(f"| --- |{' ---: |' * len(measured)}\n")
    for name in measured[0][1]:
        cells = [f"{seconds[name]:.1f}" for _, seconds in measured]
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
    if len({digest for digest, _ in measured}) > 1:
        raise SystemExit("the runs gave different data")


def simulated(stages: list[list[float]], workers: list[int]) -> str:
    """Return the time of each stage with numbers of workers that take its items in their order, as Markdown."""
    rows = ["| stage | items | workers | seconds | per core |\n| --- | ---: | ---: | ---: | ---: |"]
    for name, items in zip(("read and tag", "filters and sets"), stages, strict=True):
        for number in workers:
            ends = [0.0] * number
            for seconds in items:
                heapq.heapreplace(ends, ends[0] + seconds)
            share = sum(items) / (number * max(ends))
            rows.append(f"| {name} | {len(items)} | {number} | {max(ends):.1f} | {share:.0%} |")
    return "\n".join(rows) + "\n"


def measure(run: str, options: dict[str, object], folder: Path, *, keep: bool, code: str = CODE) -> Any:  # noqa: ANN401
    """Generate with one checkout in another process, and return what the last line of its output has.

    `CODE` gives the digest of the data and the seconds of each stage.
    """
    checkout, _, workers = run.partition(":")
    out, work = folder / "merge_snli", folder / "work"
    shutil.rmtree(out, ignore_errors=True)
    for path in work.glob("*"):
        if path.name == ANSWERS and keep:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    choices = {"workers": int(workers)} if workers else {}
    given = json.dumps([options, str(out), str(work), choices])
    environment = {**os.environ, "PYTHONPATH": str(Path(checkout).absolute())}
    done = subprocess.run(
        [sys.executable, "-c", code, given],
        env=environment,
        cwd=checkout,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
