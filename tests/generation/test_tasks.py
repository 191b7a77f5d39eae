"""The stages of a run on a cluster, done here: any division of the work gives the bytes of one process."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from generation import Options, generate, tasks
from generation.pipeline import read_inputs
from generation.task_plan import GenerationPlan, plan_generation
from merge_snli.embedded import embedded_path
from merge_snli.errors import IncompleteError, InputError
from merge_snli.progress import Progress
from merge_snli.share import Share

PER_SHARD = 5
QUIET = Progress(quiet=True)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = embedded_path("demo:problems")
    assert source is not None
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    path.write_text("\n".join(source.read_text(encoding="utf-8").splitlines()[:12]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def options(problems: Path) -> Options:
    return Options(problems=str(problems), id_column="id", mlm=("demo:mlm-wordpiece", "demo:mlm-bpe"), inflation=5)


@pytest.fixture(scope="module")
def one_process(options: Options, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("one") / "merge_snli"
    generate(options, out, problems_per_shard=PER_SHARD, quiet=True)
    return files(out)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def plan_of(options: Options, folder: Path) -> GenerationPlan:
    _, inputs = read_inputs(options, QUIET, allow_pickle=False)
    return plan_generation(
        inputs,
        device="cpu",
        allow_pickle=False,
        problems_per_shard=PER_SHARD,
        out=folder / "merge_snli",
        work=folder / "merge_snli.work",
        folder=folder / "merge_snli.work" / "cluster" / "plan",
    )


def shares(count: int, order: random.Random) -> list[Share]:
    found = [Share(task, count) for task in range(count)]
    return order.sample([*found, order.choice(found)], count + 1)  # one of them twice


def run_all(plan: GenerationPlan, count: int) -> None:
    order = random.Random(count)
    with QUIET.stage("all", unit="units") as stage:
        for share in shares(count, order):
            tasks.tag(plan, share, stage)
        for mlm in order.sample(plan.masked_lms, len(plan.masked_lms)):
            for share in shares(count, order):
                tasks.answer(plan, mlm.name, share, stage)
        for share in shares(count, order):
            tasks.make_variants(plan, share, stage)
        tasks.write(plan, Share(0, 1), stage)


@pytest.mark.parametrize("count", [1, 3])
def test_the_bytes_are_those_of_one_process(
    options: Options, one_process: dict[str, bytes], tmp_path: Path, count: int
) -> None:
    plan = plan_of(options, tmp_path)
    assert plan.shards == 3
    run_all(plan, count)
    assert files(plan.out) == one_process
    assert not list(plan.work.rglob("*.sqlite*")), "no SQLite file in a shared folder"
    assert not (plan.work / "lock").exists(), "no lock in a shared folder"
    with QUIET.stage("again", unit="forms") as stage:
        tasks.answer(plan, plan.masked_lms[0].name, Share(0, 2), stage)
    assert stage.done == 0, "answers are not predicted twice"


def test_missing_files_of_earlier_stages_are_named(options: Options, tmp_path: Path) -> None:
    plan = plan_of(options, tmp_path)
    name = plan.masked_lms[0].name
    with QUIET.stage("all", unit="units") as stage:
        with pytest.raises(IncompleteError, match=r"000001\.json"):
            tasks.answer(plan, name, Share(1, 2), stage)
        for share in (Share(0, 2), Share(1, 2)):
            tasks.tag(plan, share, stage)
        with pytest.raises(IncompleteError, match=f"no answers of {name}"):
            tasks.make_variants(plan, Share(0, 2), stage)
        for mlm in plan.masked_lms:
            tasks.answer(plan, mlm.name, Share(0, 2), stage)
        tasks.make_variants(plan, Share(0, 2), stage)
        with pytest.raises(IncompleteError, match="answers of demo:mlm-wordpiece were deleted"):
            tasks.make_variants(plan, Share(1, 2), stage)
        with pytest.raises(IncompleteError, match=r"000001\.json"):
            tasks.write(plan, Share(0, 1), stage)
        (shard,) = plan.tagged([0])
        shard.unlink()
        with pytest.raises(IncompleteError, match=shard.name):
            tasks.answer(plan, name, Share(0, 2), stage)
    assert not plan.out.exists()


def test_other_inputs_than_at_submission_are_refused(options: Options, problems: Path, tmp_path: Path) -> None:
    plan = plan_of(options, tmp_path)
    name = plan.masked_lms[0].name
    other_key = replace(plan.answer_keys[name], libraries={"torch": "1.0"})
    elsewhere = replace(plan, answer_keys={**plan.answer_keys, name: other_key})
    other_tagger = replace(plan, inputs=replace(plan.inputs, tagger=replace(plan.inputs.tagger, version="0.1")))
    with QUIET.stage("all", unit="units") as stage:
        with pytest.raises(InputError, match=r"tagger of the run .*0\.1"):
            tasks.tag(other_tagger, Share(0, 1), stage)
        tasks.tag(plan, Share(0, 1), stage)
        with pytest.raises(InputError, match=rf"libraries of masked LM {name} .*1\.0"):
            tasks.answer(elsewhere, name, Share(0, 1), stage)
        gone = replace(plan, options=replace(plan.options, mlm=("/nowhere/mlm", plan.options.mlm[1])))
        with pytest.raises(InputError, match="/nowhere/mlm"):
            tasks.answer(gone, name, Share(0, 1), stage)
