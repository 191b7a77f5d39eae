"""Test inferring the order of labels from the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import INFER, TWO_WAY
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.labels import INFERRED, TABLE, ModelFacts, ModelLabels, Pair, find_model_labels
from merge_snli.models.options import ModelOptions
from merge_snli.models.scored_model import ScoredModel, model_from_name
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.score_models import check_labels, infer_labels, score_model
from tests.merge_snli.conftest import MakeDataset

OUTPUTS = ("LABEL_0", "LABEL_1", "LABEL_2")


def answers(
    order: tuple[str, ...], gold: np.ndarray[tuple[int], np.dtype[np.int64]], share: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the outputs of a model with that label order and, besides chance, that accuracy on the seeds."""
    rng = np.random.default_rng(0)
    predicted = np.where(rng.random(len(gold)) < share, gold, rng.integers(0, 3, len(gold)))
    output = np.array([order.index(name) for name in NLI_LABELS])
    return output[predicted]


GOLD = np.random.default_rng(1).integers(0, 3, 200)


@pytest.mark.parametrize("order", list(permutations(NLI_LABELS)))
def test_every_order_is_found(order: tuple[str, ...]) -> None:
    found = infer_labels(answers(order, GOLD, 0.6), GOLD, NLI_LABELS, config_names=OUTPUTS, model="m")
    assert found == ModelLabels(order, INFERRED, OUTPUTS)


def test_pairs_that_are_too_long_do_not_count() -> None:
    best = answers(NLI_LABELS, GOLD, 0.9)
    best[:100] = -1
    assert infer_labels(best, GOLD, NLI_LABELS, config_names=OUTPUTS, model="m").names == NLI_LABELS


@pytest.mark.parametrize("seeds", [0, 4, 200])
def test_order_without_significant_difference_is_refused(seeds: int) -> None:
    best = np.random.default_rng(2).integers(0, 3, seeds)
    with pytest.raises(InputError, match=rf"cannot infer the labels of m: .*on {seeds} seeds"):
        infer_labels(best, GOLD[:seeds], NLI_LABELS, config_names=OUTPUTS, model="m")


def test_the_accuracy_without_seeds_is_zero() -> None:
    none = np.array([], dtype=np.int64)
    with pytest.raises(InputError, match=r"on 0 seeds is 0\.0% with \S+ and 0\.0% with"):
        infer_labels(none, none, NLI_LABELS, config_names=OUTPUTS, model="m")


def test_two_outputs_are_entailment_and_not_entailment() -> None:
    best = np.where(GOLD == 0, 1, 0)
    found = infer_labels(best, GOLD, NLI_LABELS, config_names=OUTPUTS[:2], model="m")
    assert found.names == (TWO_WAY[1], TWO_WAY[0])


def test_neutral_and_contradiction_are_equal_on_two_way_data() -> None:
    two = np.minimum(GOLD, 1)
    found = infer_labels(answers(NLI_LABELS, GOLD, 0.95), two, TWO_WAY, config_names=OUTPUTS, model="m")
    assert found.names[0] == "entailment"


def test_another_number_of_outputs_is_refused() -> None:
    with pytest.raises(InputError, match="m has 4 outputs"):
        infer_labels(GOLD, GOLD, NLI_LABELS, config_names=("a", "b", "c", "d"), model="m")


def test_labels_of_the_papers_models_come_from_the_table() -> None:
    order = ("contradiction", "entailment", "neutral")
    assert find_model_labels(OUTPUTS, given=None, model="m", known=order) == ModelLabels(order, "table", OUTPUTS)
    assert find_model_labels(NLI_LABELS, given=None, model="m", known=order).origin == "config"
    assert find_model_labels(OUTPUTS, given=NLI_LABELS, model="m", known=order).origin == "given"


class Correct:
    """A model with a custom label order that is correct on every seed, and gives its first label for other pairs."""

    facts = ModelFacts(architecture="Correct", parameters=1, max_length=None)
    n_outputs = 3
    batch_tokens = 512

    def __init__(self, gold: dict[Pair, int], order: tuple[str, ...]) -> None:
        self.outputs = {pair: order.index(NLI_LABELS[label]) for pair, label in gold.items()}

    def count_tokens(self, pairs: Sequence[Pair]) -> list[int]:
        return [0] * len(pairs)

    def padded_length(self, tokens: int) -> int:
        return tokens

    def predict(self, pairs: Sequence[Pair]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        return np.eye(3, dtype=np.float32)[[self.outputs.get(pair, 0) for pair in pairs]]


def test_result_reports_inferred_labels(bert: Path, make_dataset: MakeDataset, tmp_path: Path) -> None:
    order = ("neutral", "contradiction", "entailment")
    data = read_config(find_dataset(str(make_dataset(tmp_path / "merge_24", seeds=24))), "all")
    seeds = data.seeds
    assert seeds is not None
    gold = {data.pairs[pair]: label for pair, label in zip(seeds.pairs, seeds.labels, strict=True)}
    scored = model_from_name(str(bert), ModelOptions(model_labels=(INFER,)))
    assert scored.labels == ModelLabels((), INFERRED, ("contradiction", "entailment", "neutral"))
    result = score_model(replace(scored, load=lambda: Correct(gold, order)), data)
    assert (result.model.labels, result.model.label_origin) == (order, INFERRED)
    assert result.scores.seed_accuracy == 1
    assert "labels inferred from the seeds as neutral,contradiction,entailment" in result.notes


@pytest.mark.parametrize("data_labels", [NLI_LABELS, TWO_WAY])
def test_known_labels_must_be_the_best_order(data_labels: tuple[str, ...]) -> None:
    gold = np.minimum(GOLD, len(data_labels) - 1)
    best = answers(NLI_LABELS, GOLD, 0.9)
    best[:10] = -1
    check_labels(ModelLabels(NLI_LABELS, TABLE, OUTPUTS), best, gold, data_labels, model="m")
    wrong = ("neutral", "contradiction", "entailment")
    with pytest.raises(InputError, match=r"m, neutral,contradiction,entailment, .*190 seeds .*entailment,"):
        check_labels(ModelLabels(wrong, TABLE, OUTPUTS), best, gold, data_labels, model="m")


def test_known_labels_are_checked_when_scored(bert: Path, make_dataset: MakeDataset, tmp_path: Path) -> None:
    order = ("neutral", "contradiction", "entailment")
    data = read_config(find_dataset(str(make_dataset(tmp_path / "merge_24", seeds=24))), "all")
    seeds = data.seeds
    assert seeds is not None
    gold = {data.pairs[pair]: label for pair, label in zip(seeds.pairs, seeds.labels, strict=True)}
    named = model_from_name(str(bert), ModelOptions())

    def known(names: tuple[str, ...]) -> ScoredModel:
        return replace(named, labels=ModelLabels(names, TABLE, OUTPUTS), load=lambda: Correct(gold, order))

    assert score_model(known(order), data).model.label_origin == TABLE
    with pytest.raises(InputError, match=r"tiny-bert, entailment,neutral,contradiction, .* neutral,contradiction,ent"):
        score_model(known(NLI_LABELS), data, out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
