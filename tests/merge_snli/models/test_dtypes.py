"""Test the dtypes of classifiers: each runs, is close to float32, and is cached separately."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from merge_snli import score
from merge_snli.base.errors import InputError
from merge_snli.embedded import embedded_path
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.scored_model import model_from_name
from merge_snli.scoring.predict import predict_pairs


def embedded_pairs() -> list[Pair]:
    path = embedded_path("demo:problems")
    assert path is not None
    problems = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(problem["premise"], problem["hypothesis"]) for problem in problems]


@pytest.mark.parametrize(("dtype", "near"), [("bfloat16", 0.1), ("float16", 0.02)])
def test_logits_are_close_to_float32(dtype: str, near: float) -> None:
    """Uses a trained model: in models with large random weights, rounding errors grow with each layer."""
    pairs = embedded_pairs()[:20]
    reference, other = (
        np.asarray(predict_pairs(model_from_name("demo:nli-b", ModelOptions(dtype=name)).load, pairs, None)[0].logits)
        for name in ("float32", dtype)
    )
    np.testing.assert_allclose(other, reference, atol=near)
    assert not np.array_equal(other, reference)


def test_int8_predicts_the_same_labels_as_float32() -> None:
    pairs = embedded_pairs()[:60]
    answers, sizes = [], set()
    for dtype in ("float32", "int8"):
        predicted, facts = predict_pairs(model_from_name("demo:nli-b", ModelOptions(dtype=dtype)).load, pairs, None)
        answers.append(predicted.outputs)
        sizes.add(facts.parameters)
    assert len(sizes) == 1
    assert np.mean(answers[0] == answers[1]) >= 0.9


def test_results_of_two_dtypes_are_cached_separately(bert: Path, dataset: Path, tmp_path: Path) -> None:
    first, second = (score(bert, dataset, dtype=dtype, out=tmp_path / "results") for dtype in ("float32", "bfloat16"))
    assert (first.run.dtype, second.run.dtype) == ("float32", "bfloat16")
    assert first.model.digest == second.model.digest
    assert len(list((tmp_path / "results").glob("*.json"))) == 2
    assert len(list((tmp_path / "results.work" / "predictions").iterdir())) == 2


def test_unknown_dtype_is_refused() -> None:
    with pytest.raises(InputError, match=r"'float64'.* float32, bfloat16, float16, int8"):
        ModelOptions(dtype="float64")


def test_int8_needs_a_cpu(bert: Path) -> None:
    from merge_snli.models.finding import find_model
    from merge_snli.models.loading import load_classifier

    with pytest.raises(InputError, match=r"dtype='int8' .*cuda.* device='cpu'"):
        load_classifier(find_model(str(bert)), "cuda", ModelOptions(dtype="int8"))
