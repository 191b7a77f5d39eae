"""Reading data, predicting pairs in one process or in tasks as on a cluster, and inferring the order of labels."""

import pickle
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import merge_snli.scoring.predict as predicting
from merge_snli.answers.data import ScoredData
from merge_snli.answers.part import part_of_data
from merge_snli.answers.reading import read_config
from merge_snli.answers.sentences import pair_digest
from merge_snli.base.arrays import Ints
from merge_snli.base.errors import IncompleteError, InputError
from merge_snli.base.files import read_json, write_json
from merge_snli.base.progress import Progress
from merge_snli.base.stages import WHOLE, TaskShare
from merge_snli.dataset.label_spellings import INFER, TWO_WAY
from merge_snli.dataset.parquet_files import write_checked
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.labels import (
    INFERRED,
    TABLE,
    Missing,
    ModelFacts,
    Pair,
)
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.encoded import Predictor
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.predict import FACTS_FILE, look_up, predictions_in, read_facts, read_shards, shard_of
from merge_snli.scoring.score_models import check_labels, infer_labels, score_model, score_models
from merge_snli.scoring.scored_model import ScoredModel, model_from_name
from merge_snli.scoring.tasks import ScoringRun, evaluate, predict
from tests.cases import first_fast
from tests.merge_snli.conftest import MakeDataset
from tests.oracles import known, refused
from tests.predictors import Rule

QUIET = Progress(quiet=True)


@pytest.fixture
def run(dataset: Path, bert: Path, roberta: Path, tmp_path: Path) -> ScoringRun:
    """A run as a task in another process gets it."""
    found = find_dataset(str(dataset))
    run = ScoringRun(
        models={"tiny-bert": str(bert), "mine": str(roberta)},
        dataset=str(dataset),
        options=ScoreOptions(config="all", device="cpu"),
        out=tmp_path / "results",
        expected=found.digest,
    )
    copy: ScoringRun = pickle.loads(pickle.dumps(run))
    return copy


def results(folder: Path) -> dict[str, Any]:
    """Return the results by file name, without the time that the predictions took, and so without the digest."""
    found = {path.name: read_json(path) for path in folder.glob("*.json")}
    assert all(result["run"].pop("seconds") > 0 and result.pop("digest") for result in found.values())
    return found


@pytest.mark.parametrize("part", first_fast([{"subsample": 0}, {"limit_seeds": 3}]))
def test_a_part_of_the_data_is_predicted_in_tasks(run: ScoringRun, tmp_path: Path, part: dict[str, Any]) -> None:
    whole = read_config(find_dataset(str(run.dataset)), "all")
    data = part_of_data(whole, **part)
    run = replace(run, options=replace(run.options, **part))
    score_models(run.models, data, options=run.options, out=tmp_path / "one")
    with QUIET.stage("predict", unit="pairs") as stage:
        predict(run, "mine", WHOLE, stage)
        assert stage.total == len(data.pairs) < len(whole.pairs)
        for task in (2, 0, 1, 1):
            predict(run, "tiny-bert", TaskShare(task, 3), stage)
        evaluate(run, WHOLE, stage)
    assert len(results(run.out)) == 2
    assert results(run.out) == results(tmp_path / "one")


def test_models_and_data_of_a_run_are_checked(run: ScoringRun) -> None:
    with QUIET.stage("predict", unit="pairs") as stage:
        predict(run, "mine", WHOLE, stage)
        predict(run, "tiny-bert", TaskShare(0, 2), stage)
        predict(run, "tiny-bert", TaskShare(1_000, 1_001), stage)
        assert stage.total == 0, "a task may have no pairs"
        refused("tiny-bert is not scored", evaluate, run, WHOLE, stage, error=IncompleteError)
    assert [result["model"]["name"] for result in results(run.out).values()] == ["mine"]
    with (
        QUIET.stage("predict", unit="pairs") as stage,
        pytest.raises(InputError, match=f"{run.dataset} has changed"),
    ):
        predict(replace(run, expected="0" * 64), "mine", WHOLE, stage)


OUTPUTS = ("LABEL_0", "LABEL_1", "LABEL_2")


