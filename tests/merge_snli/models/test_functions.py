"""Functions that are scored: valid labels, probabilities and caching."""

import random
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from merge_snli import read_results, score
from merge_snli.models.function import function_name
from merge_snli.models.labels import Pair
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring import functions
from tests.oracles import always, answers_of_groups, refused


def test_label_names_and_numbers_are_equivalent(dataset: Path) -> None:
    by_name = score(always("Neutral"), dataset, name="f")
    assert score(always(1), dataset).scores == by_name.scores
    assert by_name.compared_labels == NLI_LABELS
    assert {*(answers_of_groups(by_name).seeds or ())} == {"neutral"}


def test_not_entailment_makes_the_comparison_two_way(dataset: Path) -> None:
    result = score(lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"], dataset)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert {*(answers_of_groups(result).seeds or ())} == {"not_entailment"}


@pytest.mark.parametrize(
    "answer",
    ["perhaps", 3, -1, 0.5, True, [0.5, 0.5], [0.5, 0.2, 0.2], [1.5, -0.5, 0.0], [float("nan"), 0.5, 0.5], ["a", "b"]],
    ids=repr,
)
def test_invalid_answers_are_refused_with_the_pair(dataset: Path, answer: object) -> None:
    expected = " 3 " if isinstance(answer, list) else "entailment, "
    message = rf"^odd returned {re.escape(repr(answer))} for '.*' / '.*'; .*{expected}"
    refused(message, score, always(answer), dataset, name="odd")


def test_another_number_of_answers_than_pairs_is_refused(dataset: Path) -> None:
    refused(r"^odd returned 1 labels for \d+ pairs", score, lambda pairs: ["neutral"], dataset, name="odd")
    refused(r"^odd returned None for \d+ pairs", score, lambda pairs: None, dataset, name="odd")


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, torch.from_numpy, lambda rows: [*torch.from_numpy(rows)]]
)
def test_a_function_may_return_probabilities(dataset: Path, tmp_path: Path, form: Callable[..., Any]) -> None:
    def shares(pairs: list[Pair]) -> NDArray[Any]:
        drawn = np.array([random.Random(str(pair)).choices(range(10), k=3) for pair in pairs]) + np.array([1, 0, 0])
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))

    result = score(lambda pairs: form(shares(pairs)), dataset, name="shares", out=tmp_path)
    labels = score(lambda pairs: form(shares(pairs).argmax(axis=1)), dataset, name="labels")
    assert result.scores == labels.scores
    assert result.calibration is not None
    assert labels.calibration is None
    table = result.to_pandas(dataset, with_text=True)
    stored = table[[f"probability:{label}" for label in NLI_LABELS]].to_numpy()
    pairs = [*zip(table["premise"], table["hypothesis"], strict=True)]
    np.testing.assert_allclose(stored, shares(pairs), atol=1e-6)
    assert read_results(tmp_path) == [result]


def test_logits_need_a_softmax(dataset: Path) -> None:
    for logits in ([2.5, -1.0, 0.3], [0.5, 0.4, 0.3]):
        refused(r"logits.*softmax", score, always(logits), dataset, name="logits")
    wrong_form = refused("3 numbers", score, always([0.5, 0.5]), dataset, name="shares")
    assert "softmax" not in str(wrong_form)


def test_predictions_are_cached_by_version(dataset: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def rule(pairs: list[Pair]) -> list[str]:
        calls.append(len(pairs))
        return ["entailment"] * len(pairs)

    def calls_of(version: str | None) -> int:
        score(rule, dataset, out=tmp_path / "results", version=version)
        return sum(calls)

    once = calls_of("1")
    assert max(calls) <= 512
    assert calls_of("1") == once
    assert calls_of("2") == 2 * once
    cached = sorted((tmp_path / "results.work").rglob("*"))
    assert calls_of(None) == 3 * once
    assert sorted((tmp_path / "results.work").rglob("*")) == cached
    assert len(read_results(tmp_path / "results")) == 3


def rule(pair: Pair) -> str | None:
    number = sum(map(ord, "".join(pair))) % 4
    return NLI_LABELS[number] if number < 3 else None


class Service:
    """Answers by rule, records the pairs that it was called with, and fails when it has had some."""

    def __init__(self, fails_after: float = float("inf")) -> None:
        self.fails_after = fails_after
        self.asked: list[Pair] = []

    def __call__(self, pairs: list[Pair]) -> list[str | None]:
        if len(self.asked) + len(pairs) > self.fails_after:
            raise ConnectionError("the service is down")
        self.asked += pairs
        return [rule(pair) for pair in pairs]


def test_labels_and_probabilities_of_one_version_are_not_mixed(dataset: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"name": "service", "version": "1", "out": tmp_path / "results"}
    score(lambda pairs: [0] * len(pairs), dataset, **options, limit_seeds=2)
    written = {*tmp_path.rglob("*.parquet")}
    refused(
        "service.*labels.*probabilities.*version", score, lambda pairs: [[1, 0, 0]] * len(pairs), dataset, **options
    )
    assert {*tmp_path.rglob("*.parquet")} == written


def test_a_function_with_a_version_resumes_after_a_failure(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "PAIRS_PER_CALL", 100)
    out = tmp_path / "results"
    options: dict[str, Any] = {"name": "service", "version": "1", "out": out}
    failing = Service(fails_after=250)
    refused("the service is down", score, failing, dataset, error=ConnectionError, **options)
    assert not out.exists()
    assert len(failing.asked) == 200
    rest = Service()
    whole = Service()
    resumed = score(rest, dataset, **options)
    expected = score(whole, dataset, name="service", version="1")
    assert sorted(failing.asked + rest.asked) == sorted(whole.asked)
    assert resumed.model == expected.model
    assert answers_of_groups(resumed) == answers_of_groups(expected)
    assert resumed.run.no_answers == expected.run.no_answers
    assert expected.run.no_answers > 0


def test_labels_in_the_form_of_pipelines_are_read(dataset: Path) -> None:
    def dicts(pairs: list[Pair]) -> Any:  # noqa: ANN401 - a list of dicts
        return [{"label": rule(pair), "score": 0.9} for pair in pairs]

    by_dict = score(dicts, dataset)
    assert by_dict.scores == score(Service(), dataset).scores
    refused(r"f returned \{'score': 0.9\} for", score, always({"score": 0.9}), dataset, name="f")


def test_what_is_no_list_of_labels_is_refused(dataset: Path) -> None:
    refused(r"^len returned \d+ for \d+ pairs; it must return a list of labels", score, len, dataset)


def with_client(pairs: list[Pair], *, client: object = None, api_key: str = "") -> list[str]:
    return ["neutral"] * len(pairs)


def test_a_partial_has_the_same_name_in_every_process() -> None:
    first, second = Service(), Service()
    name = function_name(partial(with_client, client=first))
    assert name == function_name(partial(with_client, client=second))
    assert name.startswith("with_client-")


def test_the_name_of_a_partial_does_not_show_its_arguments() -> None:
    one, other = (function_name(partial(with_client, api_key=key)) for key in ("sk-1", "sk-2"))
    assert one != other
    assert "sk-" not in one


def test_no_answer_to_pairs_in_groups_is_wrong() -> None:
    row = {"hypothesis": "It runs.", "label": "entailment"}
    rows = [row | {"premise": f"A dog runs {number}.", "group": number // 2} for number in range(4)]
    silent = score(always(None), rows, group_column="group", name="silent")
    assert silent.pattern_accuracy == 0
    assert silent.run.no_answers == 4
    assert answers_of_groups(silent).predictions == ("??", "??")
