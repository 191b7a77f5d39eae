"""Kill runs of the pipeline in child processes and print a JSON report; `test_killed.py` starts this script.

The children are forked from a process that has loaded everything, so that a run takes a fraction of a second.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from tqdm.std import tqdm

from generation import pipeline, run_inputs, tasks
from generation.answers import store
from generation.options import Options
from generation.output import dataset as output
from generation.sentences.tagging import InPlaceTagger
from generation.work import ANSWERS_FOLDER
from merge_snli.card import dataset_folder
from merge_snli.models.runner import runner
from merge_snli.models.tagger import find_tagger

KILLS, KILLS_PER_FOLDER = 32, 4
"""Number of runs killed at random moments, and the most in one folder before a run may finish."""

BOUNDARIES = [
    (run_inputs, "survey_problems"),
    (tasks, "tag"),
    (tasks, "answer"),
    (tasks, "make_variants"),
    (tasks, "note_needs"),
    (output, "write_data"),
    (dataset_folder, "render_card"),
    (dataset_folder, "replace_folder"),
    (store.Store, "save"),
    (store, "write_checked"),
    (tasks, "write_output"),
    (tasks, "write"),
]
"""Functions before and after which a run is killed; those of the pipeline are in the order of a run."""

assert all(hasattr(owner, name) for owner, name in BOUNDARIES)  # also where only the fast tests run

MOVES = 6
"""Number of renames that replace a data set."""

Files = dict[str, str]


def main() -> None:
    """Run everything and print the report."""
    folder, problems, *mlms = sys.argv[1:]
    torch.set_num_threads(1)
    tqdm.set_lock(threading.RLock())  # that of tqdm is shared by forked processes, and a killed one may hold it
    tagger = find_tagger()
    _ = tagger.nlp  # loaded once, before the runs
    for module, name, value in ((run_inputs, "find_tagger", tagger), (tasks, "InPlaceTagger", InPlaceTagger(tagger))):
        setattr(module, name, lambda *_, value=value, **__: value)
    runner.INPUTS_PER_SHARD = 8
    tasks.FORMS_PER_CHUNK = 20
    options = Options(
        problems=problems,
        id_column="id",
        mlm=tuple(mlms),
        classes=("noun",),
        top_k=20,
        inflation=2,
        subsamples=1,
        device="cpu",
    )
    undisturbed = Runs(Path(folder) / "undisturbed" / "merge_snli", options)
    undisturbed.generate()
    shutil.rmtree(undisturbed.out.parent)
    start = time.monotonic()
    undisturbed.generate()
    duration = time.monotonic() - start
    gc.freeze()  # The children share this process's memory until it is written to.
    report: dict[str, Any] = {"random": at_random_moments(Path(folder) / "random", undisturbed, duration)}
    for test in (boundaries, replaced, truncated):
        report[test.__name__] = test(Runs(Path(folder) / test.__name__ / "merge_snli", options), undisturbed)
    sys.stdout.write(json.dumps(report))


def at_random_moments(folder: Path, undisturbed: Runs, duration: float) -> dict[str, Any]:
    """Kill runs at random moments, and let one finish in each folder."""
    moments = random.Random(0)
    killed = 0
    equal: list[bool] = []
    while killed < KILLS:
        runs = Runs(folder / str(len(equal)) / "merge_snli", undisturbed.options)
        for nth in range(1, KILLS_PER_FOLDER + 1):
            # Runs resume from the cache of the killed ones, so they get shorter.
            killed += runs.killed_after(duration * moments.random() / nth)
        equal.append(runs.finished() == undisturbed.files())
    return {"killed": killed, "equal": equal}


class Runs:
    """The runs of one data set."""

    def __init__(self, out: Path, options: Options) -> None:
        """Set folder and options without running."""
        self.out = out
        self.work = out.with_name("merge_snli.work")
        self.options = options

    def generate(self) -> None:
        pipeline.run_pipeline(self.options, self.out, overwrite=True, quiet=True, problems_per_shard=5)

    def start(self, prepare: Callable[[], object] = lambda: None) -> int:
        """Run in a child and return its process id."""
        if (child := os.fork()) > 0:
            return child
        try:
            prepare()
            self.generate()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def killed_after(self, seconds: float) -> bool:
        """Kill a run after some time and return whether it was still running."""
        child = self.start()
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        return died(child)

    def files(self) -> Files:
        """Return the sha256 of every file of the data set."""
        return {
            str(path.relative_to(self.out)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.out.rglob("*"))
            if path.is_file()
        }

    def finished(self) -> Files:
        """Let a run finish and return the sha256 of its files."""
        _, status = os.waitpid(self.start(), 0)
        assert status == 0, status
        return self.files()


def died(child: int) -> bool:
    """Return whether a child was killed; fail if it ended with an error."""
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    return os.WIFSIGNALED(status)


def kill_at(
    owner: Any,  # noqa: ANN401
    name: str,
    *,
    call: int = 1,
    after: bool = False,
) -> Callable[[], None]:
    """Return a function that patches another to kill its process before or after its n-th call."""

    def prepare() -> None:
        function = getattr(owner, name)
        calls = 0

        def killing(*positional: Any, **named: Any) -> Any:  # noqa: ANN401
            nonlocal calls
            calls += 1
            if calls == call and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*positional, **named)
            if calls == call and after:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        setattr(owner, name, killing)

    return prepare


def boundaries(runs: Runs, undisturbed: Runs) -> dict[str, bool]:
    """Kill one run after the other at each boundary; the last run must still give all files."""
    deaths = {}
    for owner, name in BOUNDARIES:
        for after in (False, True):
            if owner in {store, store.Store}:
                shutil.rmtree(runs.work / ANSWERS_FOLDER, ignore_errors=True)
            shutil.rmtree(runs.out, ignore_errors=True)
            deaths[f"{'after' if after else 'before'} {name}"] = died(runs.start(kill_at(owner, name, after=after)))
    return {**deaths, "equal": runs.finished() == undisturbed.files()}


def replaced(runs: Runs, undisturbed: Runs) -> list[bool]:
    """Kill runs before each rename that replaces a data set, and after the last."""
    others = Runs(runs.out, replace(runs.options, random_seed=1))
    expected = {runs: undisturbed.files(), others: others.finished()}
    checks = [expected[runs] != expected[others]]
    for call in range(1, MOVES + 1):
        for started in (runs, others):
            checks.append(died(started.start(kill_at(Path, "rename", call=call, after=call == MOVES))))
            checks.append(started.finished() == expected[started])
    return checks


def truncated(runs: Runs, undisturbed: Runs) -> list[bool]:
    """Truncate every file of the work folder; a run must recreate them."""
    equal = [runs.finished() == undisturbed.files()]
    files = [path for path in runs.work.rglob("*") if path.is_file() and not path.name.startswith("lock")]
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    shutil.rmtree(runs.out)
    return [*equal, len(files) > 10, runs.finished() == undisturbed.files()]


if __name__ == "__main__":
    main()