def outputs_of(order: tuple[str, ...], gold: Ints, share: float) -> Ints:
    """Return the outputs of a model with that label order and, besides chance, that accuracy on the seeds."""
    rng = np.random.default_rng(0)
    predicted = np.where(rng.random(len(gold)) < share, gold, rng.integers(0, 3, len(gold)))
    return np.array([order.index(name) for name in NLI_LABELS])[predicted]


GOLD = np.random.default_rng(1).integers(0, 3, 200)


@pytest.mark.parametrize("order", list(permutations(NLI_LABELS)))
def test_every_order_is_found(order: tuple[str, ...]) -> None:
    found = infer_labels(outputs_of(order, GOLD, 0.6), GOLD, NLI_LABELS, config_names=OUTPUTS, model="m")
    assert found == order


@pytest.mark.parametrize("seeds", [0, 4, 200])
def test_order_without_significant_difference_is_refused(seeds: int) -> None:
    best = np.random.default_rng(2).integers(0, 3, seeds)
    message = rf"cannot infer the labels of m: .*on {seeds} seeds"
    refused(message, infer_labels, best, GOLD[:seeds], NLI_LABELS, config_names=OUTPUTS, model="m")


def test_two_labels_and_pairs_that_are_too_long() -> None:
    two_outputs = infer_labels(np.where(GOLD == 0, 1, 0), GOLD, NLI_LABELS, config_names=OUTPUTS[:2], model="m")
    assert two_outputs == (TWO_WAY[1], TWO_WAY[0])
    best = outputs_of(NLI_LABELS, GOLD, 0.95)
    two_way_data = infer_labels(best, np.minimum(GOLD, 1), TWO_WAY, config_names=OUTPUTS, model="m")
    assert two_way_data[0] == "entailment", "neutral and contradiction are equal"
    best[:100] = -1
    assert infer_labels(best, GOLD, NLI_LABELS, config_names=OUTPUTS, model="m") == NLI_LABELS
    refused("m has 4 outputs", infer_labels, GOLD, GOLD, NLI_LABELS, config_names=("a", "b", "c", "d"), model="m")


def correct_on(gold: dict[Pair, int], order: tuple[str, ...]) -> Rule:
    """Return a model that is correct on every seed, and gives its first label for other pairs."""
    outputs = {pair: order.index(NLI_LABELS[label]) for pair, label in gold.items()}
    one_hot = np.eye(3).tolist()
    return Rule(lambda pair: one_hot[outputs.get(pair, 0)], 3)


ORDER = ("neutral", "contradiction", "entailment")


@pytest.fixture(scope="module")
def data(make_dataset: MakeDataset, tmp_path_factory: pytest.TempPathFactory) -> ScoredData:
    """Data with as many seeds as inferring takes."""
    return read_config(find_dataset(str(make_dataset(tmp_path_factory.mktemp("data") / "merge_24", seeds=24))), "all")


@pytest.fixture
def scored(bert: Path, data: ScoredData) -> Callable[[tuple[str, ...] | None], ScoredModel]:
    """A function that returns a model with the labels that are given, or with labels to infer, which is correct."""
    gold = {data.pairs[pair]: label for pair, label in zip(data.seed_pairs, known(data.seed_labels), strict=True)}

    def model(labels: tuple[str, ...] | None) -> ScoredModel:
        named = model_from_name(str(bert), ModelOptions(model_labels=(INFER,) if labels is None else None))
        record = named.record
        if labels is None:
            assert (record.labels, record.label_origin) == ((), INFERRED)
            assert record.config_labels == ("contradiction", "entailment", "neutral")
        else:
            record = replace(record, labels=labels, label_origin=TABLE, config_labels=OUTPUTS)
        return replace(named, record=record, load=lambda: correct_on(gold, ORDER))

    return model


def test_result_reports_inferred_labels(scored: Callable[..., ScoredModel], data: ScoredData) -> None:
    result = score_model(scored(None), data)
    assert (result.model.labels, result.model.label_origin, result.scores.seed_accuracy) == (ORDER, INFERRED, 1)
    assert "labels inferred from the seeds as neutral,contradiction,entailment" in result.notes


