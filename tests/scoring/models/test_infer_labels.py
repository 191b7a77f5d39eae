"""The order of labels found on the seeds: every order that can be found is, and none is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from merge_snli.dataset import find_dataset
from merge_snli.errors import InputError
from merge_snli.schema import NLI_LABELS
from scoring.api import score_model
from scoring.models.infer_labels import infer_labels
from scoring.models.labels import INFERRED, TWO_WAY, ModelLabels, find_model_labels
from scoring.models.options import INFER, ModelOptions
from scoring.models.predictor import ModelFacts, Pair
from scoring.models.scored_model import named_model
from scoring.predictions.pairs import read_config
from tests.scoring.conftest import MakeDataset

OWN = ("LABEL_0", "LABEL_1", "LABEL_2")


def answers(
    order: tuple[str, ...], gold: np.ndarray[tuple[int], np.dtype[np.int64]], share: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the outputs of a model of that order that is right on that share of the seeds."""
    rng = np.random.default_rng(0)
    meant = np.where(rng.random(len(gold)) < share, gold, rng.integers(0, 3, len(gold)))
    output = np.array([order.index(name) for name in NLI_LABELS])
    return output[meant]


GOLD = np.random.default_rng(1).integers(0, 3, 200)


@pytest.mark.parametrize("order", list(permutations(NLI_LABELS)))
def test_every_order_is_found(order: tuple[str, ...]) -> None:
    found = infer_labels(answers(order, GOLD, 0.6), GOLD, NLI_LABELS, own=OWN, model="m")
    assert found == ModelLabels(order, INFERRED, OWN)


def test_pairs_that_were_too_long_do_not_count() -> None:
    best = answers(NLI_LABELS, GOLD, 0.9)
    best[:100] = -1
    assert infer_labels(best, GOLD, NLI_LABELS, own=OWN, model="m").names == NLI_LABELS


@pytest.mark.parametrize("seeds", [0, 4, 200])
def test_no_clear_order_is_refused(seeds: int) -> None:
    best = np.random.default_rng(2).integers(0, 3, seeds)
    with pytest.raises(InputError, match=r"the labels of m cannot be inferred: of \d+ seeds .* is no clear difference"):
        infer_labels(best, GOLD[:seeds], NLI_LABELS, own=OWN, model="m")


def test_two_outputs_are_entailment_and_not() -> None:
    best = np.where(GOLD == 0, 1, 0)
    found = infer_labels(best, GOLD, NLI_LABELS, own=OWN[:2], model="m")
    assert found.names == (TWO_WAY[1], TWO_WAY[0])


def test_on_two_way_data_orders_that_differ_in_neutral_and_contradiction_are_one() -> None:
    two = np.minimum(GOLD, 1)
    found = infer_labels(answers(NLI_LABELS, GOLD, 0.95), two, TWO_WAY, own=OWN, model="m")
    assert found.names[0] == "entailment"


def test_another_number_of_outputs_is_refused() -> None:
    with pytest.raises(InputError, match="m has 4 outputs"):
        infer_labels(GOLD, GOLD, NLI_LABELS, own=("a", "b", "c", "d"), model="m")


def test_labels_of_the_papers_models_come_from_its_table() -> None:
    order = ("contradiction", "entailment", "neutral")
    assert find_model_labels(OWN, given=None, model="m", known=order) == ModelLabels(order, "table", OWN)
    assert find_model_labels(NLI_LABELS, given=None, model="m", known=order).found == "config"
    assert find_model_labels(OWN, given=NLI_LABELS, model="m", known=order).found == "given"


class Right:
    """A model that is right on every seed, in an order of its own, and says that of its variants too."""

    facts = ModelFacts(architecture="Right", parameters=1, limit=None)
    n_outputs = 3
    batch_tokens = 512

    def __init__(self, gold: dict[Pair, int], order: tuple[str, ...]) -> None:
        self.outputs = {pair: order.index(NLI_LABELS[label]) for pair, label in gold.items()}

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        return [0] * len(pairs)

    def predict(self, pairs: Sequence[Pair]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.eye(3, dtype=np.float32)[[self.outputs.get(pair, 0) for pair in pairs]]


def test_a_score_says_that_its_labels_were_inferred(bert: Path, make_dataset: MakeDataset, tmp_path: Path) -> None:
    order = ("neutral", "contradiction", "entailment")
    data = read_config(find_dataset(str(make_dataset(tmp_path / "merge_24", seeds=24))), "all")
    gold = {data.pairs[pair]: label for pair, label in zip(data.seed_pairs, data.seed_labels, strict=True)}
    asked = named_model(str(bert), ModelOptions(labels=INFER))
    assert asked.labels == ModelLabels((), INFERRED, ("contradiction", "entailment", "neutral"))
    result = score_model(replace(asked, load=lambda: Right(gold, order)), data)
    assert (result.model.labels, result.model.label_origin) == (order, INFERRED)
    assert result.scores.seed_sample_accuracy == 1
    assert "labels inferred from the seeds as neutral,contradiction,entailment" in result.notes
