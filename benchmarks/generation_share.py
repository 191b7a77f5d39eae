"""Measure the share of a generation run that is not spent in masked LMs, and its peak memory.

    python -m benchmarks.generation_share --problems snli/test.jsonl --limit 1000

The masked LMs have the architectures of the preset `paper` and random weights. With random weights, about half of the
200 fillers are more probable than the original; with the trained models of the paper it is a tenth (Table 6). So more
words are tagged, and the measured share is an upper bound. Use `--mlm` to measure with other masked LMs.

`--layers 1` makes the models shallow: the run is much faster, and the memory of the other stages is unchanged.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.shared import SHAPES, forms_of, peak_mebibytes, reset_peak, save_masked_lm
from generation.masked_lms.loading import find_masked_lms
from generation.options import Options
from generation.pipeline import run_pipeline
from merge_snli.base.progress import Progress, Stage

# Target for the share of everything except masked LMs.
MAX_SHARE = 0.10


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="problem file (default: the bundled problems)")
    parser.add_argument("--limit", type=int, default=200, help="number of problems (default: 200)")
    parser.add_argument("--mlm", nargs="+", help="masked LMs to use instead of random ones")
    parser.add_argument(
        "--shapes",
        nargs="+",
        default=list(SHAPES),
        choices=SHAPES,
        help="architectures of the random masked LMs (default: all)",
    )
    parser.add_argument("--layers", type=int, help="number of layers (default: that of the architecture)")
    parser.add_argument("--inflation", type=int, default=1, help="degree of inflation (default: 1)")
    parser.add_argument(
        "--folder", type=Path, help="folder for masked LMs and data set, so that an interrupted run can resume"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        mlms = arguments.mlm or random_masked_lm_folders(
            folder / f"masked_lms-{arguments.layers or 'whole'}", arguments
        )
        names = {source.name for source in find_masked_lms(mlms)}
        options = Options(
            problems=arguments.problems, limit=arguments.limit, mlm=tuple(mlms), inflation=arguments.inflation
        )
        reset_peak()
        start = time.monotonic()
        progress = Progress()
        run_pipeline(options, folder / "merge_snli", progress=progress)
        wall = time.monotonic() - start
    sys.stdout.write(f"{table(progress.stages, wall, names)}peak memory: {peak_mebibytes():,.0f} MiB\n")


def random_masked_lm_folders(folder: Path, arguments: argparse.Namespace) -> list[str]:
    """Return the folders of the random masked LMs, creating them if they do not exist."""
    texts = [form.text for form in forms_of(arguments.problems, arguments.limit).values()]
    for name in arguments.shapes:
        fewer = {"num_hidden_layers": arguments.layers} if arguments.layers else {}
        if not (folder / name / "model.safetensors").exists():
            save_masked_lm(folder / name, texts, SHAPES[name] | fewer)
    return [str(folder / name) for name in arguments.shapes]


def table(stages: list[Stage], wall: float, mlms: set[str]) -> str:
    """Format the time of each stage and the share of the wall time that is not masked LMs.

    Args:
        stages: The stages of the run.
        wall: Seconds of the whole run, including the time between stages.
        mlms: The names of the stages that are masked LMs.
    """
    between = wall - sum(stage.seconds for stage in stages)
    others = wall - sum(stage.seconds for stage in stages if stage.name in mlms)
    rows = ["| stage | work | seconds | share |", "| --- | --- | --- | --- |"]
    for stage in stages:
        rows.append(
            f"| {stage.name} | {stage.done:,} {stage.unit} | {stage.seconds:.1f} | {stage.seconds / wall:.1%} |"
        )
    rows.append(f"| between stages | | {between:.1f} | {between / wall:.1%} |")
    return "\n".join([*rows, "", f"not masked LMs: {others / wall:.1%} (at most {MAX_SHARE:.0%})", ""])


if __name__ == "__main__":
    main()