def test_known_labels_are_checked_when_scored(
    scored: Callable[..., ScoredModel], data: ScoredData, tmp_path: Path
) -> None:
    assert score_model(scored(ORDER), data).model.label_origin == TABLE
    wrong = scored(NLI_LABELS)
    message = r"tiny-bert, entailment,neutral,contradiction, .* neutral,contradiction,ent"
    refused(message, score_model, wrong, data, out=tmp_path / "results")
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("data_labels", [NLI_LABELS, TWO_WAY])
def test_known_labels_must_be_the_best_order(data_labels: tuple[str, ...]) -> None:
    gold = np.minimum(GOLD, len(data_labels) - 1)
    best = outputs_of(NLI_LABELS, GOLD, 0.9)
    best[:10] = -1
    check_labels(NLI_LABELS, best, gold, data_labels, model="m")
    message = r"m, neutral,contradiction,entailment, .*190 seeds .*entailment,"
    refused(message, check_labels, ORDER, best, gold, data_labels, model="m")


def predicted(digests: Sequence[str], values: Any, seconds: float) -> pa.Table:  # noqa: ANN401 - an array
    """Return a shard with the predictions of pairs with these digests, of 3 tokens, 4 tokens, and so on."""
    shard = shard_of(np.arange(len(digests)) + 3, np.asarray(values), seconds)
    return shard.append_column("pair", pa.array(digests))


FIRST = predicted("ab", np.array([[1, 2, 3], [np.nan] * 3], np.float32), 1.5)


SECOND = predicted("c", np.array([[7, 8, 9]], np.float32), 2.0)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for shard in (FIRST, SECOND):
        write_checked(tmp_path, shard)
    return tmp_path


def test_stores_without_logits_or_any_shard(tmp_path: Path) -> None:
    store = tmp_path / "predictions"
    assert (list(read_shards(store)), read_facts(store)) == ([], None)
    assert look_up([], pa.array(["a"])).to_pylist() == [{"pair": None}]
    write_checked(store, predicted("ab", [3, Missing.NO_ANSWER], 0.5))
    found = predictions_in(look_up(read_shards(store), pa.array(["b", "a"])), np.array([0, 1]))
    assert found.logits is None
    assert found.outputs.tolist() == [Missing.NO_ANSWER, 3]


def test_look_up_returns_predictions_in_order(store: Path) -> None:
    assert look_up(read_shards(store), pa.array(["c", "x", "a"]))["pair"].to_pylist() == ["c", None, "a"]
    found = predictions_in(look_up(read_shards(store), pa.array(["b", "a", "c"])), np.array([2, 1, 0]))
    assert found.tokens.tolist() == [3, 3, 4]
    assert found.outputs.tolist() == [2, 2, Missing.NOT_PREDICTED]
    np.testing.assert_array_equal(found.logits, [[7, 8, 9], [1, 2, 3], [np.nan] * 3])
    assert found.seconds == 3.5
    assert predictions_in(look_up(read_shards(store), pa.array(["c"])), np.array([0])).seconds == 2.0, (
        "of these pairs only"
    )


