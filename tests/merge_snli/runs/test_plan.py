"""The plan that `--dry-run --cluster FILE` prints, for an estimate that is given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generation import Options
from generation.dry_run import DryRun, MaskedLMEstimate
from generation.pipeline import submitted
from generation.run import plan_run, read_inputs
from merge_snli.base.progress import Progress
from merge_snli.cli import main
from merge_snli.runs.executors import plan_text
from merge_snli.runs.options import read_cluster_file
from merge_snli.runs.submit import PLAN_FORMAT, Cluster

MLMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


def estimate() -> DryRun:
    mlms = (
        MaskedLMEstimate(name=name, forms=400, refused={}, forms_per_second=1.0, seconds=seconds, bytes=10)
        for name, seconds in zip(MLMS, (36_000.0, 7_200.0), strict=True)
    )
    return DryRun(
        problems=207,
        sampled=207,
        words=100,
        forms=400,
        device="cpu",
        workers=1,
        loading=0.0,
        reading=600.0,
        masked_lms=tuple(mlms),
        filters=3_600.0,
        writing=30.0,
    )


def plan(folder: Path, text: str, work: Path | None = None) -> tuple[str, Path]:
    """Return the text of a plan, and the folder of the run."""
    cluster = folder / "cluster.toml"
    cluster.write_text(text, encoding="utf-8")
    options = read_cluster_file(cluster)
    executor = Cluster(options)
    inputs = read_inputs(Options(problems="demo:problems", limit=207, mlm=MLMS), Progress(quiet=True))
    run = plan_run(
        inputs,
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
    assert rows["demo:mlm-bpe"] == ["8", "50", "30 min 00 s"]
    assert rows["write"] == ["1", "–", "30.0 s"]
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
    assert {"partition=cpu", "time=1:00:00", "array=0-0", "cpus-per-task=1", "mem-per-cpu=2G"} <= directives[0]
    assert "#SBATCH --account='a b'" in scripts[0]
    assert {"partition=gpu", "gpus=2"} <= directives[1]
    assert "module load python\n" in scripts[1]
    assert "python -m datatrove.tools.launch_pickled_pipeline" in scripts[1]
    assert f"'{folder}/0-read-and-tag-1/executor.pik'" in scripts[0], "quoted, as it has a space"
    assert not list(tmp_path.glob("*.work"))
    assert not (tmp_path / "my data").exists()


def test_tasks_run_again_with_another_work_folder(tmp_path: Path) -> None:
    text = 'executor = "local"\n'
    folders = {plan(tmp_path, text, work)[1] for work in (None, tmp_path / "work")}
    assert len(folders) == 2


def test_a_run_that_tasks_of_another_version_have_planned_is_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'executor = "local"\n'
    _, before = plan(tmp_path, text)
    monkeypatch.setattr("merge_snli.runs.submit.PLAN_FORMAT", PLAN_FORMAT + 1)
    assert plan(tmp_path, text)[1] != before


def test_an_error_in_the_cluster_file_is_reported_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("generation.dry_run.dry_run", lambda *_, **__: pytest.fail("work was done"))
    file = tmp_path / "cluster.toml"
    file.write_text('executor = "local"\ntaks = 3\n', encoding="utf-8")
    command = ["generate", "demo:problems", "--preset", "demo", "--cluster", str(file)]
    for more in (["--dry-run"], ["--out", str(tmp_path / "data")]):
        assert main([*command, *more]) == 2
        error = capsys.readouterr().err
        assert str(file) in error
        assert "taks" in error
