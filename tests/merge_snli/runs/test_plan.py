"""The cluster file, the plan of a dry run, and what `merge-snli work status` reads from the records of tasks."""

import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from generation import Options
from generation.pipeline import submitted
from generation.report.estimate import Estimate, Step
from generation.run import plan_run
from generation.run_inputs import read_inputs
from merge_snli.base.errors import InputError, param
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.stages import TAG, RunStage, TaskShare
from merge_snli.runs import submit
from merge_snli.runs.executors import make_executor, plan_text
from merge_snli.runs.options import ClusterOptions, StageOptions, read_cluster_file
from merge_snli.runs.run_folder import (
    LOCAL,
    RAY,
    SECONDS_WITHOUT_BEAT,
    SLURM,
    SUBMITTER_FILE,
    SubmittedStage,
    TaskRecord,
    is_submitting,
    read_run,
    task_file,
    write_run,
    write_task,
)
from merge_snli.runs.status import run_status
from merge_snli.runs.submit import PLAN_FORMAT, Cluster
from merge_snli.runs.task import StageTask
from tests.commands import Command
from tests.oracles import missing_from, refused, written

PRINTING = RunStage(name="print", kind=TAG, unit="shares", work=print, step=0)

DOCS = Path(__file__).parents[3] / "docs" / "cluster.md"


def read(folder: Path, text: str) -> ClusterOptions:
    return read_cluster_file(written(folder / "cluster.toml", text))


