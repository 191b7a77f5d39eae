"""Fixtures: a small data set with results of functions, one of which has a name that tries to inject markup."""

import dataclasses
from pathlib import Path

import pytest

from merge_snli import Result, analyze, score
from merge_snli.answers.opening import open_config
from merge_snli.comparison.scored_dataset import ScoredDataset, scored_dataset
from tests.oracles import BUNDLED, by_premise, write_results

SHIPPED = BUNDLED
MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="session")
def results() -> list[Result]:
    scored = [score(by_premise(divisor), SHIPPED, name=f"by {divisor}") for divisor in (3, 5)]
    renamed = dataclasses.replace(scored[1].model, name=MARKUP)
    return [scored[0], dataclasses.replace(scored[1], model=renamed, notes=(MARKUP,))]


@pytest.fixture(scope="session")
def scored(results: list[Result]) -> ScoredDataset:
    return scored_dataset(open_config(SHIPPED, "all"), results)


@pytest.fixture(scope="session")
def report_folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a whole report; do not change it."""
    out = tmp_path_factory.mktemp("analysis") / "report"
    analyze(results, [SHIPPED], out=out)
    return out


@pytest.fixture
def results_folder(results: list[Result], tmp_path: Path) -> Path:
    return write_results(tmp_path / "results", results)
