"""The stages of scoring on a cluster, done here: any division of the pairs gives the results of one process."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.errors import IncompleteError, InputError
from merge_snli.base.progress import Progress
from merge_snli.base.stages import WHOLE, RunStage, TaskShare, run_here
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.scored_model import name_models
from merge_snli.scoring.data import part_of_data
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.score_models import score_models
from merge_snli.scoring.tasks import ScoringRun, evaluate, predict, score_run

QUIET = Progress(quiet=True)


@pytest.fixture
def run(dataset: Path, bert: Path, roberta: Path, tmp_path: Path) -> ScoringRun:
    """A run as a task in another process gets it."""
    found = find_dataset(str(dataset))
    opened = ScoringRun(
        models={"tiny-bert": str(bert), "mine": str(roberta)},
        dataset=str(dataset),
        options=ScoreOptions(config="all", device="cpu"),
        out=tmp_path / "results",
        expected=found.digest,
        opened=(read_config(found, "all"), None),
    )
    copy: ScoringRun = pickle.loads(pickle.dumps(opened))
    assert copy.opened is None
    return copy


def results(folder: Path) -> dict[str, Any]:
    """Return the results by file name, without the time that the predictions took."""
    found = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    for result in found.values():
        assert result["run"].pop("seconds") > 0
    return found


def test_the_results_are_those_of_one_process(run: ScoringRun, tmp_path: Path) -> None:
    data = read_config(find_dataset(str(run.dataset)), "all")
    score_models(run.models, data, options=run.options, out=tmp_path / "one")
    with QUIET.stage("predict", unit="pairs") as stage:
        for name in ("mine", "tiny-bert"):
            for task in (2, 0, 1, 1):
                predict(run, name, TaskShare(task, 3), stage)
        evaluate(run, WHOLE, stage)
    assert len(results(tmp_path / "one")) == 2
    assert results(run.out) == results(tmp_path / "one")


@pytest.mark.parametrize("part", [{"drawn": True}, {"limit_seeds": 3}, {"subsample": 0}])
def test_a_part_of_the_data_is_predicted_in_tasks(
    run: ScoringRun, make_dataset: Callable[..., Path], tmp_path: Path, part: dict[str, Any]
) -> None:
    def one_draw(seed: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["subsamples"] = [number for number in row["subsamples"] if number == 0]

    found = find_dataset(str(make_dataset(tmp_path / "one_draw", change=one_draw)))
    data = part_of_data(read_config(found, "all"), **part)
    options = replace(run.options, **part)
    run = replace(run, dataset=str(found.folder), options=options, expected=found.digest)
    score_models(run.models, data, options=run.options, out=tmp_path / "one")
    with QUIET.stage("predict", unit="pairs") as stage:
        predict(run, "mine", WHOLE, stage)
        assert stage.total == len(data.pairs) < len(read_config(found, "all").pairs)
        predict(run, "tiny-bert", WHOLE, stage)
        evaluate(run, WHOLE, stage)
    assert results(run.out) == results(tmp_path / "one")


def test_models_without_all_predictions_are_named_and_the_others_written(run: ScoringRun) -> None:
    with QUIET.stage("predict", unit="pairs") as stage:
        predict(run, "mine", WHOLE, stage)
        predict(run, "tiny-bert", TaskShare(0, 2), stage)
        with pytest.raises(IncompleteError, match="tiny-bert is not scored"):
            evaluate(run, WHOLE, stage)
    assert [result["model"]["name"] for result in results(run.out).values()] == ["mine"]


def test_another_data_set_than_at_submission_is_refused(run: ScoringRun) -> None:
    with (
        QUIET.stage("predict", unit="pairs") as stage,
        pytest.raises(InputError, match=f"{run.dataset} has changed"),
    ):
        predict(replace(run, expected="0" * 64), "mine", WHOLE, stage)


class Here:
    """An executor that runs each stage as one task in this process."""

    def device(self, kind: str, device: str | None) -> str:
        return device or "cpu"

    def folder(self, out: Path, inputs: object) -> Path:
        return out.with_name("cluster")

    def run(self, stages: Sequence[RunStage], folder: Path, progress: Progress) -> None:
        run_here(stages, progress)


def test_folders_of_one_name_are_scored_by_the_shortest_paths_that_differ(
    dataset: Path, bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        shutil.copytree(bert, Path(folder) / "model")
    run = ScoringRun(
        models=name_models(["a/model", "b/model"]),
        dataset=str(dataset),
        options=ScoreOptions(config="all"),
        out=Path("results"),
        opened=(read_config(find_dataset(str(dataset)), "all"), None),
    )
    scored, failed = score_run(run, Here())
    assert failed == {}
    assert [result.model.name for result in scored] == ["a/model", "b/model"]
