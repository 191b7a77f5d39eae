"""Print the seconds of each stage of `generate` side by side: for numbers of workers, and for other revisions.

    git worktree add --detach ../before REVISION
    python -m benchmarks.stages --problems snli/test.jsonl --limit 3000 --runs ../before .:1 .:2

A run is a folder with a checkout and, after a colon, `workers`. The answers of the masked LMs are kept from the first
run on if there is `--folder`, so that only the other stages are compared. All data files must have the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.processor import processor

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


def main() -> None:
    """Run each of the runs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", required=True, type=Path)
    parser.add_argument("--limit", type=int, default=3_000)
    parser.add_argument("--mlm", nargs="+", default=["demo:mlm-wordpiece", "demo:mlm-bpe"])
    parser.add_argument("--runs", nargs="+", default=[".:1", ".:2"])
    parser.add_argument("--folder", type=Path, help="folder that keeps the answers between runs")
    arguments = parser.parse_args()
    options = {"problems": str(arguments.problems.absolute()), "limit": arguments.limit, "mlm": arguments.mlm}
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        measured = [measure(run, options, folder, keep=arguments.folder is not None) for run in arguments.runs]
    if len({digest for digest, _ in measured}) > 1:
        raise SystemExit("the runs gave different data")
    sys.stdout.write(f"{processor()}; load {os.getloadavg()[1]:.1f}\n\n| stage | {' | '.join(arguments.runs)} |\n")
    sys.stdout.write(f"| --- |{' ---: |' * len(measured)}\n")
    for name in measured[0][1]:
        sys.stdout.write(f"| {name} | {' | '.join(f'{seconds[name]:.1f}' for _, seconds in measured)} |\n")


def measure(run: str, options: dict[str, object], folder: Path, *, keep: bool) -> tuple[str, dict[str, float]]:
    """Generate with one checkout in another process, and return the digest of the data and the seconds."""
    checkout, _, workers = run.partition(":")
    out, work = folder / "merge_snli", folder / "work"
    for path in (out, *(path for path in work.glob("*") if not keep or path.name != ANSWERS)):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    given = json.dumps([options, str(out), str(work), {"workers": int(workers)} if workers else {}])
    environment = {**os.environ, "PYTHONPATH": str(Path(checkout).absolute())}
    done = subprocess.run(
        [sys.executable, "-c", CODE, given],
        env=environment,
        cwd=checkout,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    digest, seconds = json.loads(done.stdout)
    return digest, seconds


if __name__ == "__main__":
    main()
