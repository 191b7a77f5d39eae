"""Test predicting pairs: each pair once, missing pairs only, and pairs that are too long."""

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import merge_snli.scoring.predict as predict
from merge_snli.models.labels import Missing, ModelFacts, Pair, Predictor
from merge_snli.scoring.predict import FACTS_FILE, Predictions, PredictionStore, look_up
from tests.oracles import refused

FIRST = Predictions(
    ("a", "b"),
    np.array([3, 4], np.int32),
    np.array([2, Missing.NOT_PREDICTED]),
    np.array([[1, 2, 3], [np.nan] * 3], np.float32),
    1.5,
)
SECOND = Predictions(("c",), np.array([5], np.int32), np.array([2]), np.array([[7, 8, 9]], np.float32), 2.0)
LABELS = Predictions(("a", "b"), np.zeros(2, np.int32), np.array([3, Missing.NO_ANSWER]), None, 0.5)


@pytest.fixture
def store(tmp_path: Path) -> PredictionStore:
    store = PredictionStore(tmp_path / "predictions")
    store.add(FIRST)
    store.add(SECOND)
    return store


def test_stores_without_logits_or_any_shard(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path / "predictions")
    assert list(store.shards()) == []
    assert store.read_facts() is None
    assert look_up([], ["a"]) == (None, [0])
    store.add(LABELS)
    found, missing = look_up(store.shards(), ["b", "x", "a"])
    assert found is not None
    assert (found.logits, missing) == (None, [1])
    assert found.outputs.tolist() == [Missing.NO_ANSWER, Missing.NOT_PREDICTED, 3]


def test_look_up_returns_predictions_in_order(store: PredictionStore) -> None:
    found, missing = look_up(store.shards(), ["c", "x", "a", "b"])
    assert found is not None
    assert missing == [1]
    assert found.tokens.tolist() == [5, 0, 3, 4]
    assert found.outputs.tolist() == [2, Missing.NOT_PREDICTED, 2, Missing.NOT_PREDICTED]
    np.testing.assert_array_equal(found.logits, [[7, 8, 9], [np.nan] * 3, [1, 2, 3], [np.nan] * 3])
    assert found.seconds == 3.5
    found, missing = look_up(store.shards(), ["c"])
    assert found is not None
    assert (found.seconds, missing) == (2.0, []), "of the shards with the pairs only"


@pytest.mark.parametrize("damage", [b"", b"PAR1 something else"])
def test_damaged_shard_is_deleted(store: PredictionStore, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = max(store.folder.glob("*.parquet"), key=lambda shard: shard.stat().st_size)
    path.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert len(list(store.shards())) == 1
    assert f"{path} is damaged" in caplog.text
    assert not path.exists()


def test_one_changed_byte_and_a_partial_shard_are_detected(store: PredictionStore) -> None:
    (store.folder / ".abc.parquet.1.part").write_bytes(b"PAR1")
    assert len(list(store.shards())) == 2
    path = next(store.folder.glob("[!.]*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert len(list(store.shards())) == 1


def test_facts_are_read_back(store: PredictionStore) -> None:
    facts = ModelFacts("BertForSequenceClassification", 12, None)
    store.write_facts(facts)
    assert store.read_facts() == facts
    (store.folder / FACTS_FILE).write_text("{", encoding="utf-8")
    assert store.read_facts() is None


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
    assert not [pair for pair in predictor.predicted if len(pair[0].split()) > 8], "too long"
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
    refused("", predict.predict_pairs, lambda: failing, PAIRS, store, error=KeyboardInterrupt)
    cached = sum(len(shard.pairs) for shard in store.shards())
    assert cached > sum(len(premise.split()) > 8 for premise, _ in PAIRS)
    shard, _ = predict.predict_pairs(lambda: whole, PAIRS, store)
    np.testing.assert_array_equal(shard.logits, expected_logits())
    assert whole.predicted.total() == len(PAIRS) - cached
