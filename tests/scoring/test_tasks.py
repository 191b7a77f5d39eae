"""The stages of scoring on a cluster, done here: any division of the pairs gives the results of one process."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli.cluster.run import Planned
from merge_snli.cluster.score import score_on_cluster
from merge_snli.dataset import find_dataset
from merge_snli.errors import IncompleteError, InputError
from merge_snli.progress import Progress
from merge_snli.share import Share
from scoring.models.names import name_models
from scoring.models.options import ModelOptions
from scoring.predictions.pairs import read_config
from scoring.score_models import score_models
from scoring.tasks import DataOptions, ScoringPlan, evaluate, predict

QUIET = Progress(quiet=True)


@pytest.fixture
def plan(dataset: Path, bert: Path, roberta: Path, tmp_path: Path) -> ScoringPlan:
    found = find_dataset(str(dataset))
    return ScoringPlan(
        models={"tiny-bert": str(bert), "mine": str(roberta)},
        data=DataOptions(dataset=str(dataset), config="all"),
        digest=found.digest,
        pairs=len(read_config(found, "all").pairs),
        options=ModelOptions(),
        device="cpu",
        out=tmp_path / "results",
    )


def results(folder: Path) -> dict[str, Any]:
    """Return the results by file name, without the time that the predictions took."""
    found = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    for result in found.values():
        assert result["run"].pop("seconds") > 0
    return found


def test_the_results_are_those_of_one_process(plan: ScoringPlan, tmp_path: Path) -> None:
    data = read_config(find_dataset(str(plan.data.dataset)), "all")
    score_models(plan.models, data, options=replace(plan.options, device="cpu"), out=tmp_path / "one")
    with QUIET.stage("predict", unit="pairs") as stage:
        for name in ("mine", "tiny-bert"):
            for task in (2, 0, 1, 1):
                predict(plan, name, Share(task, 3), stage)
        evaluate(plan, Share(0, 1), stage)
    assert len(results(tmp_path / "one")) == 2
    assert results(plan.out) == results(tmp_path / "one")


def test_models_without_all_predictions_are_named_and_the_others_written(plan: ScoringPlan) -> None:
    with QUIET.stage("predict", unit="pairs") as stage:
        predict(plan, "mine", Share(0, 1), stage)
        predict(plan, "tiny-bert", Share(0, 2), stage)
        with pytest.raises(IncompleteError, match="tiny-bert is not scored"):
            evaluate(plan, Share(0, 1), stage)
    assert [result["model"]["name"] for result in results(plan.out).values()] == ["mine"]


def test_another_data_set_than_at_submission_is_refused(plan: ScoringPlan) -> None:
    with (
        QUIET.stage("predict", unit="pairs") as stage,
        pytest.raises(InputError, match=f"{plan.data.dataset} has changed"),
    ):
        predict(replace(plan, digest="0" * 64), "mine", Share(0, 1), stage)


def test_folders_of_one_name_are_scored_by_the_shortest_paths_that_differ(
    dataset: Path, bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_here(planned: Planned, progress: Progress) -> None:
        for stage in planned.stages:
            with progress.stage(stage.name, unit=stage.unit) as shown:
                stage.work(Share(0, 1), shown)

    monkeypatch.setattr(Planned, "run", run_here)
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        shutil.copytree(bert, Path(folder) / "model")
    Path("cluster.toml").write_text('executor = "local"\n', encoding="utf-8")
    scored, failed = score_on_cluster(
        name_models(["a/model", "b/model"]),
        DataOptions(dataset=str(dataset), config="all"),
        read_config(find_dataset(str(dataset)), "all"),
        Path("cluster.toml"),
        options=ModelOptions(),
        out=Path("results"),
    )
    assert failed == {}
    assert [result.model.name for result in scored] == ["a/model", "b/model"]
