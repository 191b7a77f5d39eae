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
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import answers_of_groups, refused


def always(answer: Any) -> Callable[[list[Pair]], list[Any]]:  # noqa: ANN401 - a label or an invalid value
    return lambda pairs: [answer] * len(pairs)


def test_label_names_and_numbers_are_equivalent(dataset: Path) -> None:
    by_name = score(always("Neutral"), dataset, name="f")
    assert score(always(1), dataset).scores == by_name.scores
    assert by_name.compared_labels == NLI_LABELS
    assert {*(answers_of_groups(by_name).seeds or ())} == {"neutral"}


def test_not_entailment_makes_the_comparison_two_way(dataset: Path) -> None:
    result = score(lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"], dataset)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert {*(answers_of_groups(result).seeds or ())} == {"not_entailment"}


OTHERS = [[0.5, 0.5], [0.5, 0.2, 0.2], [1.5, -0.5, 0.0], [float("nan"), 0.5, 0.5], ["a", "b", "c"]]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        *((always(answer), rf"{answer!r} for '.*' / '.*'; .*entailment, ") for answer in ("perhaps", 3, -1, 0.5)),
        (always(True), r"True for '.*' / '.*'; .*entailment, "),
        *((always(row), rf"{re.escape(repr(row))} for '.*' / '.*'; .* 3 ") for row in OTHERS),
        (lambda pairs: ["neutral"], r"1 labels for \d+ pairs"),
        (lambda pairs: None, r"None for \d+ pairs"),
    ],
)
def test_invalid_answers_are_refused_with_the_pair(dataset: Path, model: Any, message: str) -> None:  # noqa: ANN401
    refused(f"^odd returned {message}", score, model, dataset, name="odd")


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, torch.from_numpy, lambda rows: [*torch.from_numpy(rows)]]
)
def test_a_function_may_return_probabilities(dataset: Path, tmp_path: Path, form: Callable[..., Any]) -> None:
    def shares(pairs: list[Pair]) -> NDArray[Any]:
        drawn = np.array([random.Random(str(pair)).choices(range(10), k=3) for pair in pairs]) + np.array([1, 0, 0])
        return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))

    result = score(lambda pairs: form(shares(pairs)), dataset, name="shares", out=tmp_path)
    labels = score(lambda pairs: form(shares(pairs).argmax(axis=1)), dataset, name="labels")
    assert result.scores == labels.scores and result.calibration is not labels.calibration is None
    table = result.to_pandas(dataset, with_text=True)
    stored = table[[f"probability:{label}" for label in NLI_LABELS]].to_numpy()
    pairs = [*zip(table["premise"], table["hypothesis"], strict=True)]
    np.testing.assert_allclose(stored, shares(pairs), atol=1e-6)
    assert read_results(tmp_path) == [result]


def test_logits_need_a_softmax(dataset: Path) -> None:
    for logits in ([2.5, -1.0, 0.3], [0.5, 0.4, 0.3]):
        refused(r"logits.*softmax", score, lambda pairs, row=logits: [row] * len(pairs), dataset, name="logits")
    wrong_form = refused("3 numbers", score, lambda pairs: [[0.5, 0.5]] * len(pairs), dataset, name="shares")
    assert "softmax" not in str(wrong_form)


