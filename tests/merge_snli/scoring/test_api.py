"""Test scores against an independent computation from the files on disk and the plain pipeline's predictions."""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from datasets import Dataset, DatasetDict
from matplotlib.figure import Figure
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer, pipeline

import merge_snli
from merge_snli import Result, read_result, score
from merge_snli.answers import answers as answering
from merge_snli.base.files import read_json
from merge_snli.dataset.record import MaskedLMRecord
from merge_snli.dataset.record_file import read_record
from merge_snli.models.labels import Pair
from merge_snli.results.eval_results import eval_results_file, eval_tasks, write_eval_results
from merge_snli.results.measure import consistency, scores
from merge_snli.schema import NLI_LABELS
from tests.cases import first_fast, slow
from tests.merge_snli.conftest import MakeDataset, MakeModel
from tests.oracles import (
    Graded,
    Row,
    always,
    answers_of_groups,
    by_length,
    check_scores,
    gold_of,
    guess,
    known,
    pair_of,
    refused,
    rows_of,
    share,
    without_seconds,
)
from tests.processes import printed_by
from tests.records import save_record

Answers = dict[Pair, str]
TWO_LABELS = ("entailment", "not_entailment")
MASKED_LMS = ("demo:mlm-wordpiece", "demo:mlm-bpe")


@cache
def plain_answers(model: Path, pairs: frozenset[Pair]) -> Answers:
    """Return the labels that the plain pipeline predicts, one pair at a time."""
    plain: Any = pipeline("text-classification", model=str(model), device="cpu", dtype="float32")
    answers = {}
    for premise, hypothesis in sorted(pairs):
        [best, *_] = plain({"text": premise, "text_pair": hypothesis}, top_k=None)
        answers[premise, hypothesis] = best["label"].lower()
    return answers


def majority(rows: Sequence[Row], answers: Answers) -> dict[str, str]:
    by_seed: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        by_seed[row["seed_id"]][answers[pair_of(row)]] += 1
    return {seed_id: counter.most_common(1)[0][0] for seed_id, counter in by_seed.items()}


def splits_of(dataset: Path, config: str) -> list[list[Row]]:
    """Return all rows of a config, then those of each subsample."""
    splits = [rows_of(dataset, config)]
    for index in range(10):
        splits.append(rows_of(dataset, config, f"subsample_{index}"))
    return splits


def check_result(result: Result, dataset: Path, config: str, answers: Answers) -> None:
    """Compare every number of a result with one computed from rows, dicts and fractions."""
    splits = splits_of(dataset, config)
    gold = labels_of(splits[0])
    on_seed = {row["seed_id"]: answers[row["seed_premise"], row["seed_hypothesis"]] for row in splits[0]}
    right = share([(seed_id, on_seed[seed_id] == label) for seed_id, label in gold.items()])
    check_against(gold, result.scores, splits, answers, on_seeds=right)
    consistent = known(result.consistency)
    check_against(on_seed, consistent["seed"], splits, answers)
    whole, *draws = (graded(rows, answers, majority(rows, answers)) for rows in splits)
    check_scores(consistent["majority"], whole, draws)


def labels_of(rows: Sequence[Row]) -> dict[str, str]:
    """Return the gold label of each seed."""
    return {row["seed_id"]: NLI_LABELS[row["label"]] for row in rows}


def check_against(
    reference: dict[str, str],
    found: Any,  # noqa: ANN401 - scores
    splits: Sequence[Sequence[Row]],
    answers: Answers,
    on_seeds: Fraction | None = None,
) -> None:
    """Compare scores against a label for each seed with counts."""
    whole, *draws = (graded(rows, answers, reference) for rows in splits)
    check_scores(found, whole, draws, on_seeds=on_seeds)


def graded(rows: Sequence[Row], answers: Answers, reference: dict[str, str]) -> Graded:
    return [(row["seed_id"], answers[pair_of(row)] == reference[row["seed_id"]]) for row in rows]


