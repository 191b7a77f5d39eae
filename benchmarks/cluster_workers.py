"""Compare two tasks of one thread with one of one thread, and with one process of two threads.

    python -m benchmarks.cluster_workers --problems snli/test.jsonl

The masked LM has the architecture of bert-base-cased and random weights. The processes load it once and stay; in each
round they answer the same forms in turn, the two tasks half of them each. CPU time is less sensitive to other load
than elapsed time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.forms import forms_of
from benchmarks.processor import processor
from benchmarks.random_masked_lms import SHAPES, save_masked_lm
from generation.sentences.forms import Form

TOP_K = 200


class Seconds(NamedTuple):
    """What answering the forms took, and how many other processes wanted the cores."""

    elapsed: float
    cpu: float
    load: float


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="problem file (default: the bundled problems)")
    parser.add_argument("--limit", type=int, default=1000, help="number of problems (default: 1000)")
    parser.add_argument("--forms", type=int, default=1000, help="number of forms (default: 1000)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default: 5)")
    arguments = parser.parse_args()
    every = forms_of(arguments.problems, arguments.limit)
    forms = dict(list(every.items())[: arguments.forms])
    with tempfile.TemporaryDirectory() as folder:
        save_masked_lm(Path(folder), (form.text for form in forms.values()), SHAPES["bert-base-cased"])
        one, other, two_threads = (start(folder, forms, threads) for threads in (1, 1, 2))
        methods = {
            "one task, 1 thread": [(one, 0, 1)],
            "two tasks, 1 thread each": [(one, 0, 2), (other, 1, 2)],
            "one process, 2 threads": [(two_threads, 0, 1)],
        }
        rounds = [{name: answer(shares) for name, shares in methods.items()} for _ in range(arguments.rounds)]
        for process in (one, other, two_threads):
            process.send(None)
    sys.stdout.write(f"{processor()}; {len(forms)} forms, median of {arguments.rounds} rounds\n\n{table(rounds)}\n")


def start(folder: str, forms: dict[str, Form], threads: int) -> Connection:
    """Start a process that loads the masked LM, and wait until it is loaded."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    here, there = multiprocessing.Pipe()
    multiprocessing.get_context("spawn").Process(target=work, args=(there, folder, forms), daemon=True).start()
    here.recv()
    return here


def work(pipe: Connection, folder: str, forms: dict[str, Form]) -> None:
    """Answer the shares of the forms that are received, until None is received."""
    from generation.masked_lms.loading import load_masked_lm
    from merge_snli.models.finding import find_model

    mlm = load_masked_lm(find_model(folder), device="cpu", dtype="float32")
    keys = list(forms)
    list(mlm.answers({key: forms[key] for key in keys[:32]}, TOP_K))
    pipe.send("ready")
    while (share := pipe.recv()) is not None:
        task, tasks = share
        cpu = time.process_time()
        list(mlm.answers({key: forms[key] for key in keys[task::tasks]}, TOP_K))
        pipe.send(time.process_time() - cpu)


def answer(shares: list[tuple[Any, int, int]]) -> Seconds:
    """Let processes answer their shares at the same time."""
    started, load = time.perf_counter(), os.getloadavg()[0]
    for process, task, tasks in shares:
        process.send((task, tasks))
    cpu = sum(process.recv() for process, *_ in shares)
    return Seconds(time.perf_counter() - started, cpu, load)


def table(rounds: list[dict[str, Seconds]]) -> str:
    """Format the medians, and the ratio of elapsed times within each round to one task of one thread."""
    lines = ["| | seconds | CPU seconds | times as fast | load |", "| --- | --- | --- | --- | --- |"]
    for name in rounds[0]:
        elapsed, cpu, load = (
            statistics.median(values) for values in zip(*(times[name] for times in rounds), strict=True)
        )
        first = next(iter(rounds[0]))
        ratio = statistics.median(times[first].elapsed / times[name].elapsed for times in rounds)
        lines.append(f"| {name} | {elapsed:.1f} | {cpu:.1f} | {ratio:.2f} | {load:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