def test_right_answers_to_data_of_one_label_get_no_warning(make_dataset: MakeDataset, tmp_path: Path) -> None:
    """Always giving the most common label is right there, and no order of labels is better."""

    def of_one_label(seed: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in (seed, *rows):
            row["label"] = 0

    folder = make_dataset(tmp_path / "one", seeds=4, change=of_one_label)
    right = score(lambda pairs: [0] * len(pairs), folder, name="right")
    wrong = score(lambda pairs: [1] * len(pairs), folder, name="wrong")
    assert (right.scores.seed_accuracy, right.notes) == (1, ())
    assert any(note.startswith("warning") for note in wrong.notes)


def test_predictions_are_cached_by_version(dataset: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def rule(pairs: list[Pair]) -> list[str]:
        calls.append(len(pairs))
        return ["entailment"] * len(pairs)

    results, predicted = [], []
    for version in ("1", "1", "2", None):
        results.append(score(rule, dataset, out=tmp_path / "results", version=version))
        predicted.append(sum(calls))
    assert max(calls) <= 512
    assert results[0] == results[1]
    assert predicted == [times * predicted[0] for times in (1, 1, 2, 3)]
    assert len([*(tmp_path / "results").glob("rule-*.json")]) == 3


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


def test_a_function_with_a_version_resumes_after_a_failure(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(functions, "PAIRS_PER_CALL", 100)
    out = tmp_path / "results"
    options: dict[str, Any] = {"name": "service", "version": "1", "out": out}
    failing = Service(fails_after=250)
    refused("the service is down", score, failing, dataset, error=ConnectionError, **options)
    assert not out.exists() and len(failing.asked) == 200
    rest, whole = Service(), Service()
    resumed = score(rest, dataset, **options)
    expected = score(whole, dataset, name="service", version="1")
    assert sorted(failing.asked + rest.asked) == sorted(whole.asked)
    assert (resumed.scores, resumed.model) == (expected.scores, expected.model)
    assert answers_of_groups(resumed) == answers_of_groups(expected)
    assert resumed.run.no_answers == expected.run.no_answers > 0


def test_without_a_version_nothing_is_cached(dataset: Path, tmp_path: Path) -> None:
    score(Service(), dataset, out=tmp_path / "results")
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_labels_in_the_form_of_pipelines_are_read(dataset: Path) -> None:
    def dicts(pairs: list[Pair]) -> Any:  # noqa: ANN401 - a list of dicts
        return [{"label": rule(pair), "score": 0.9} for pair in pairs]

    by_dict = score(dicts, dataset)
    assert by_dict.scores == score(Service(), dataset).scores
    refused(r"f returned \{'score': 0.9\} for", score, always({"score": 0.9}), dataset, name="f")


class AsyncService:
    """Has an async `__call__`."""

    async def __call__(self, pairs: list[Pair]) -> list[str]:
        raise AssertionError(pairs)


async def label_of(pair: Pair, *, label: str = "neutral") -> str:
    raise AssertionError(pair, label)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (label_of, "label_of"),
        (partial(label_of, label="neutral"), "label_of-"),
        (AsyncService(), "AsyncService"),
        (partial(AsyncService()), "AsyncService-"),
    ],
)
def test_an_async_function_is_refused_before_the_data_is_read(function: Any, name: str) -> None:  # noqa: ANN401
    refused(f"^{name}.* is an async function: .*Inspect .docs/language-models.md", score, function, "missing")
    assert (Path(__file__).parents[3] / "docs" / "language-models.md").is_file()


def with_client(pairs: list[Pair], *, client: object = None, api_key: str = "") -> list[str]:
    return ["neutral"] * len(pairs)


def test_a_partial_has_the_same_name_in_every_process() -> None:
    (name,) = {function_name(partial(with_client, client=client)) for client in [Service() for _ in range(3)]}
    assert name.startswith("with_client-")
    keys = {function_name(partial(with_client, api_key=key)) for key in ("sk-1", "sk-2")}
    assert len(keys) == 2 and not any("sk-" in key for key in keys)


def test_no_answer_to_pairs_in_groups_is_wrong() -> None:
    rows = [
        {"premise": f"A dog runs {number}.", "hypothesis": "It runs.", "label": "entailment", "group": number // 2}
        for number in range(4)
    ]
    silent = score(always(None), rows, group_column="group", name="silent")
    assert (silent.pattern_accuracy, silent.run.no_answers) == (0, 4)
    assert answers_of_groups(silent).predictions == ("??", "??")
