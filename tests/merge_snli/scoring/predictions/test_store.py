"""Test the prediction store: writing, look-up, and damaged shards."""

import logging
from pathlib import Path

import numpy as np
import pytest

from merge_snli.models.labels import Missing
from merge_snli.models.predictor import ModelFacts
from merge_snli.scoring.predictions.store import FACTS_FILE, Predictions, PredictionStore, look_up

FIRST = Predictions(
    ("a", "b"),
    np.array([3, 4], np.int32),
    np.array([2, Missing.NOT_ASKED]),
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


def test_new_store_is_empty(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path / "predictions")
    assert list(store.shards()) == []
    assert store.read_facts() is None
    assert look_up([], ["a"]) == (None, [0])


def test_look_up_returns_predictions_in_order(store: PredictionStore) -> None:
    found, missing = look_up(store.shards(), ["c", "x", "a", "b"])
    assert found is not None
    assert missing == [1]
    assert found.tokens.tolist() == [5, 0, 3, 4]
    assert found.outputs.tolist() == [2, Missing.NOT_ASKED, 2, Missing.NOT_ASKED]
    np.testing.assert_array_equal(found.logits, [[7, 8, 9], [np.nan] * 3, [1, 2, 3], [np.nan] * 3])
    assert found.seconds == 3.5


def test_labels_are_stored_without_logits(tmp_path: Path) -> None:
    store = PredictionStore(tmp_path / "predictions")
    store.add(LABELS)
    found, missing = look_up(store.shards(), ["b", "x", "a"])
    assert found is not None
    assert (found.logits, missing) == (None, [1])
    assert found.outputs.tolist() == [Missing.NO_ANSWER, Missing.NOT_ASKED, 3]


def test_seconds_count_only_shards_with_the_pairs(store: PredictionStore) -> None:
    found, missing = look_up(store.shards(), ["c"])
    assert found is not None
    assert (found.seconds, missing) == (2.0, [])


@pytest.mark.parametrize("damage", [b"", b"PAR1 something else"])
def test_damaged_shard_is_deleted(store: PredictionStore, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = max(store.folder.glob("*.parquet"), key=lambda shard: shard.stat().st_size)
    path.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert len(list(store.shards())) == 1
    assert f"{path} is damaged" in caplog.text
    assert not path.exists()


def test_one_changed_byte_is_detected(store: PredictionStore) -> None:
    path = next(store.folder.glob("*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert len(list(store.shards())) == 1


def test_partial_shard_is_not_read(store: PredictionStore) -> None:
    (store.folder / ".abc.parquet.1.part").write_bytes(b"PAR1")
    assert len(list(store.shards())) == 2


def test_facts_are_read_back(store: PredictionStore) -> None:
    facts = ModelFacts("BertForSequenceClassification", 12, None)
    store.write_facts(facts)
    assert store.read_facts() == facts
    (store.folder / FACTS_FILE).write_text("{", encoding="utf-8")
    assert store.read_facts() is None
