"""Each pair once, the missing ones only, the long ones never cut."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring.predictions.predict as predict
from scoring.models.predictor import ModelFacts, Pair, Predictor
from scoring.predictions.store import PredictionStore

WORDS = "one two three four five six seven eight nine ten".split()  # noqa: SIM905
PAIRS: tuple[Pair, ...] = tuple((" ".join(WORDS[: n % 9 + 1]), f"{n}") for n in range(50))


class Counting:
    """Gives a pair's logits from its text, and counts what it is asked."""

    facts = ModelFacts("Counting", 0, limit=8)
    n_outputs = 2
    batch_tokens = 12

    def __init__(self) -> None:
        self.asked: Counter[Pair] = Counter()
        self.batches: list[list[int]] = []

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        return [len(premise.split()) for premise, _ in pairs]

    def predict(self, pairs: Sequence[Pair]) -> Any:  # noqa: ANN401 - an array
        self.asked.update(pairs)
        self.batches.append(self.count_tokens(pairs))
        return np.array([[len(premise), float(hypothesis)] for premise, hypothesis in pairs], dtype=np.float32)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "SHARD_PAIRS", 7)


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
    assert set(predictor.asked.values()) == {1}
    assert all(len(set(batch)) == 1 and sum(batch) <= 12 for batch in predictor.batches)


def test_pairs_that_are_too_long_are_never_given_to_the_model() -> None:
    predictor = Counting()
    predict.predict_pairs(lambda: predictor, PAIRS, None)
    assert not [pair for pair in predictor.asked if len(pair[0].split()) > 8]


def test_what_is_kept_is_not_asked_again(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path)
    predictor = Counting()
    first, _ = predict.predict_pairs(lambda: predictor, PAIRS[:30], store)
    predict.predict_pairs(lambda: predictor, PAIRS, store)
    assert set(predictor.asked.values()) == {1}
    again, facts = predict.predict_pairs(not_loaded, PAIRS, store)
    np.testing.assert_array_equal(again.logits, expected_logits())
    np.testing.assert_array_equal(again.logits[:30], first.logits)
    assert facts == Counting.facts


def not_loaded() -> Predictor:
    pytest.fail("the model was loaded though every prediction is kept")


def test_failure_keeps_what_was_done(tmp_path: Path) -> None:
    class Failing(Counting):
        def predict(self, pairs: Sequence[Pair]) -> Any:  # noqa: ANN401 - an array
            if len(self.batches) == 12:
                raise KeyboardInterrupt
            return super().predict(pairs)

    store, failing, whole = PredictionStore(tmp_path), Failing(), Counting()
    with pytest.raises(KeyboardInterrupt):
        predict.predict_pairs(lambda: failing, PAIRS, store)
    kept = sum(len(shard.pairs) for shard in store.shards())
    too_long = sum(len(premise.split()) > 8 for premise, _ in PAIRS)
    assert kept > too_long
    shard, _ = predict.predict_pairs(lambda: whole, PAIRS, store)
    np.testing.assert_array_equal(shard.logits, expected_logits())
    assert whole.asked.total() == len(PAIRS) - kept
