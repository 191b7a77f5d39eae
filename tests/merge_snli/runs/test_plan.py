"""The cluster file, the plan of a dry run, and what `merge-snli work status` reads from the records of tasks."""

import os
import re
import socket
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
    SLURM,
    SUBMITTER_FILE,
    SubmittedStage,
    TaskRecord,
    is_submitting,
    task_file,
    write_run,
    write_task,
)
from merge_snli.runs.status import run_status
from merge_snli.runs.submit import PLAN_FORMAT, Cluster
from merge_snli.runs.task import StageTask
from tests import ROOT
from tests.commands import Command
from tests.oracles import missing_from, refused, written

PRINTING = RunStage(name="print", kind=TAG, unit="shares", work=print, step=0)

DOCS = ROOT / "docs" / "cluster.md"


def read(folder: Path, text: str) -> ClusterOptions:
    return read_cluster_file(written(folder / "cluster.toml", text))


def test_stages_take_the_defaults(tmp_path: Path) -> None:
    options = read(
        tmp_path,
        'executor = "slurm"\n[defaults]\ntasks = 8\npartition = "cpu"\ncpus_per_task = 2\n'
        '[masked_lm]\npartition = "gpu"\ngpus_per_task = 1\nsbatch_args = {account = "nlp", nice = 3}\n',
    )
    assert options.tag == StageOptions(tasks=8, partition="cpu", cpus_per_task=2)
    assert options.write == options.tag
    args: dict[str, str | int] = {"account": "nlp", "nice": 3}
    assert options.masked_lm == StageOptions(
        tasks=8, partition="gpu", cpus_per_task=2, gpus_per_task=1, sbatch_args=args
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("executor = ", ["not valid TOML"]),
        ("", ["executor: is missing"]),
        ('executor = "pbs"', ["executor", "'slurm'"]),
        ('executor = "local"\nspeed = 3', ["speed: is not a known entry", "problems_per_shard"]),
        ('executor = "local"\n[tag]\ntaks = 3', ["tag.taks: is not a known entry", "of a stage: tasks,"]),
        ('executor = "local"\ntag = 3', ["tag: must be a table"]),
        ('executor = "local"\ndefaults = 3', ["defaults: must be a table"]),
        ('executor = "local"\n[tag]\ntasks = 0', ["tag.tasks: ", " 1"]),
        ('executor = "local"\n[tag]\ntasks = 1001', ["tag.tasks: ", "1000"]),
        ('executor = "local"\n[tag]\ntasks = "3"', ["tag.tasks: ", "integer"]),
        ('executor = "local"\n[tag]\npartition = "gpu"', ["partition", "local"]),
        ('executor = "slurm"\naddress = "auto"', ["address", "slurm"]),
        ('executor = "slurm"\n[tag]\ngpus_per_task = -1', ["tag.gpus_per_task: "]),
        ('executor = "slurm"\n[tag.sbatch_args]\nexclusive = true', ["tag.sbatch_args.exclusive"]),
        ('executor = "slurm"\n[defaults.sbatch_args]\narray = 5', ["sbatch_args.array in [defaults]"]),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: list[str]) -> None:
    assert not missing_from(str(refused("", read, tmp_path, text)), str(tmp_path / "cluster.toml"), *named)