@pytest.fixture(scope="module", params=["bert", *slow("roberta")])
def model(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


@pytest.fixture(scope="module")
def answers(model: Path, dataset: Path) -> Answers:
    return plain_answers(model, frozenset(gold_of(dataset)))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scores") / "results"


@pytest.fixture(scope="module")
def result(model: Path, dataset: Path, out: Path) -> Result:
    return score(model, dataset, out=out)


def test_scores_match_an_independent_computation(result: Result, dataset: Path, answers: Answers) -> None:
    check_result(result, dataset, "all", answers)


@pytest.mark.parametrize("config", first_fast(["noun", "verb", "adj"]))
def test_scores_of_a_class_equal_those_of_its_config(
    result: Result, model: Path, dataset: Path, out: Path, answers: Answers, config: str
) -> None:
    class_result = score(model, dataset, config=config, out=out)
    check_result(class_result, dataset, config, answers)
    assert result.parts["word_class"][config] == class_result.scores


def test_file_holds_the_result(result: Result, out: Path, model: Path) -> None:
    [path] = out.glob(f"{model.name}-*-all.json")
    assert read_result(path) == result
    content = read_json(path)
    assert content["schema_version"] == 8
    assert content["quality_threshold"] == "0.9"
    assert content["thresholds"] == [f"{percent / 100:g}" for percent in range(101)]
    assert content["scores"]["mt"] == f"{result.scores.mt:g}"
    run = content["run"]
    assert run["dtype"] == "float32"
    assert set(run["versions"]) == {"merge_snli", "python", "torch", "transformers", "tokenizers"}


def test_cached_predictions_need_no_model_under_any_name(
    result: Result, model: Path, dataset: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("merge_snli.models.runner.predictors.load_predictor", pytest.fail)
    assert score(model, dataset, out=out) == result
    renamed = score(shutil.copytree(model, tmp_path / "copy"), dataset, out=out)
    assert renamed.model.name == "copy"
    assert renamed.scores == result.scores
    assert answers_of_groups(renamed) == answers_of_groups(result)


def test_nothing_is_written_without_out_and_a_function_scores_the_same(
    result: Result, model: Path, dataset: Path, answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert without_seconds(score(model, dataset)) == without_seconds(result)
    assert list(tmp_path.iterdir()) == []
    by_hand = score(lookup(answers), dataset, name="by hand")
    assert by_hand.scores == result.scores
    assert by_hand.consistency == result.consistency
    assert by_hand.model.name == "by hand"
    assert by_hand.model.label_origin == "function"


def lookup(answers: Mapping[Pair, Any]) -> Any:  # noqa: ANN401 - a function of labels or numbers
    """Return a function that gives these answers."""
    return lambda pairs: [answers[pair] for pair in pairs]


def test_loaded_models_score_the_same(result: Result, model: Path, dataset: Path, tmp_path: Path) -> None:
    plain = pipeline("text-classification", model=str(model), device="cpu", dtype="float32")
    loaded = AutoModelForSequenceClassification.from_pretrained(model, dtype="float32").train()
    tokenizer = AutoTokenizer.from_pretrained(model)
    for given, name in ((plain, None), ((loaded, tokenizer), "mine")):
        found = score(given, dataset, name=name, out=tmp_path)
        assert found.scores == result.scores
        assert found.answers.predicted.tolist() == result.answers.predicted.tolist()
        assert found.answers.probabilities == pytest.approx(result.answers.probabilities, rel=1e-2, abs=1e-6)
        assert found.model.name == (name or model.name)
        assert found.model.digest != result.model.digest  # of the weights in memory, not of the files
        assert score(given, dataset, name=name, out=tmp_path) == found


def test_a_notebook_and_pandas_show_a_result(result: Result) -> None:
    found = result.scores
    frame = result.to_pandas()
    row = frame.loc["all"]
    assert row["pattern_accuracy"] == found.pattern_accuracy.mean
    low, high = known(found.intervals).pattern_accuracy
    assert row["pattern_accuracy_low"] == low
    assert row["pattern_accuracy_high"] == high
    assert frame.loc["word_class:noun", "qt"] == result.parts["word_class"]["noun"].qt
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert f"{100 * known(found.seed_accuracy):.1f}" in html
    axes = result.plot(Figure().subplots())
    assert np.asarray(axes.lines[0].get_ydata()) / 100 == pytest.approx(np.array(found.curve.mean, float))
    assert len(axes.collections) == 1, "the band over the subsamples"


def long_sentences(seed: Row, rows: list[Row]) -> None:
    """Make the first seed, five variants of the second, and all variants of the third too long."""
    tail = " and" * 140
    if seed["seed_id"] == "s000":
        seed["premise"] += tail
        for row in rows:
            row["seed_premise"] += tail
    for row in {"s001": rows[:5], "s002": rows}.get(seed["seed_id"], []):
        row["premise"] += tail


def test_too_long_pairs_are_left_out_and_counted(make_dataset: MakeDataset, bert: Path, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "long", seeds=6, change=long_sentences)
    result = score(bert, folder)
    by_seed = defaultdict(list)
    for row in rows_of(folder):
        by_seed[row["seed_id"]].append(row)
    left_out = result.left_out
    assert left_out.max_length == 128
    assert left_out.groups == 2
    assert left_out.rows == len(by_seed["s000"]) + 5 + len(by_seed["s002"])
    assert result.group_ids == ("s001", "s003", "s004", "s005")
    assert result.scores.groups == 4
    [note] = [note for note in result.notes if "128 tokens" in note]
    assert "2 seeds" in note
    kept = by_seed["s001"][5:]
    predicted = [name for name in result.answers.row_ids.to_pylist() if name.startswith("s001:")]
    assert predicted == [row["variant_id"] for row in kept]
    for index, sizes in enumerate(answers_of_groups(result).sizes):
        assert sizes[0] == sum(index in row["subsamples"] for row in kept)


def test_two_way_models(make_model: MakeModel, tmp_path: Path, dataset: Path) -> None:
    model = make_model(tmp_path / "model", labels=TWO_LABELS[::-1])
    result = score(model, dataset)
    answers = plain_answers(model, frozenset(gold_of(dataset)))
    splits = splits_of(dataset, "all")
    gold = {row["seed_id"]: TWO_LABELS[min(row["label"], 1)] for row in splits[0]}
    check_against(gold, result.scores, splits, answers)
    assert result.compared_labels == TWO_LABELS
    assert list(result.parts["label"]) == list(NLI_LABELS)
    assert "count as not_entailment" in " ".join(result.notes)


def test_given_labels_and_names(bert: Path, dataset: Path) -> None:
    result = score(bert, dataset, model_labels=("entailment", "neutral", "contradiction"), name="first run")
    as_given = {"contradiction": "entailment", "entailment": "neutral", "neutral": "contradiction"}
    predicted = plain_answers(bert, frozenset(gold_of(dataset)))
    check_result(result, dataset, "all", {pair: as_given[answer] for pair, answer in predicted.items()})
    assert result.model.name == "first run"
    assert result.model.label_origin == "given"
    assert "config, contradiction,entailment,neutral" in " ".join(result.notes)


def test_perfect_and_permuted_answers(dataset: Path) -> None:
    gold = gold_of(dataset)
    perfect = score(lookup(gold), dataset)
    assert perfect.scores.seed_accuracy == 1
    assert perfect.scores.qt == 0
    assert perfect.scores.mt == 1
    assert set(perfect.scores.curve.mean) == {1}
    assert perfect.notes == ()
    swapped = score(lookup({pair: 2 - label for pair, label in gold.items()}), dataset, name="swapped")
    assert swapped.scores.seed_accuracy == pytest.approx(1 / 3)
    [warning] = [note for note in swapped.notes if note.startswith("warning")]
    assert warning.count("33.3%") == 2


def test_tied_answers_are_counted(dataset: Path, bert: Path) -> None:
    model = AutoModelForSequenceClassification.from_pretrained(bert, dtype="float32")
    torch.nn.init.zeros_(model.classifier.weight)
    torch.nn.init.zeros_(model.classifier.bias)
    tied = score((model, AutoTokenizer.from_pretrained(bert)), dataset, config="verb")
    assert re.search(r"tied on (\d+) of \1 distinct pairs", "\n".join(tied.notes))
    usual = score(bert, dataset, config="verb")
    assert "tied" not in "\n".join(usual.notes)


def test_importing_loads_nothing_heavy() -> None:
    statement = "import merge_snli.statistics; from merge_snli import score, score_table, draw_curves"
    code = f"import sys; {statement}; print(*sys.modules)"
    loaded = printed_by(code).split()
    heavy = {"torch", "transformers", "datasets", "spacy", "matplotlib", "scipy", "statsmodels", "generation"}
    assert heavy.isdisjoint(loaded)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        merge_snli.nothing  # type: ignore[attr-defined]  # noqa: B018


def validated_by_turns(_: Row, rows: list[Row]) -> None:
    """Let each masked LM validate some variants in both sentences, some in one, and some in none."""
    for at, row in enumerate(rows):
        row["premise_mlms"] = [MASKED_LMS[at % 2]]
        row["hypothesis_mlms"] = [MASKED_LMS[at // 2 % 2]]


def test_models_data_and_options_that_do_not_fit_are_refused(
    make_model: MakeModel, bert: Path, dataset: Path, tmp_path: Path
) -> None:
    classifier = AutoModelForSequenceClassification.from_pretrained(bert)
    tokenizer = AutoTokenizer.from_pretrained(bert)
    in_memory = DatasetDict({"test": Dataset.from_dict({"premise": ["a"]})})
    (tmp_path / "notes--here.txt").write_text("")
    models: dict[str, Any] = {
        r"config all .* 6 tokens of model short": make_model(tmp_path / "short", limit=6),
        "cannot score a FeatureExtraction": pipeline("feature-extraction", model=str(bert)),
        r"BertForSequenceClassification.*\(model, tokenizer\)": classifier,
        r"tuple.*\(model, tokenizer\)": (classifier,),
        r"str.*\(model, tokenizer\)": (classifier, str(bert)),
        rf"{type(tokenizer).__name__}.*\(model, tokenizer\)": (tokenizer, classifier),
        r"BertModel.*\(model, tokenizer\)": (AutoModel.from_pretrained(bert), tokenizer),
    }
    for message, model in models.items():
        refused(message, score, model, dataset)
    refused("DatasetDict", score, bert, in_memory)
    refused(r"(?s)^out .*notes--here\.txt", score, bert, dataset, out=tmp_path)
    loaded = pipeline("text-classification", model=str(bert), device="cpu")
    refused(r"^dtype .*loaded pipeline", score, loaded, dataset, dtype="bfloat16")


@pytest.mark.parametrize("masked_lm", first_fast(MASKED_LMS))
def test_masked_lm_scores_cover_the_variants_it_validated(
    make_dataset: MakeDataset, tmp_path: Path, masked_lm: str
) -> None:
    folder = make_dataset(tmp_path / "merge_snli", change=validated_by_turns)
    made = read_record(folder / "run.json")
    masked_lms = tuple(MaskedLMRecord(name, None, "0" * 64) for name in MASKED_LMS)
    save_record(folder, title=made.title, data=made.data, masked_lms=masked_lms)
    rows = rows_of(folder)
    validated = [row for row in rows if masked_lm in row["premise_mlms"] + row["hypothesis_mlms"]]
    splits = [validated]
    for number in range(10):
        splits.append([row for row in validated if number in row["subsamples"]])
    pairs = [*map(pair_of, rows)]
    found = score(by_length, folder, name="by length").parts["masked_lm"][masked_lm]
    check_against(labels_of(rows), found, splits, dict(zip(pairs, guess(pairs), strict=True)))
    assert found.rows < len(rows)


def answers_on(groups: Sequence[int], predicted: Sequence[int], subsamples: Any) -> answering.Answers:  # noqa: ANN401
    """Return answers to variants of seeds that all have the number of their seed as their label."""
    gold = np.array(groups)
    seeds = np.unique(gold)
    return answering.Answers(
        labels=NLI_LABELS,
        table=pa.table({"row_id": [*map(str, range(len(groups)))]}),
        group_ids=tuple(map(str, seeds)),
        groups=gold,
        gold=gold,
        predicted=np.array(predicted),
        subsamples=np.array(subsamples, dtype=bool),
        seeds=answering.Graded(seeds, gold=seeds),
    )


@pytest.mark.parametrize("method", ["gold", "majority"])
@pytest.mark.filterwarnings("error")
def test_subsamples_without_variants_have_no_score(method: str) -> None:
    """The subsamples draw three, no and one variant of two seeds; the prediction on the last variant is wrong."""
    predicted = answers_on([0, 0, 1, 1], [0, 0, 1, 0], [[1, 0, 1, 1], [0] * 4, [0, 1, 0, 0]])
    found = scores(predicted) if method == "gold" else known(consistency(predicted))["majority"]
    assert found.rows == 4
    assert found.all_rows_accuracy == 0.75
    assert found.sample_accuracy.each == (2 / 3, None, 1)
    assert found.sample_accuracy.mean == pytest.approx(5 / 6)
    assert found.sample_accuracy.std == pytest.approx(np.std([2 / 3, 1], ddof=1))
    assert found.pattern_accuracy.each == (0.5, None, 1)
    assert found.pattern_accuracy.mean == 0.75
    assert found.curve.groups == (2, 0, 1)
    assert [passing[90] for passing in found.curve.passing] == [1, 0, 1]
    assert found.curve.mean[90] == 0.75


def test_without_drawn_variants_there_is_no_score() -> None:
    found = scores(answers_on([0], [0], [[0], [0]]))
    assert found.sample_accuracy.mean is None
    assert found.sample_accuracy.std is None
    assert found.pattern_accuracy.each == (None, None)
    assert found.qt is None
    assert found.mt is None
    assert found.seed_accuracy == 1


def test_only_float32_results_on_hub_models_are_written(
    dataset: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    result = score(always(0), dataset, name="always")
    on_hub = replace(result, model=replace(result.model, name="org/a", revision="c0ffee"))
    int8 = replace(on_hub, run=replace(result.run, dtype="int8"))
    assert write_eval_results([result, int8], tmp_path, dataset_id="me/merge_snli") == []
    assert "always" in caplog.text
    assert "org/a (int8)" in caplog.text
    [path] = write_eval_results([result, on_hub], tmp_path, dataset_id="me/merge_snli")
    assert path == eval_results_file("org/a", tmp_path)
    assert eval_tasks(["noun"]) == {"noun_sample_accuracy": "noun"}


@pytest.mark.parametrize("name", ["merge_snli", "./merge_snli", "/data/merge_snli", "a/b/c", ""])
def test_data_set_id_must_be_a_hub_id(name: str, tmp_path: Path) -> None:
    refused(re.escape(repr(name)), write_eval_results, [], tmp_path, dataset_id=name)
