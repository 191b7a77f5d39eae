"""Memory of a run against the number of problems: it should not grow with them.

    python -m benchmarks.generation_memory --sizes 10000,100000,1000000

A file of that many problems is made of the words of the embedded problems. A process of its own reads and tags all of
them and counts the shared words, which is what `merge-snli words` does and the first stage of a run; looks for every
form in the stores; asks the embedded masked LMs for the forms of the first shards, which are the same at every size;
and makes these shards' rows. Printed are its peak and its present resident memory after each of these stages, as the
system counts them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.made_problems import write_problems
from generation.answers.asking import count_missing, suggest
from generation.answers.store import open_stores
from generation.options import Options
from generation.output.record import add_word_counts, count_words
from generation.pipeline import PROBLEMS_PER_SHARD
from generation.sentences.tagged_shards import forms_of_shard, read_words, tag_shard
from generation.sentences.tagging import load_tagger
from generation.sentences.tags_in_place import InPlaceTagger
from generation.variants.variant_shards import Method, make_result
from merge_snli.embedded import MASKED_LMS, PREFIX
from merge_snli.inference.models import find_model
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.progress import Progress

KIBIBYTES_PER_MEBIBYTE = 1024
KEYS = {"peak": "VmHWM", "resident": "VmRSS"}
"""What the system calls them."""

Memory = dict[str, Any]


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000,1000000", help="numbers of problems, separated by commas")
    parser.add_argument("--slice", type=int, default=2, help="shards whose forms are asked")
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
        found = in_a_child(size, arguments.slice)
        cells = [f"{size:,}", f"{found['forms']:,}"]
        cells += [f"{found[stage][what]:,.0f}" for stage in STAGES for what in ("peak", "resident")]
        lines.append(f"| {' | '.join(cells)} | {found['seconds']:,.0f} |")
    sys.stdout.write("\n".join([*lines, ""]))


STAGES = ("words", "masked LMs", "rows")


def in_a_child(size: int, shards: int) -> Memory:
    """Make the problems, and measure in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        write_problems(Path(folder) / "problems.jsonl", size)
        command = [sys.executable, "-m", "benchmarks.generation_memory", "--child", folder, "--slice", str(shards)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found: Memory = json.loads(done.stdout)
        return found


def measure(folder: Path, slice_of: int) -> Memory:
    """Go through the stages and say how much memory each took."""
    begun = time.monotonic()
    options = Options(
        problems=str(folder / "problems.jsonl"), mlm=tuple(PREFIX + name for name in MASKED_LMS), device="cpu"
    )
    found: Memory = {}
    survey, tagger = survey_problems(options), load_tagger(options.tagger)
    problems, shards = stream_problems(options, survey), []
    counts: dict[str, Any] = {}
    while part := list(islice(problems, PROBLEMS_PER_SHARD)):
        shards.append(tag_shard(part, tagger, folder, ignore_case=False))
        counts = add_word_counts(counts, count_words(read_words(shards[-1]), survey.label_names))
    found["words"] = memory()
    sources = [find_model(name) for name in options.mlm]
    chosen = shards[:slice_of]
    with ExitStack() as stack:
        stores = open_stores(folder, sources, options, "cpu", stack)
        missing = count_missing((forms_of_shard(shard, options) for shard in shards), stores)
        vocabularies = {}
        for source in sources:
            with Progress(quiet=True).stage(source.name, unit="forms") as stage:
                forms = (forms_of_shard(shard, options) for shard in chosen)
                vocabularies[source.name] = suggest(forms, source, stores[source.name], options, stage)
        found["masked LMs"] = memory()
        method = Method(options, survey.label_names, stores, vocabularies, InPlaceTagger(tagger))
        for shard in chosen:
            make_result(shard, method, folder)
    return {**found, "rows": memory(), "forms": max(missing.values()), "seconds": time.monotonic() - begun}


def memory() -> dict[str, float]:
    """Return the peak and the present resident memory of this process in MiB."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return {name: int(status[key].split()[0]) / KIBIBYTES_PER_MEBIBYTE for name, key in KEYS.items()}


def forget_peak() -> None:
    """Let the peak of this process's memory begin anew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


if __name__ == "__main__":
    main()