def test_the_examples_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    (example,) = re.findall("```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    options = read(tmp_path, example)
    assert options.executor == SLURM
    assert options.masked_lm.gpus_per_task == 1


def test_options_that_ray_does_not_have_are_refused(tmp_path: Path) -> None:
    options = StageOptions(ray_remote_kwargs={"accelerator": "A100"})
    run = SubmittedStage(executor=RAY, name="print", unit="shares", tasks=1, folder=tmp_path)
    refused("accelerator", make_executor(PRINTING, run, options).run)


MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")
THIS_MACHINE = socket.gethostname().partition(".")[0]


def estimate() -> Estimate:
    seconds = {"read and tag": 600.0, MLMS[0]: 36_000.0, MLMS[1]: 7_200.0, "filters and sets": 3_600.0, "write": 30.0}
    steps = {name: Step(name=name, seconds=each, forms=400 if name in MLMS else None) for name, each in seconds.items()}
    return Estimate(problems=207, sampled=207, forms=400, device="cpu", workers=1, loading=0.0, steps=steps)


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
    rows = re.sub(" {2,}", "|", text)
    assert "read and tag|21|–|2 min 30 s" in rows, "at most one task per shard, four at a time"
    assert "demo:mlm-wordpiece|8|50|2 h 30 min" in rows
    assert "demo:mlm-bpe|8|50|30 min 00 s" in rows
    assert "write|1|–|30.0 s" in rows
    assert "sbatch" not in text.lower()


def test_slurm_scripts_are_shown_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    text, folder = plan(
        tmp_path,
        'executor = "slurm"\n[defaults]\npartition = "cpu"\ntime = "1:00:00"\nsbatch_args = {account = "a b"}\n'
        '[masked_lm]\npartition = "gpu"\ngpus_per_task = 2\nenv_command = "module load python"\n',
    )
    _, tag, masked_lm, *others = text.split("#!/bin/bash\n")
    assert len(others) == 2, "one per kind of stage"
    for directive in ("partition=cpu", "time=1:00:00", "array=0", "cpus-per-task=1", "mem-per-cpu=2G", "account='a b'"):
        assert f"#SBATCH --{directive}\n" in tag
    assert f"'{folder}/0-read-and-tag-1/executor.pik'" in tag, "quoted, as it has a space"
    parts = ("#SBATCH --partition=gpu\n", "#SBATCH --gpus=2\n", "module load python\n")
    assert not missing_from(masked_lm, *parts, "python -P -m datatrove.tools.launch_pickled_pipeline")
    for script in (tag, *others):
        assert " -P -m datatrove" in script, "no code of the working directory"
    assert not list(tmp_path.glob("*.work"))
    assert not (tmp_path / "my data").exists()


def test_tasks_run_again_with_another_work_folder_and_in_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'executor = "local"\n'
    _, folder = plan(tmp_path, text)
    assert plan(tmp_path, text, tmp_path / "work")[1] != folder
    monkeypatch.setattr("merge_snli.runs.submit.PLAN_FORMAT", PLAN_FORMAT + 1)
    assert plan(tmp_path, text)[1] != folder


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
    of_stage = folder / "plan" / "1-roberta-5"
    made = SubmittedStage(executor="local", name="roberta", unit="forms", tasks=5, folder=of_stage)
    write_run(folder, [made])
    write_task(of_stage, 0, record("done", total=100))
    write_task(of_stage, 1, record())
    write_task(of_stage, 2, record("failed", error="--dtype is wrong"))
    write_task(of_stage, 3, record(host="n2", seconds=5.0, units=7))
    os.utime(task_file(of_stage, 3), (0, 0))
    written(of_stage / "completions" / "00000", "")
    written(folder / SUBMITTER_FILE, f"{THIS_MACHINE} {os.getpid()}")
    return made


def test_tasks_are_counted_by_state(stage: SubmittedStage, tmp_path: Path, command: Command) -> None:
    status = command("work", "status", tmp_path / "out", "--format", "json").json
    assert status["active"] is True
    (found,) = status["stages"]
    assert found["tasks"] == 5
    for state in ("done", "running", "failed", "stopped", "waiting"):
        assert found[state] == 1
    assert found["units_per_second"] == pytest.approx(200 / 40)
    assert found["seconds_left"] == pytest.approx(4 * 20 - 20), "as long as the task that is done"
    failed, killed = status["failures"]
    log = str(stage.log(2))
    assert failed == {"stage": "roberta", "task": 2, "host": "n1", "error": "--dtype is wrong", "log": log}
    assert (killed["task"], killed["host"]) == (3, "n2")
    assert "killed" in killed["error"]


def test_the_time_left_follows_from_how_far_a_task_is(stage: SubmittedStage, folder: Path) -> None:
    (stage.folder / "completions" / "00000").unlink()
    task_file(stage.folder, 0).unlink()
    assert run_status(folder)["stages"][0]["seconds_left"] is None
    write_task(stage.folder, 1, record(total=200))
    assert run_status(folder)["stages"][0]["seconds_left"] == pytest.approx(5 * 40 - 20), "halfway"


def test_the_first_failure_is_shown_with_its_log(stage: SubmittedStage, tmp_path: Path, command: Command) -> None:
    printed = command("work", "status", tmp_path / "out").out
    assert not missing_from(printed, "--dtype is wrong", stage.log(2).name)
    assert "run the same command again" not in printed


def test_a_running_task_has_stopped_if_its_command_has_ended(stage: SubmittedStage, folder: Path) -> None:
    written(folder / SUBMITTER_FILE, f"{THIS_MACHINE} 999999999")
    assert not is_submitting(folder)
    assert run_status(folder)["stages"][0]["stopped"] == 2


def test_of_two_commands_that_begin_at_once_one_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "is_active", lambda *_: False)  # neither has submitted when both ask
    file = folder / SUBMITTER_FILE
    with submit._only_submitter(folder):
        held = file.read_text(encoding="utf-8")
        refused("a run is active", submit._only_submitter(folder).__enter__)
        assert file.read_text(encoding="utf-8") == held
    assert not file.exists()


def test_a_task_that_is_done_and_runs_again_is_no_failure(stage: SubmittedStage, folder: Path) -> None:
    (folder / SUBMITTER_FILE).unlink()
    written(stage.folder / "output" / "0.txt", "")
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
