"""Runs the pipeline in children that are killed, and says in JSON what came of it; `test_killed.py` starts it.

The children are forked from one process that has everything loaded, so that a run takes a fraction of a second.
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
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from generation import pipeline
from generation.answers import store
from generation.answers import suggest as suggestions
from generation.options import Options
from generation.output import folder as output
from generation.sentences.tagging import load_tagger
from generation.sentences.tags_in_place import InPlaceTagger
from generation.work.folder import ANSWERS_FOLDER
from merge_snli.errors import InputError

KILLS, KILLS_A_FOLDER = 32, 4
"""How many runs are killed at random moments, and how many of these at most in one folder before one may finish."""

BOUNDARIES = [
    (pipeline, "survey_problems"),
    (pipeline, "_tag"),
    (pipeline, "_suggest"),
    (pipeline, "_make_results"),
    (pipeline, "note_needs"),
    (output, "write_data"),
    (output, "render_card"),
    (output, "_replace"),
    (store.Store, "save"),
    (store, "write_bytes"),
    (pipeline, "write_output"),
]
"""Functions before and after which a run is killed, in the order of a run where they are of the pipeline."""

MOVES = 6
"""How many renames put a data set in the place of another."""

Files = dict[str, str]


def main() -> None:
    """Run everything and print what came of it."""
    folder, problems, *mlms = sys.argv[1:]
    torch.set_num_threads(1)
    tagger = load_tagger()
    in_place = InPlaceTagger(tagger)
    for name, loaded in (("load_tagger", tagger), ("InPlaceTagger", in_place)):
        setattr(pipeline, name, partial(_given, loaded))
    pipeline.PROBLEMS_PER_SHARD, suggestions.FORMS_PER_SHARD, suggestions.FORMS_PER_CHUNK = 5, 8, 20
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
    calm = Runs(Path(folder) / "calm" / "merge_snli", options)
    calm.generate()
    shutil.rmtree(calm.out.parent)
    begun = time.monotonic()
    calm.generate()
    took = time.monotonic() - begun
    gc.freeze()  # The children share this process's memory as long as nobody touches it.
    report: dict[str, Any] = {
        "random": at_random_moments(Path(folder) / "random", calm, took),
        "boundaries": boundaries(Runs(Path(folder) / "boundaries" / "merge_snli", options), calm),
        "replaced": replaced(Runs(Path(folder) / "replaced" / "merge_snli", options), calm),
        "torn": torn(Runs(Path(folder) / "torn" / "merge_snli", options), calm),
        "at_once": at_once(Runs(Path(folder) / "at_once" / "merge_snli", options), calm),
    }
    sys.stdout.write(json.dumps(report))


def _given(loaded: Any, _: object) -> Any:  # noqa: ANN401 - whatever was loaded
    return loaded


def at_random_moments(folder: Path, calm: Runs, took: float) -> dict[str, Any]:
    """Kill runs until enough have died, now and then letting one finish."""
    moments = random.Random(0)
    killed = 0
    equal: list[bool] = []
    while killed < KILLS:
        runs = Runs(folder / str(len(equal)) / "merge_snli", calm.options)
        for nth in range(1, KILLS_A_FOLDER + 1):
            # What the killed runs did is not done again, so the next ones are shorter.
            killed += runs.killed_after(took * moments.random() / nth)
        equal.append(runs.finished() == calm.files())
    return {"killed": killed, "equal": equal}


class Runs:
    """The runs of one data set."""

    def __init__(self, out: Path, options: Options) -> None:
        """Say where and how; nothing is made yet."""
        self.out = out
        self.work = out.with_name("merge_snli.work")
        self.options = options

    def generate(self) -> None:
        pipeline.generate(self.options, self.out, overwrite=True, quiet=True)

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
        """Kill a run after some time; tell whether it was still running."""
        child = self.start()
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        return died(child)

    def files(self) -> Files:
        """Return the digest of every file of the data set."""
        return {
            str(path.relative_to(self.out)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.out.rglob("*"))
            if path.is_file()
        }

    def finished(self) -> Files:
        """Let a run finish and return its files."""
        _, status = os.waitpid(self.start(), 0)
        assert status == 0, status
        return self.files()


def died(child: int) -> bool:
    """Tell whether a child was killed; one that failed by itself is a fault of the test."""
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    return os.WIFSIGNALED(status)


def dying(owner: Any, name: str, *, call: int = 1, after: bool = False) -> Callable[[], None]:  # noqa: ANN401
    """Return what makes a function kill its process, before or after it does its work for the n-th time."""

    def prepare() -> None:
        function = getattr(owner, name)
        calls = 0

        def deadly(*positional: Any, **named: Any) -> Any:  # noqa: ANN401
            nonlocal calls
            calls += 1
            if calls == call and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*positional, **named)
            if calls == call:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        setattr(owner, name, deadly)

    return prepare


def boundaries(runs: Runs, calm: Runs) -> dict[str, bool]:
    """Kill one run after the other at each boundary; at the end everything must be there all the same."""
    deaths = {}
    for owner, name in BOUNDARIES:
        for after in (False, True):
            if owner in {store, store.Store}:
                shutil.rmtree(runs.work / ANSWERS_FOLDER, ignore_errors=True)
            shutil.rmtree(runs.out, ignore_errors=True)
            when = f"{'after' if after else 'before'} {name}"
            deaths[when] = died(runs.start(dying(owner, name, after=after)))
    return {**deaths, "equal": runs.finished() == calm.files()}


def replaced(runs: Runs, calm: Runs) -> list[bool]:
    """Kill runs before each of the moves that put a data set in the place of another, and after the last."""
    others = Runs(runs.out, replace(runs.options, random_seed=1))
    wanted = {runs: calm.files(), others: others.finished()}
    held = [wanted[runs] != wanted[others]]
    for call in range(1, MOVES + 1):
        for each in (runs, others):
            held += [
                died(each.start(dying(Path, "rename", call=call, after=call == MOVES))),
                each.finished() == wanted[each],
            ]
    return held


def torn(runs: Runs, calm: Runs) -> list[bool]:
    """Tear every file of the work folder: what was in it is made again."""
    equal = [runs.finished() == calm.files()]
    files = [path for path in runs.work.rglob("*") if path.is_file() and path.name != "lock"]
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    shutil.rmtree(runs.out)
    return [*equal, len(files) > 10, runs.finished() == calm.files()]


def at_once(runs: Runs, calm: Runs) -> dict[str, Any]:
    """Run twice at once: the second says who holds the work folder, and the first ends well."""
    first = runs.start()
    while not (runs.work / "lock").exists() or not (runs.work / "lock").read_text():
        time.sleep(0.001)
    os.kill(first, signal.SIGSTOP)
    try:
        runs.generate()
        said = "nothing"
    except InputError as error:
        said = str(error)
    os.kill(first, signal.SIGCONT)
    _, status = os.waitpid(first, 0)
    return {"said": said, "holder": first, "equal": status == 0 and runs.files() == calm.files()}


if __name__ == "__main__":
    main()
