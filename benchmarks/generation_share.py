"""The share of a run's time that is not masked LMs: reading, tagging, filters, sets, writing.

    python -m benchmarks.generation_share --problems snli/test.jsonl --limit 300

The masked LMs have random weights and the shapes of the paper's, all of BERT's make: its slowest, albert-xxlarge-v2, is
left out, which makes the share of everything else larger. Random weights find nearly all of the 200 fillers more
probable than the original, so more words are tagged than with trained ones: the share is an upper bound in this too.
`--mlm` takes others instead, such as the embedded ones.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.real_forms import forms_of, save_bert
from generation.masked_lms.loading import find_masked_lms
from generation.options import Options
from generation.pipeline import generate
from generation.progress import Progress, Stage

BAR = 0.10
"""The share of everything else should be at most this."""

SHAPES = {
    "bert-base-cased": (28_996, 768, 12, 12, 3_072),
    "bert-large-cased": (28_996, 1_024, 24, 16, 4_096),
    "roberta-base": (50_265, 768, 12, 12, 3_072),
    "roberta-large": (50_265, 1_024, 24, 16, 4_096),
    "albert-base-v2": (30_000, 768, 12, 12, 3_072),
    "electra-base-generator": (30_522, 256, 12, 4, 1_024),
    "electra-large-generator": (30_522, 256, 24, 4, 1_024),
}
"""Pieces, width, layers, heads and width within a layer of the paper's masked LMs but one."""


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="a file of problems (default: the embedded ones)")
    parser.add_argument("--limit", type=int, default=200, help="how many problems (default: 200)")
    parser.add_argument("--mlm", nargs="+", help="masked LMs instead of those of the paper's shapes")
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=SHAPES, help="which of the paper's shapes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mlms = arguments.mlm or save_masked_lms(Path(folder), arguments.problems, arguments.limit, arguments.shapes)
        names = {source.name for source in find_masked_lms(mlms)}
        options = Options(problems=arguments.problems, limit=arguments.limit, mlm=tuple(mlms), inflation=1)
        begun = time.monotonic()
        stages = stages_of(options, Path(folder) / "merge_snli")
        wall = time.monotonic() - begun
    sys.stdout.write(table(stages, wall, names))


def save_masked_lms(folder: Path, problems: str, limit: int, names: list[str]) -> list[str]:
    """Save masked LMs of some of the paper's shapes and return their folders."""
    texts = [form.text for form in forms_of(problems, limit).values()]
    keys = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
    for name in names:
        (folder / name).mkdir()
        save_bert(folder / name, texts, dict(zip(keys, SHAPES[name], strict=True)))
    return [str(folder / name) for name in names]


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
