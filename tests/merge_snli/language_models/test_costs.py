"""What a run of Inspect costs is limited over all its samples and prompts, and is in the results."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model._providers import mockllm

from merge_snli import read_results
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from tests.commands import Command
from tests.merge_snli.language_models.conftest import OWN, prompt_of, run_tasks, scripted_model
from tests.oracles import refused, written

PRICE = 50 * 1.0 + 2 * 10.0
"""The price of a call of a scripted model by these prices, in dollars per million calls."""
PRICES = "mockllm/model: {input: 1, output: 10, input_cache_write: 1, input_cache_read: 0.1}\n"


@pytest.fixture
def part(tmp_path: Path) -> dict[str, Any]:
    """The arguments of a task with 11 questions."""
    prices = str(written(tmp_path / "prices.yaml", PRICES))
    return {"dataset": OWN, "config": "verb", "limit_seeds": 1, "prices": prices}


def asked(log: EvalLog) -> int:
    return len(log.samples or [])


def test_the_cost_and_the_reasoning_of_a_run_are_in_its_result(
    part: dict[str, Any], tmp_path: Path, command: Command
) -> None:
    logs = run_tasks("merge_snli/nli", cycle(["neutral"]), tmp_path, task_args={**part, "prompt": ["word", "letter"]})
    results = tmp_path / "results"
    import_files([log.location for log in logs], OWN, out=results)
    for result in read_results(results):
        prompt = prompt_of(result)
        assert prompt.cost == pytest.approx(11 * PRICE / 1e6)
        assert (prompt.calls, prompt.output_tokens, prompt.reasoning_tokens) == (11, 22, 11)
    command("leaderboard", results, "--out", tmp_path / "site", "--format", "json")
    first = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))["rows"][0]
    assert (first["cost"], first["reasoning_tokens"]) == (pytest.approx(22 * PRICE / 1e6), 22)


def test_a_cost_is_unknown_without_prices(part: dict[str, Any], tmp_path: Path) -> None:
    """Inspect keeps the prices of a process, so this model has another name."""
    task = nli(**part | {"prices": None})
    (log,) = inspect_eval(
        task, model=scripted_model(["neutral"] * 11, name="mockllm/free"), log_dir=str(tmp_path), display="none"
    )
    (result,) = import_files([log.location], OWN)
    assert (prompt_of(result).cost, prompt_of(result).reasoning_tokens) == (None, 11)


def test_a_limit_counts_the_samples_of_all_prompts_and_a_retry_finishes_them(
    part: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = {**part, "prompt": ["word", "letter"], "cost_limit": 14.5 * PRICE / 1e6}
    logs = run_tasks("merge_snli/nli", cycle(["neutral"]), tmp_path, task_args=limited)
    assert [asked(log) for log in logs] == [11, 4]
    refused("has no answers to 7 of the 11", import_files, [logs[1].location], OWN)
    monkeypatch.setattr(mockllm.MockLLM, "generate", scripted_model(cycle(["neutral"])).api.generate)
    (finished,) = eval_retry(logs[1], display="none", log_dir=str(tmp_path))
    assert asked(finished) == 11
    (result,) = import_files([logs[1].location, finished.location], OWN)
    assert prompt_of(result).cost == pytest.approx(11 * PRICE / 1e6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost_limit": "five"}, "cost_limit is 'five'"),
        ({"cost_limit": 0}, "cost_limit is 0"),
        ({"cost_limit": 1, "reader": "mockllm/unpriced"}, "price of mockllm/unpriced: add it to prices"),
        ({"prices": "none.yaml"}, "none.yaml"),
        ({"prices": __file__}, "test_costs.py is not a file of prices"),
    ],
)
def test_wrong_prices_and_limits(part: dict[str, Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        nli(**part | arguments)
    assert message in str(raised.value.message)


def test_a_limit_needs_the_price_of_a_model_that_is_known_late(part: dict[str, Any], tmp_path: Path) -> None:
    task = nli(**part, cost_limit=1)
    model = scripted_model(["neutral"], name="mockllm/unpriced")
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert "price of mockllm/unpriced" in str(log.error and log.error.message)
