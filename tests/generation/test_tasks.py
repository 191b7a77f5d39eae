"""The stages of a run on a cluster, done here: any division of the work gives the bytes of one process."""

import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from generation import Options, tasks
from generation.pipeline import run_pipeline
from generation.run import GenerationRun, plan_run
from generation.run_inputs import read_inputs
from generation.sentences.forms import Form
from merge_snli.base.errors import IncompleteError
from merge_snli.base.progress import Progress
from merge_snli.base.stages import WHOLE, Notes, TaskShare
from tests.oracles import refused
from tests.records import files_in, first_problems

PER_SHARD = 5
QUIET = Progress(quiet=True)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_problems(tmp_path_factory.mktemp("problems"), 12)


@pytest.fixture(scope="module")
def options(problems: Path) -> Options:
    return Options(problems=str(problems), id_column="id", mlm=("demo:mlm-wordpiece", "demo:mlm-bpe"), inflation=5)


@pytest.fixture(scope="module")
def one_process(options: Options, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("one") / "merge_snli"
    return files_in(run_pipeline(options, out, problems_per_shard=PER_SHARD, quiet=True).folder)


def run_of(options: Options, folder: Path) -> GenerationRun:
    """Return a run as a task in another process gets it."""
    run = plan_run(read_inputs(options, QUIET), folder / "merge_snli", problems_per_shard=PER_SHARD)
    shared = replace(run, notes=Notes(folder / "merge_snli.work" / "cluster" / "plan"), shared=True)
    copy: GenerationRun = pickle.loads(pickle.dumps(shared))
    return copy


def shares(count: int, order: random.Random) -> list[TaskShare]:
    shares = [TaskShare(task, count) for task in range(count)]
    return order.sample([*shares, order.choice(shares)], count + 1)  # one of them twice


def run_all(run: GenerationRun, count: int) -> None:
    """Do the stages in an order that their steps allow."""
    order = random.Random(count)
    stages = sorted(tasks.stages(run), key=lambda stage: (stage.step, order.random()))
    with QUIET.stage("all", unit="units") as shown:
        for stage in stages:
            for share in shares(count, order) if stage.shards > 1 else [WHOLE]:
                stage.work(share, shown)


@pytest.mark.slow
def test_the_bytes_are_those_of_one_process(options: Options, one_process: dict[str, bytes], tmp_path: Path) -> None:
    run = run_of(options, tmp_path)
    assert run.shards == 3
    run_all(run, 3)
    assert files_in(run.out) == one_process
    assert not list(run.work.rglob("*.sqlite*")), "no SQLite file in a shared folder"
    assert not (run.work / "lock").exists(), "no lock in a shared folder"
    with QUIET.stage("again", unit="forms") as stage:
        tasks.answer(run, run.inputs.masked_lms[0].name, TaskShare(0, 2), stage)
    assert stage.done == 0, "answers are not predicted twice"


@pytest.mark.slow
def test_missing_files_of_earlier_stages_are_named(options: Options, tmp_path: Path) -> None:
    run = run_of(options, tmp_path)
    name = run.inputs.masked_lms[0].name
    first_of_4 = TaskShare(1, 4)
    second_of_4 = TaskShare(2, 4)
    first, second = TaskShare(0, 2), TaskShare(1, 2)
    with QUIET.stage("all", unit="units") as stage:

        def incomplete(message: str, task: Callable[..., object], *arguments: object) -> None:
            refused(message, task, run, *arguments, stage, error=IncompleteError)

        incomplete(r"000000\.json", tasks.answer, name, second)
        tasks.tag(run, first, stage)
        tasks.tag(run, second, stage)
        incomplete(f"no answers of {name}", tasks.make_variants, first_of_4)
        for mlm in run.inputs.masked_lms:
            tasks.answer(run, mlm.name, first, stage)
        tasks.make_variants(run, first_of_4, stage)  # the first shard, after the sample of all shards
        incomplete("answers of demo:mlm-wordpiece: they were deleted", tasks.make_variants, second_of_4)
        incomplete(r"000002\.json", tasks.write, WHOLE)
        (shard,) = run.tagged([0])
        shard.unlink()
        incomplete(shard.name, tasks.answer, name, first)
    assert not run.out.exists()


def test_other_inputs_than_at_submission_are_refused(options: Options, tmp_path: Path) -> None:
    run = run_of(options, tmp_path)
    name = run.inputs.masked_lms[0].name
    other_key = replace(run.answer_keys[name], libraries={"torch": "1.0"})
    elsewhere = replace(run, answer_keys={**run.answer_keys, name: other_key})
    other_tagger = replace(run, expected={**run.expected, "tagger": run.expected["tagger"] | {"version": "0.1"}})
    moved = replace(run.options, mlm=("/nowhere/mlm", run.options.mlm[1]))
    gone = replace(run, inputs=replace(run.inputs, options=moved))
    with QUIET.stage("all", unit="units") as stage:
        refused(r"tagger of the run .*0\.1", tasks.tag, other_tagger, WHOLE, stage)
        tasks.tag(run, WHOLE, stage)
        refused(rf"libraries of masked LM {name} .*1\.0", tasks.answer, elsewhere, name, WHOLE, stage)
        refused("/nowhere/mlm", tasks.answer, gone, name, WHOLE, stage)


def test_forms_of_long_texts_fill_a_chunk_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "FORMS_PER_CHUNK", 20)
    long = Form("a" * 60_000, 0, 1)
    short = Form("a dog", 2, 5)
    store = SimpleNamespace(missing=lambda forms: forms)
    stage = SimpleNamespace(total=0)

    def sizes(form: Form) -> list[int]:
        chunks = tasks._missing([{str(number): form for number in range(45)}], 1, store, stage)  # type: ignore[arg-type]
        return [len(chunk) for chunk in chunks]

    assert sizes(short) == [20, 20, 5]
    assert set(sizes(long)) == {1, 2}
