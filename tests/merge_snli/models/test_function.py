"""Test functions as models: valid labels, and caching."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from merge_snli import read_results, score
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.function import label_reader
from merge_snli.models.labels import Pair
from merge_snli.schema import NLI_LABELS
from tests.oracles import answers_of_groups


def always(answer: Any) -> Callable[[list[Pair]], list[Any]]:  # noqa: ANN401 - a label or an invalid value
    return lambda pairs: [answer] * len(pairs)


def test_label_names_and_numbers_are_equivalent(dataset: Path) -> None:
    by_name = score(always("Neutral"), dataset, name="f")
    assert score(always(1), dataset).scores == by_name.scores
    assert set(answers_of_groups(by_name).seeds or ()) == {"neutral"}


def test_not_entailment_makes_the_comparison_two_way(dataset: Path) -> None:
    result = score(lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"], dataset)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert set(answers_of_groups(result).seeds or ()) == {"not_entailment"}
    assert score(always("neutral"), dataset).compared_labels == ("entailment", "neutral", "contradiction")


@pytest.mark.parametrize("answer", ["perhaps", "no", 3, -1, 0.5, True])
def test_invalid_label_is_refused_with_the_pair(dataset: Path, answer: object) -> None:
    with pytest.raises(InputError, match=rf"^odd returned {answer!r} for '.*' / '.*'; .*entailment, "):
        score(always(answer), dataset, name="odd")


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
    rows = find_dataset(str(dataset)).to_pandas("all").set_index("variant_id")
    table = result.to_pandas(dataset, with_text=True).set_index("row_id").loc[rows.index]
    expected = shares([*zip(rows["premise"], rows["hypothesis"], strict=True)])
    stored = table[[f"probability:{label}" for label in NLI_LABELS]].to_numpy()
    np.testing.assert_allclose(stored, expected, atol=1e-6)
    assert read_results(tmp_path) == [result]


@pytest.mark.parametrize(
    "row", [[0.5, 0.5], [0.5, 0.2, 0.2], [1.5, -0.5, 0.0], [float("nan"), 0.5, 0.5], ["a", "b", "c"]]
)
def test_other_rows_than_probabilities_are_refused_with_the_pair(dataset: Path, row: list[Any]) -> None:
    with pytest.raises(InputError, match=rf"^odd returned {re.escape(repr(row))} for '.*' / '.*'; .* 3 "):
        score(always(row), dataset, name="odd")


def test_too_few_labels_are_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"^short returned 1 labels for \d+ pairs"):
        score(lambda pairs: ["neutral"], dataset, name="short")


def test_function_without_return_value_is_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"^silent returned None for \d+ pairs"):
        score(lambda pairs: None, dataset, name="silent")  # type: ignore[arg-type]


def test_predictions_are_cached_by_version(dataset: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def rule(pairs: list[Pair]) -> list[str]:
        calls.append(len(pairs))
        return ["entailment"] * len(pairs)

    out = tmp_path / "results"
    first = score(rule, dataset, out=out, version="1")
    assert max(calls) <= 512
    predicted = sum(calls)
    assert score(rule, dataset, out=out, version="1") == first
    assert sum(calls) == predicted
    score(rule, dataset, out=out, version="2")
    assert sum(calls) == 2 * predicted
    score(rule, dataset, out=out)
    assert sum(calls) == 3 * predicted
    assert len(list(out.glob("rule-*.json"))) == 3


def test_labels_in_the_form_of_pipelines_are_read() -> None:
    read = label_reader(NLI_LABELS, "f")
    assert read({"label": "neutral", "score": 0.9}, ("a", "b")) == "neutral"
    with pytest.raises(InputError, match="returned"):
        read({"score": 0.9}, ("a", "b"))