def test_one_changed_byte_and_a_partial_shard_are_detected(store: Path) -> None:
    (store / ".abc.parquet.1.part").write_bytes(b"PAR1")
    assert len(list(read_shards(store))) == 2
    path = next(store.glob("[!.]*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert len(list(read_shards(store))) == 1


def test_facts_are_read_back(store: Path) -> None:
    facts = ModelFacts("BertForSequenceClassification", 12, None)
    write_json(store / FACTS_FILE, asdict(facts))
    assert read_facts(store) == facts
    (store / FACTS_FILE).write_text("{", encoding="utf-8")
    assert read_facts(store) is None


WORDS = "one two three four five six seven eight nine ten".split()  # noqa: SIM905


PAIRS: tuple[Pair, ...] = tuple((" ".join(WORDS[: n % 9 + 1]), f"{n}") for n in range(50))


def counting() -> Rule:
    """Return a model that refuses premises of more than eight words."""
    return Rule(lambda pair: (len(pair[0]), float(pair[1])), 2, max_length=8)


def expected_logits() -> Any:  # noqa: ANN401 - an array
    rows = [[len(premise), float(hypothesis)] for premise, hypothesis in PAIRS]
    too_long = [len(premise.split()) > 8 for premise, _ in PAIRS]
    return np.where(np.array(too_long)[:, None], np.nan, np.array(rows)).astype(np.float32)


@pytest.mark.parametrize("characters", [1, 100, 4_000_000])
def test_each_pair_is_predicted_once_unless_it_is_too_long(characters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "CHARACTERS_PER_BLOCK", characters)
    predictor = counting()
    found, facts = predicting.predict_pairs(lambda: predictor, PAIRS, None)
    np.testing.assert_array_equal(found.logits, expected_logits())
    assert found.tokens.tolist() == [len(premise.split()) for premise, _ in PAIRS]
    assert facts == predictor.facts
    assert predictor.predicted == Counter(pair for pair in PAIRS if len(pair[0].split()) <= 8)


def test_cached_pairs_are_not_predicted_again(tmp_path: Path) -> None:
    store = tmp_path
    predictor = counting()
    first, _ = predicting.predict_pairs(lambda: predictor, PAIRS[:30], store)
    predicting.predict_pairs(lambda: predictor, PAIRS, store)
    assert set(predictor.predicted.values()) == {1}
    again, facts = predicting.predict_pairs(not_loaded, PAIRS, store)
    np.testing.assert_array_equal(again.logits, expected_logits())
    np.testing.assert_array_equal(np.asarray(again.logits)[:30], np.asarray(first.logits))
    assert facts == predictor.facts


def not_loaded() -> Predictor:
    pytest.fail("the model was loaded although every prediction is cached")


def test_interrupt_keeps_finished_shards(tmp_path: Path) -> None:
    def rule(pair: Pair) -> tuple[float, float]:
        if int(pair[1]) > 30:
            raise KeyboardInterrupt
        return len(pair[0]), float(pair[1])

    store = tmp_path
    failing = Rule(rule, 2, max_length=8)
    whole = counting()
    refused("", predicting.predict_pairs, lambda: failing, PAIRS, store, error=KeyboardInterrupt)
    cached = sum(map(len, read_shards(store)))
    assert cached > sum(len(premise.split()) > 8 for premise, _ in PAIRS)
    found, _ = predicting.predict_pairs(lambda: whole, PAIRS, store)
    np.testing.assert_array_equal(found.logits, expected_logits())
    assert whole.predicted.total() == len(PAIRS) - cached


def test_digests_of_pairs_are_distinct() -> None:
    assert pair_digest(("a b", "c")) != pair_digest(("a ", "bc"))
    assert pair_digest(("é", "c")) == pair_digest(("é", "c"))


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("label", 1, 2, r"variants of seed s000 in .*different"),
        ("label", 0, -1, r"seed s000 in .* has the label -1"),
        ("subsamples", slice(None), [[]] * 60, r"config all of .* no subsamples"),
    ],
)
def test_values_that_cannot_be_scored_are_refused(
    data_file: Path, column: str, row: int | slice, value: object, message: str
) -> None:
    table = pq.read_table(data_file)
    columns = table.to_pydict()
    columns[column][row] = value
    pq.write_table(pa.table(columns, schema=table.schema), data_file)
    refused(message, read_config, find_dataset(str(data_file.parents[2])), "all")


def test_tables_that_cannot_be_scored_are_refused(data_file: Path) -> None:
    found = find_dataset(str(data_file.parents[2]))
    for config in ("seed", "adv"):
        refused(rf"config {config} of .* all, noun, verb, adj", read_config, found, config)
    table = pq.read_table(data_file)
    pq.write_table(table.drop_columns(["seed_premise"]), data_file)
    refused(r"'seed_premise'.* variant_id, seed_id", read_config, found, "all")
    pq.write_table(table.slice(0, 0), data_file)
    refused("has no rows", read_config, found, "all")


@pytest.fixture
def data_file(dataset: Path, tmp_path: Path) -> Path:
    """The file of config `all` of a copy of the data set, with its first variants."""
    path = shutil.copytree(dataset, tmp_path / "data") / "data/all/test.parquet"
    pq.write_table(pq.read_table(path).slice(0, 60), path)
    return path
