"""The share of a run's time that is not masked LMs (reading, tagging, filters, sets, writing), and its peak memory.

    python -m benchmarks.generation_share --problems snli/test.jsonl --limit 1000

The masked LMs have the shapes of the preset `paper`'s eight and random weights. These find about half of the 200
fillers more probable than the original, where the paper's masked LMs find a tenth (its Table 6), so that more words are
tagged than with trained ones: the share is an upper bound. `--mlm` takes others instead, such as the embedded ones.

`--layers 1` makes all of them shallow, which leaves the memory of everything else as it is in a fraction of the time.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.generation_memory import forget_peak, memory
from benchmarks.real_forms import forms_of
from benchmarks.shaped_masked_lms import SHAPES, save_masked_lm
from generation.masked_lms.loading import find_masked_lms
from generation.options import Options
from generation.pipeline import generate
from merge_snli.progress import Progress, Stage

BAR = 0.10
"""The share of everything else should be at most this."""


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="a file of problems (default: the embedded ones)")
    parser.add_argument("--limit", type=int, default=200, help="how many problems (default: 200)")
    parser.add_argument("--mlm", nargs="+", help="masked LMs instead of those of the paper's shapes")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=SHAPES, help="which of the paper's shapes")
    parser.add_argument("--layers", type=int, help="how many layers each has (default: its shape's own)")
    parser.add_argument("--inflation", type=int, default=1, help="variants a seed must have (default: 1)")
    parser.add_argument("--folder", type=Path, help="keep masked LMs and data set there, to go on where it stopped")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        mlms = arguments.mlm or made_masked_lms(folder / f"masked_lms-{arguments.layers or 'whole'}", arguments)
        names = {source.name for source in find_masked_lms(mlms)}
        options = Options(
            problems=arguments.problems, limit=arguments.limit, mlm=tuple(mlms), inflation=arguments.inflation
        )
        forget_peak()
        begun = time.monotonic()
        stages = stages_of(options, folder / "merge_snli")
        wall = time.monotonic() - begun
    sys.stdout.write(f"{table(stages, wall, names)}peak memory: {memory()['peak']:,.0f} MiB\n")


def made_masked_lms(folder: Path, arguments: argparse.Namespace) -> list[str]:
    """Return the folders of masked LMs of some of the paper's shapes, which are made where they are not there."""
    texts = [form.text for form in forms_of(arguments.problems, arguments.limit).values()]
    for name in arguments.shapes:
        fewer = {"num_hidden_layers": arguments.layers} if arguments.layers else {}
        if not (folder / name / "model.safetensors").exists():
            save_masked_lm(folder / name, texts, SHAPES[name] | fewer)
    return [str(folder / name) for name in arguments.shapes]


def stages_of(options: Options, out: Path) -> list[Stage]:
    """Run the whole pipeline and return its stages, which it logs at its end."""
    seen: list[Progress] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.extend(each for each in record.args or () if isinstance(each, Progress))

    logger = logging.getLogger("generation.pipeline")
    logger.addHandler(Handler())
    logger.setLevel(logging.INFO)
    generate(options, out)
    return seen[-1].stages


def table(stages: list[Stage], wall: float, mlms: set[str]) -> str:
    """Return what each stage took, and the share of the wall time that is not masked LMs.

    Args:
        stages: The stages of the run.
        wall: What the whole run took in seconds, with what no stage counts: finding and checking what it needs.
        mlms: The stages that are masked LMs.
    """
    between = wall - sum(stage.seconds for stage in stages)
    others = wall - sum(stage.seconds for stage in stages if stage.name in mlms)
    lines = [(stage.name, f"{stage.done:,} {stage.unit}", stage.seconds) for stage in stages]
    rows = [
        f"| {name} | {did} | {seconds:.1f} | {seconds / wall:.1%} |"
        for name, did, seconds in (*lines, ("between stages", "", between))
    ]
    head = ["| stage | did | seconds | share |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows, "", f"not masked LMs: {others / wall:.1%} (at most {BAR:.0%})", ""])


if __name__ == "__main__":
    main()