def test_stages_take_the_defaults(tmp_path: Path) -> None:
    options = read(
        tmp_path,
        'executor = "slurm"\n[defaults]\ntasks = 8\npartition = "cpu"\ncpus_per_task = 2\n'
        '[masked_lm]\npartition = "gpu"\ngpus_per_task = 1\nsbatch_args = {account = "nlp", nice = 3}\n',
    )
    assert (options.tag.tasks, options.tag.partition, options.tag.gpus_per_task) == (8, "cpu", 0)
    assert (options.masked_lm.tasks, options.masked_lm.partition, options.masked_lm.cpus_per_task) == (8, "gpu", 2)
    assert options.masked_lm.sbatch_args == {"account": "nlp", "nice": 3}
    assert options.write.cpus_per_task == 2


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("executor = ", ["not valid TOML"]),
        ("", ["executor is missing"]),
        ('executor = "pbs"', ["executor", "'pbs'", "'slurm'"]),
        ('executor = "local"\nspeed = 3', ["unknown key speed", "problems_per_shard"]),
        ('executor = "local"\n[tag]\ntaks = 3', ["unknown key tag.taks", "tasks"]),
        ('executor = "local"\n[defaults]\ntaks = 3', ["unknown key defaults.taks", "tasks"]),
        ('executor = "local"\ntag = 3', ["tag is 3", "[tag]"]),
        ('executor = "local"\ndefaults = 3', ["defaults is 3", "[defaults]"]),
        ('executor = "local"\n[tag]\ntasks = 0', ["tag.tasks is 0", "1"]),
        ('executor = "local"\n[defaults]\ntasks = 0', ["defaults.tasks is 0"]),
        ('executor = "local"\n[tag]\ntasks = 1001', ["tag.tasks is 1001", "1000"]),
        ('executor = "local"\n[tag]\ntasks = "3"', ["tag.tasks is '3'", "integer"]),
        ('executor = "local"\n[tag]\npartition = "gpu"', ["partition", "local"]),
        ('executor = "slurm"\naddress = "auto"', ["address", "slurm"]),
        ('executor = "ray"\n[defaults]\ntime = "1:00:00"', ["time", "ray"]),
        ('executor = "slurm"\n[tag]\ngpus_per_task = -1', ["tag.gpus_per_task is -1"]),
        ('executor = "slurm"\n[tag.sbatch_args]\nexclusive = true', ["tag.sbatch_args.exclusive is True"]),
        ('executor = "slurm"\n[defaults.sbatch_args]\narray = 5', ["sbatch_args.array in [defaults]"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: list[str]) -> None:
    assert not missing_from(str(refused("", read, tmp_path, text)), str(tmp_path / "cluster.toml"), *named)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    refused(r"nowhere\.toml", read_cluster_file, tmp_path / "nowhere.toml")


def test_the_examples_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    examples = re.findall("```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    read_back = [read(tmp_path, example) for example in examples]
    assert [(options.executor, options.masked_lm.gpus_per_task) for options in read_back] == [(SLURM, 1)]


def test_options_that_ray_does_not_have_are_refused(tmp_path: Path) -> None:
    options = StageOptions(ray_remote_kwargs={"accelerator": "A100"})
    run = SubmittedStage(executor=RAY, name="print", unit="shares", tasks=1, folder=tmp_path)
    refused("accelerator", make_executor(PRINTING, run, options).run)


MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


def estimate() -> Estimate:
    steps = [
        Step(name="read and tag", seconds=600.0),
        Step(name=MLMS[0], seconds=36_000.0, forms=400, refused=0),
        Step(name=MLMS[1], seconds=7_200.0, forms=400, refused=0),
        Step(name="filters and sets", seconds=3_600.0),
        Step(name="write", seconds=30.0),
    ]
    by_name = {step.name: step for step in steps}
    return Estimate(problems=207, sampled=207, forms=400, device="cpu", workers=1, loading=0.0, steps=by_name)


def plan(folder: Path, text: str, work: Path | None = None) -> tuple[str, Path]:
    """Return the text of a plan, and the folder of the run."""
    options = read(folder, text)
    executor = Cluster(options)
    run = plan_run(
        read_inputs(Options(problems="demo:problems", limit=207, mlm=MLMS), Progress(quiet=True)),
        folder / "my data",
        work=work,
        problems_per_shard=options.problems_per_shard,
        executor=executor,
    )
    stages, plan_folder = submitted(run, executor)
    return plan_text(options, stages, plan_folder, estimate()), plan_folder


def test_stages_are_divided_by_their_tasks(tmp_path: Path) -> None:
    text, _ = plan(
        tmp_path,
        'executor = "local"\nproblems_per_shard = 10\n[defaults]\ntasks = 50\nworkers = 4\n[masked_lm]\ntasks = 8\n',
    )
    rows = {name: cells for name, *cells in (re.split(r" {2,}", line.strip()) for line in text.splitlines()) if cells}
    assert rows["read and tag"] == ["21", "–", "2 min 30 s"], "at most one task per shard, four at a time"
    assert rows["demo:mlm-wordpiece"] == ["8", "50", "2 h 30 min"]
    assert (rows["demo:mlm-bpe"], rows["write"]) == (["8", "50", "30 min 00 s"], ["1", "–", "30.0 s"])
    assert "sbatch" not in text.lower()


def test_slurm_scripts_are_shown_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    text, folder = plan(
        tmp_path,
        'executor = "slurm"\n[defaults]\npartition = "cpu"\ntime = "1:00:00"\nsbatch_args = {account = "a b"}\n'
        '[masked_lm]\npartition = "gpu"\ngpus_per_task = 2\nenv_command = "module load python"\n',
    )
    scripts = text.split("#!/bin/bash\n")[1:]
    assert len(scripts) == 4, "one per kind of stage"
    directives = [set(re.findall(r"#SBATCH --(\S+)", script)) for script in scripts]
    assert {"partition=cpu", "time=1:00:00", "array=0", "cpus-per-task=1", "mem-per-cpu=2G"} <= directives[0]
    assert "#SBATCH --account='a b'" in scripts[0]
    assert {"partition=gpu", "gpus=2"} <= directives[1]
    assert not missing_from(scripts[1], "module load python\n", "python -P -m datatrove.tools.launch_pickled_pipeline")
    assert all(" -P -m datatrove" in script for script in scripts), "no code of the working directory"
    assert f"'{folder}/0-read-and-tag-1/executor.pik'" in scripts[0], "quoted, as it has a space"
    assert not list(tmp_path.glob("*.work"))
    assert not (tmp_path / "my data").exists()


def test_tasks_run_again_with_another_work_folder_and_in_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'executor = "local"\n'
    folders = [plan(tmp_path, text, work)[1] for work in (None, tmp_path / "work")]
    monkeypatch.setattr("merge_snli.runs.submit.PLAN_FORMAT", PLAN_FORMAT + 1)
    folders.append(plan(tmp_path, text)[1])
    assert len({*folders}) == 3


def test_an_error_in_the_cluster_file_is_reported_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setattr("generation.dry_run.dry_run", lambda *_, **__: pytest.fail("work was done"))
    file = written(tmp_path / "cluster.toml", 'executor = "local"\ntaks = 3\n')
    arguments = ["generate", "demo:problems", "--preset", "demo", "--cluster", file]
    for more in (["--dry-run"], ["--out", tmp_path / "data"]):
        assert re.search(rf"{re.escape(str(file))}.*taks", command(*arguments, *more, code=2).err, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "out.work" / "cluster"


def record(state: str = "running", **values: Any) -> TaskRecord:  # noqa: ANN401 - the fields of `TaskRecord`
    given: dict[str, Any] = {"state": state, "host": "n1", "seconds": 20.0, "units": 100} | values
    return TaskRecord(**given)


@pytest.fixture
def stage(folder: Path) -> SubmittedStage:
    """The only stage of a run: task 0 is done, 1 runs, 2 has failed, 3 was killed, 4 waits."""
    made = SubmittedStage(
        executor="local", name="roberta", unit="forms", tasks=5, folder=folder / "plan" / "1-roberta-5"
    )
    write_run(folder, [made])
    killed, failed = record(host="n2", seconds=5.0, units=7), record("failed", error="--dtype is wrong")
    for task, of_task in enumerate([record("done", total=100), record(), failed, killed]):
        write_task(made.folder, task, of_task)
    long_ago = time.time() - 2 * SECONDS_WITHOUT_BEAT
    os.utime(task_file(made.folder, 3), (long_ago, long_ago))
    (made.folder / "completions").mkdir()
    (made.folder / "completions" / "00000").touch()
    (folder / SUBMITTER_FILE).write_text(f"{socket.gethostname().partition('.')[0]} {os.getpid()}", encoding="utf-8")
    return made


def test_tasks_are_counted_by_state(stage: SubmittedStage, tmp_path: Path, command: Command) -> None:
    status = command("work", "status", tmp_path / "out", "--format", "json").json
    assert status["active"] is True
    (found,) = status["stages"]
    assert [found[name] for name in ("tasks", "done", "running", "failed", "stopped", "waiting")] == [5, 1, 1, 1, 1, 1]
    assert found["units_per_second"] == pytest.approx(200 / 40)
    assert found["seconds_left"] == pytest.approx(4 * 20 - 20), "as long as the task that is done"
    failed, killed = status["failures"]
    assert (failed["task"], failed["host"], failed["error"]) == (2, "n1", "--dtype is wrong")
    assert failed["log"] == str(stage.log(2))
    assert (killed["task"], killed["host"], "killed" in killed["error"]) == (3, "n2", True)


def test_the_time_left_follows_from_how_far_a_task_is(stage: SubmittedStage, folder: Path) -> None:
    (stage.folder / "completions" / "00000").unlink()
    task_file(stage.folder, 0).unlink()
    assert run_status(folder)["stages"][0]["seconds_left"] is None
    write_task(stage.folder, 1, record(total=200))
    assert run_status(folder)["stages"][0]["seconds_left"] == pytest.approx(5 * 40 - 20), "halfway"


def test_the_first_failure_is_shown_with_its_log(stage: SubmittedStage, tmp_path: Path, command: Command) -> None:
    printed = command("work", "status", tmp_path / "out").out
    assert "--dtype is wrong" in printed and stage.log(2).name in printed
    assert "run the same command again" not in printed


def test_a_running_task_has_stopped_if_its_command_has_ended(stage: SubmittedStage, folder: Path) -> None:
    (folder / SUBMITTER_FILE).write_text(f"{socket.gethostname().partition('.')[0]} 999999999", encoding="utf-8")
    assert not is_submitting(folder)
    (found,) = run_status(folder)["stages"]
    assert (found["running"], found["stopped"]) == (0, 2)


def test_of_two_commands_that_begin_at_once_one_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "is_active", lambda *_: False)  # neither has submitted when both ask
    (folder / SUBMITTER_FILE).unlink(missing_ok=True)
    with submit._only_submitter(folder):
        held = (folder / SUBMITTER_FILE).read_text(encoding="utf-8")
        refused("a run is active", submit._only_submitter(folder).__enter__)
        assert (folder / SUBMITTER_FILE).read_text(encoding="utf-8") == held
    assert not (folder / SUBMITTER_FILE).exists()


def test_a_task_that_is_done_and_runs_again_is_no_failure(stage: SubmittedStage, folder: Path) -> None:
    (folder / SUBMITTER_FILE).unlink()
    (stage.folder / "output").mkdir()
    (stage.folder / "output" / "0.txt").touch()
    stage.forget()
    assert [failure["task"] for failure in run_status(folder)["failures"]] == [1, 2, 3]


def test_what_a_task_printed_is_shown_if_it_ended_before_its_work(stage: SubmittedStage, folder: Path) -> None:
    (folder / SUBMITTER_FILE).unlink()
    log = written(stage.folder / "output" / "4.txt", "…\nNo module named 'merge_snli'\n")
    last = run_status(folder)["failures"][-1]
    assert (last["task"], last["log"]) == (4, str(log))
    assert last["error"].endswith("No module named 'merge_snli'")
    log.write_bytes(b"")
    assert run_status(folder)["failures"][-1]["error"].endswith("nothing printed")


def test_a_command_on_another_machine_ends_when_it_no_longer_renews_its_file(
    stage: SubmittedStage, folder: Path
) -> None:
    file = written(folder / SUBMITTER_FILE, "elsewhere 1")
    assert is_submitting(folder)
    os.utime(file, (0, 0))
    assert not is_submitting(folder)


def test_the_run_is_read_back(stage: SubmittedStage, folder: Path) -> None:
    assert read_run(folder) == (stage,)


def test_no_run_and_a_run_that_cannot_be_canceled(stage: SubmittedStage, tmp_path: Path, command: Command) -> None:
    assert "other.work" in command("work", "status", tmp_path / "other", code=2).err
    assert "local" in command("work", "cancel", tmp_path / "out", code=2).err


@pytest.mark.parametrize("content", ["", '{"executor": "local"}', '[{"executor": "local", "folder": "a"}]'])
def test_file_of_another_version_is_named(content: str, folder: Path, tmp_path: Path, command: Command) -> None:
    path = written(folder / "cluster.json", content)
    assert f"{path} is damaged" in command("work", "status", tmp_path / "out", code=2).err


def test_the_error_of_a_task_names_flags(
    stage: SubmittedStage,
    folder: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.environ", dict(os.environ))  # a task sets its threads

    def work(share: TaskShare, progress: Stage) -> None:
        raise InputError(f"{param('device', 'cpu')} is wrong in /data/--old")

    refused(r"^device='cpu' is wrong", StageTask(work, stage, (), threads=1), None, 4, 5)
    assert run_status(folder)["failures"][-1]["error"] == "--device=cpu is wrong in /data/--old"
    assert "--device=cpu is wrong" in command("work", "status", tmp_path / "out", "--format", "json").out


def test_a_task_imports_nothing_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("typing", "dill", "signal"):
        written(tmp_path / "downloads" / f"{name}.py", f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(tmp_path / "downloads")
    stage = SubmittedStage(executor=LOCAL, name="print", unit="shares", tasks=1, folder=tmp_path / "0-print-1")
    make_executor(PRINTING, stage, StageOptions()).run()
    assert stage.completed() == {0}
    assert not (tmp_path / "executed").exists()
