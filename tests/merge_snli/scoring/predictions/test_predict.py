"""Test predicting pairs: each pair once, missing pairs only, and pairs that are too long."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import merge_snli.scoring.predictions.predict as predict
from merge_snli.models.predictor import ModelFacts, Pair, Predictor
from merge_snli.scoring.predictions.store import PredictionStore

WORDS = "one two three four five six seven eight nine ten".split()  # noqa: SIM905
PAIRS: tuple[Pair, ...] = tuple((" ".join(WORDS[: n % 9 + 1]), f"{n}") for n in range(50))


class Counting:
    """Computes logits from the text of a pair, and counts predicted pairs."""

    facts = ModelFacts("Counting", 0, max_length=8)
    n_outputs = 2
    batch_tokens = 12

    def __init__(self) -> None:
        self.predicted: Counter[Pair] = Counter()
        self.batches: list[list[int]] = []

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        return [len(premise.split()) for premise, _ in pairs]

    def padded_length(self, tokens: int) -> int:
        return tokens

    def predict(self, pairs: Sequence[Pair]) -> Any:  # noqa: ANN401 - an array
        self.predicted.update(pairs)
        self.batches.append(self.count_tokens(pairs))
        return np.array([[len(premise), float(hypothesis)] for premise, hypothesis in pairs], dtype=np.float32)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "PAIRS_PER_SHARD", 7)


def expected_logits() -> Any:  # noqa: ANN401 - an array
    rows = [[len(premise), float(hypothesis)] for premise, hypothesis in PAIRS]
    too_long = [len(premise.split()) > 8 for premise, _ in PAIRS]
    return np.where(np.array(too_long)[:, None], np.nan, np.array(rows)).astype(np.float32)


def test_each_pair_is_predicted_once_in_batches_of_one_length() -> None:
    predictor = Counting()
    shard, facts = predict.predict_pairs(lambda: predictor, PAIRS, None)
    np.testing.assert_array_equal(shard.logits, expected_logits())
    assert shard.tokens.tolist() == [len(premise.split()) for premise, _ in PAIRS]
    assert facts == Counting.facts
    assert set(predictor.predicted.values()) == {1}
    assert all(len(set(batch)) == 1 and sum(batch) <= 12 for batch in predictor.batches)


def test_batches_have_one_padded_length_and_keep_unpadded_pairs_apart() -> None:
    class Padding(Counting):
        batch_tokens = 16

        def padded_length(self, tokens: int) -> int:
            return tokens if tokens in {1, 8} else 4 * (tokens // 4 + 1)

    predictor = Padding()
    shard, _ = predict.predict_pairs(lambda: predictor, PAIRS, None)
    np.testing.assert_array_equal(shard.logits, expected_logits())
    assert shard.tokens.tolist() == [len(premise.split()) for premise, _ in PAIRS]
    kinds = [{(predictor.padded_length(tokens), tokens in {1, 8}) for tokens in batch} for batch in predictor.batches]
    assert all(len(kind) == 1 for kind in kinds)
    assert all(predictor.padded_length(batch[0]) * len(batch) <= 16 for batch in predictor.batches)
    assert {2, 3} in [set(batch) for batch in predictor.batches]


def test_model_never_gets_pairs_that_are_too_long() -> None:
    predictor = Counting()
    predict.predict_pairs(lambda: predictor, PAIRS, None)
    assert not [pair for pair in predictor.predicted if len(pair[0].split()) > 8]


def test_cached_pairs_are_not_predicted_again(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path)
    predictor = Counting()
    first, _ = predict.predict_pairs(lambda: predictor, PAIRS[:30], store)
    predict.predict_pairs(lambda: predictor, PAIRS, store)
    assert set(predictor.predicted.values()) == {1}
    again, facts = predict.predict_pairs(not_loaded, PAIRS, store)
    np.testing.assert_array_equal(again.logits, expected_logits())
    np.testing.assert_array_equal(np.asarray(again.logits)[:30], np.asarray(first.logits))
    assert facts == Counting.facts


def not_loaded() -> Predictor:
    pytest.fail("the model was loaded although every prediction is cached")


def test_interrupt_keeps_finished_shards(tmp_path: Path) -> None:
    class Failing(Counting):
        def predict(self, pairs: Sequence[Pair]) -> Any:  # noqa: ANN401 - an array
            if len(self.batches) == 12:
                raise KeyboardInterrupt
            return super().predict(pairs)

    store, failing, whole = PredictionStore(tmp_path), Failing(), Counting()
    with pytest.raises(KeyboardInterrupt):
        predict.predict_pairs(lambda: failing, PAIRS, store)
    cached = sum(len(shard.pairs) for shard in store.shards())
    too_long = sum(len(premise.split()) > 8 for premise, _ in PAIRS)
    assert cached > too_long
    shard, _ = predict.predict_pairs(lambda: whole, PAIRS, store)
    np.testing.assert_array_equal(shard.logits, expected_logits())
    assert whole.predicted.total() == len(PAIRS) - cached
