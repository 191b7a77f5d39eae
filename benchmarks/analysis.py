"""Measure time and memory of the analyses on results of the paper's size.

    python -m benchmarks.analysis [--folder made-up]

Thirteen models have made-up answers on three data sets with 190,000 variants and three with 380,000, all with the same
2,222 seeds. Writing them takes minutes and is not measured; with `--folder` they are kept for the next run. Memory is
the maximum resident set size of the process, which also reads the data sets and result files. The regression and the
count of words of a corpus as large as SNLI's training data are timed by themselves. CPU seconds are those of all
threads of the process, which other processes on the machine hardly affect.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.made_up_results import corpus_counts, write_dataset, write_results
from benchmarks.synthetic_problems import write_problems
from merge_snli.comparison.corpus import CorpusCounts, count_corpus, open_corpus
from merge_snli.comparison.curves import model_curves
from merge_snli.comparison.scored_dataset import ScoredDataset, scored_dataset
from merge_snli.comparison.word_classes import class_pairs, classes
from merge_snli.models.tagger import find_tagger
from merge_snli.paper.error_drivers import error_drivers
from merge_snli.paper.filter_sets import filter_sets
from merge_snli.paper.fine_tuned import fine_tuned
from merge_snli.paper.hard_seeds import hard_seeds, seed_correctness
from merge_snli.paper.majority import majority
from merge_snli.paper.table_3 import seeds_against_variants, table_3
from merge_snli.paper.word_frequency import word_frequency
from merge_snli.scoring.grouping import on_same_data
from merge_snli.scoring.opening import open_config
from merge_snli.scoring.store import read_results

SIZES = (190_000,) * 3 + (380_000,) * 3
CORPUS_PROBLEMS = 550_000
CORPUS = CorpusCounts("made up", "0" * 64, corpus_counts())
READ_RESULTS, READ_DATA = "read result files", "read data sets"
REGRESSION, COUNT_WORDS = "error_drivers", "count words"
APART = (REGRESSION, COUNT_WORDS)
"""Steps that are timed by themselves."""

ANALYSES: dict[str, Callable[[ScoredDataset], object]] = {
    "table_3": table_3,
    "seeds_against_variants": seeds_against_variants,
    "model_curves": model_curves,
    "majority": majority,
    "classes": classes,
    "class_pairs": class_pairs,
    "fine_tuned": fine_tuned,
    "seed_correctness": seed_correctness,
    "hard_seeds": hard_seeds,
    "word_frequency": lambda scored: word_frequency(scored, CORPUS),
}


def main() -> None:
    """Write what is missing of the data, run every analysis, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where data sets and results are kept (default: nowhere)")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        folder = folder or Path(temporary)
        writer = multiprocessing.get_context("spawn").Process(target=write, args=(folder,))
        writer.start()  # in a process of its own, so that its memory is not measured
        writer.join()
        if writer.exitcode:
            raise SystemExit("the data sets could not be written")
        sys.stdout.write(report(measure(folder)) + "\n")


def write(folder: Path) -> None:
    """Write the data sets, their results and the corpus, unless an earlier run did."""
    for number, variants in enumerate(SIZES):
        if not (folder / f"{number}.done").exists():
            write_dataset(folder / str(number), variants=variants, number=number)
            write_results(folder / str(number), folder / "results")
            (folder / f"{number}.done").touch()
    if not (folder / "corpus.done").exists():
        write_problems(folder / "corpus.jsonl", CORPUS_PROBLEMS)
        (folder / "corpus.done").touch()


@dataclass
class Step:
    """What a step took.

    Attributes:
        seconds: Elapsed time.
        cpu_seconds: Time of the processor.
        peak: Maximum resident set size of the process so far, in bytes.
    """

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak: int = 0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add what the block takes."""
        start, cpu_start = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.cpu_seconds += time.process_time() - cpu_start
        self.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(folder: Path) -> dict[str, Step]:
    """Read the data and run every analysis; return what each step took over all data sets."""
    steps = {name: Step() for name in (READ_RESULTS, READ_DATA, *ANALYSES, "filter_sets", *APART)}
    with steps[READ_RESULTS].timed():
        results = on_same_data(read_results(folder / "results"))
    data: list[ScoredDataset] = []
    with steps[READ_DATA].timed():
        for of_one in results:
            data.append(scored_dataset(open_config(folder / of_one[0].dataset.name, of_one[0].dataset.config), of_one))
    for name, analysis in ANALYSES.items():
        with steps[name].timed():
            for scored in data:
                analysis(scored)
    with steps["filter_sets"].timed():
        filter_sets(data)
    with steps[REGRESSION].timed():
        for scored in data:
            error_drivers(scored, CORPUS)
    tagger = find_tagger()
    with steps[COUNT_WORDS].timed():
        count_corpus(open_corpus(str(folder / "corpus.jsonl")), tagger)
    return steps


def report(steps: dict[str, Step]) -> str:
    """Format the table, with the sum of everything but the regression and the corpus."""
    together = [step for name, step in steps.items() if name not in APART]
    total = Step(
        sum(step.seconds for step in together),
        sum(step.cpu_seconds for step in together),
        max(step.peak for step in together),
    )
    rows = [*zip(steps, together, strict=False), ("sum", total), *((name, steps[name]) for name in APART)]
    lines = [f"{processor()}, Python {platform.python_version()}", ""]
    lines += ["| step | seconds | CPU seconds | peak memory (MiB) |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {name} | {step.seconds:.1f} | {step.cpu_seconds:.1f} | {step.peak / 2**20:,.0f} |" for name, step in rows
    ]
    return "\n".join(lines)


def processor() -> str:
    """Return the model of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main()
