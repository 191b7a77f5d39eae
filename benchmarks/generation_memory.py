"""Measure whether the memory of a generation run grows with the number of problems.

    python -m benchmarks.generation_memory --sizes 10000,100000,1000000

For each size, a file of synthetic problems is written and a separate process runs these stages:

- words: read and tag all problems and count the shared words, as `merge-snli tables` does.
- masked LMs: look up all forms in the answer stores, and ask the bundled masked LMs for the forms of the first shards.
- rows: create the rows of these shards.

The table shows peak and current resident memory after each stage.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.synthetic_problems import write_problems
from generation.answers.store import Store, cache_key_of
from generation.masked_lms.loading import load_masked_lm, load_vocabulary
from generation.options import Options
from generation.output.dataset import add_word_counts, count_words
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, forms_of_shard, read_words, tag_shard
from generation.sentences.tagging import InPlaceTagger
from generation.tasks import suggest
from generation.variant_shards import Method, make_standalone_counts, make_variant_shard
from merge_snli.base.progress import Progress
from merge_snli.embedded import MASKED_LMS, PREFIX
from merge_snli.models.finding import find_model
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.reading import open_source, stream_problems, survey_problems

KIBIBYTES_PER_MEBIBYTE = 1024
KEYS = {"peak": "VmHWM", "resident": "VmRSS"}
"""Fields of /proc/self/status."""

Memory = dict[str, Any]


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes",
        default="10000,100000,1000000",
        help="numbers of problems, separated by commas (default: %(default)s)",
    )
    parser.add_argument(
        "--slice", type=int, default=16, help="number of shards for the last two stages (default: %(default)s)"
    )
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        sys.stdout.write(json.dumps(measure(arguments.child, arguments.slice)))
        return
    head = [
        "problems",
        "forms",
        *(f"{stage}: {what} MiB" for stage in STAGES for what in ("peak", "resident")),
        "seconds",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for size in map(int, arguments.sizes.split(",")):
        measured = measure_in_subprocess(size, arguments.slice)
        cells = [f"{size:,}", f"{measured['forms']:,}"]
        cells += [f"{measured[stage][what]:,.0f}" for stage in STAGES for what in ("peak", "resident")]
        lines.append(f"| {' | '.join(cells)} | {measured['seconds']:,.0f} |")
    sys.stdout.write("\n".join([*lines, ""]))


STAGES = ("words", "masked LMs", "rows")


def measure_in_subprocess(size: int, shards: int) -> Memory:
    """Write the problems and measure in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        write_problems(Path(folder) / "problems.jsonl", size)
        command = [sys.executable, "-m", "benchmarks.generation_memory", "--child", folder, "--slice", str(shards)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        measured: Memory = json.loads(done.stdout)
        return measured


def measure(folder: Path, n_shards: int) -> Memory:
    """Run the stages and measure the memory after each."""
    start = time.monotonic()
    options = Options(
        problems=str(folder / "problems.jsonl"), mlm=tuple(PREFIX + name for name in MASKED_LMS), device="cpu"
    )
    measured: Memory = {}
    problem_source, tagger = open_source(options), find_tagger(options.tagger)
    survey = survey_problems(problem_source)
    problems, shards = stream_problems(problem_source, survey), []
    counts: dict[str, Any] = {}
    while of_shard := list(islice(problems, PROBLEMS_PER_SHARD)):
        shards.append(tag_shard(of_shard, tagger, folder, ignore_case=False))
        counts = add_word_counts(counts, count_words(read_words(shards[-1]), survey.label_names))
    measured["words"] = memory()
    sources = [find_model(name) for name in options.mlm]
    chosen = shards[:n_shards]
    with ExitStack() as stack:
        stores, vocabularies, missing = {}, {}, 0
        for source in sources:
            store = stack.enter_context(Store(folder, cache_key_of(source, options, "cpu")))
            missing = max(
                missing,
                sum(len(store.missing(forms_of_shard(shard, options.classes, options.mask))) for shard in shards),
            )
            with Progress(quiet=True).stage(source.name, unit="forms") as stage:
                forms = (forms_of_shard(shard, options.classes, options.mask) for shard in chosen)
                suggest(forms, len(chosen), partial(load_masked_lm, source, device="cpu"), store, options, stage)
            stores[source.name] = store
            vocabularies[source.name] = load_vocabulary(source, store.vocabulary_size() or 0)
        measured["masked LMs"] = memory()
        method = Method(options, survey.label_names, stores, vocabularies, InPlaceTagger(tagger))
        make_standalone_counts(chosen, method, folder)
        for shard in chosen:
            make_variant_shard(shard, method, folder)
    return {**measured, "rows": memory(), "forms": missing, "seconds": time.monotonic() - start}


def memory() -> dict[str, float]:
    """Return the peak and the current resident memory of this process in MiB."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return {name: int(status[key].split()[0]) / KIBIBYTES_PER_MEBIBYTE for name, key in KEYS.items()}


def reset_peak() -> None:
    """Reset the peak memory of this process."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


if __name__ == "__main__":
    main()
