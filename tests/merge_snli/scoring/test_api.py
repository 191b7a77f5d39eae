"""Test scores against an independent computation from the files on disk and the plain pipeline's predictions."""

import dataclasses
import json
import math
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

from merge_snli import Result, read_result, score
from merge_snli.base.errors import InputError
from merge_snli.schema import NLI_LABELS
from tests.oracles import answers_of_groups

Row = dict[str, Any]
Answers = dict[tuple[str, str], str]
NAMES = ("entailment", "neutral", "contradiction")


def rows_of(dataset: Path, config: str, split: str) -> list[Row]:
    rows: list[Row] = pq.read_table(dataset / f"data/{config}/{split}.parquet").to_pylist()
    return rows


def plain_answers(model: Path, dataset: Path) -> Answers:
    """Return the labels that the plain pipeline predicts, one pair at a time."""
    from transformers import pipeline

    plain: Any = pipeline("text-classification", model=str(model), device="cpu", dtype="float32")
    rows = rows_of(dataset, "all", "test") + rows_of(dataset, "seed", "test")
    pairs = {(row["premise"], row["hypothesis"]) for row in rows}
    return {
        pair: plain({"text": pair[0], "text_pair": pair[1]}, top_k=None)[0]["label"].lower() for pair in sorted(pairs)
    }


def share(values: Sequence[bool]) -> Fraction:
    return Fraction(sum(values), len(values))


def pattern_accuracy(rows: Sequence[Row], right: Sequence[bool], percent: int) -> Fraction:
    groups = defaultdict(list)
    for row, is_right in zip(rows, right, strict=True):
        groups[row["seed_id"]].append(is_right)
    return share([100 * sum(group) >= percent * len(group) for group in groups.values()])


def mean(values: Sequence[Fraction]) -> Fraction:
    return Fraction(sum(values), len(values))


def majority(rows: Sequence[Row], answers: Answers) -> dict[str, str]:
    by_seed: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        by_seed[row["seed_id"]][answers[row["premise"], row["hypothesis"]]] += 1
    return {seed_id: counter.most_common(1)[0][0] for seed_id, counter in by_seed.items()}


def check_scores(result: Result, dataset: Path, config: str, answers: Answers) -> None:
    """Compare every number of a result with one computed from rows, dicts and fractions."""
    test = rows_of(dataset, config, "test")
    subsamples = [rows_of(dataset, config, f"subsample_{index}") for index in range(10)]
    seeds = {row["seed_id"]: row for row in rows_of(dataset, "seed", "test")}
    seeds = {seed_id: seeds[seed_id] for seed_id in {row["seed_id"] for row in test}}
    gold = {seed_id: NAMES[row["label"]] for seed_id, row in seeds.items()}
    on_seed = {seed_id: answers[row["premise"], row["hypothesis"]] for seed_id, row in seeds.items()}

    def right(rows: Sequence[Row], reference: dict[str, str]) -> list[bool]:
        return [answers[row["premise"], row["hypothesis"]] == reference[row["seed_id"]] for row in rows]

    on_seeds = share([on_seed[seed_id] == gold[seed_id] for seed_id in seeds])
    assert result.scores.groups == len(seeds)
    assert result.scores.seed_accuracy == pytest.approx(float(on_seeds), abs=1e-12)
    references: list[tuple[Any, Callable[[Sequence[Row]], dict[str, str]]]] = [
        (result.scores, lambda rows: gold),
        ((result.consistency or {})["seed"], lambda rows: on_seed),
        ((result.consistency or {})["majority"], lambda rows: majority(rows, answers)),
    ]
    for scores, reference in references:
        each = [share(right(rows, reference(rows))) for rows in subsamples]
        assert scores.rows == len(test)
        assert scores.all_rows_accuracy == pytest.approx(float(share(right(test, reference(test)))), abs=1e-12)
        assert scores.sample_accuracy.each == pytest.approx([float(value) for value in each], abs=1e-12)
        assert scores.sample_accuracy.mean == pytest.approx(float(mean(each)), abs=1e-12)
        squares = float(sum((value - mean(each)) ** 2 for value in each)) / 9
        assert scores.sample_accuracy.std == pytest.approx(math.sqrt(squares), abs=1e-9)
        for percent in range(101):
            passing = [pattern_accuracy(rows, right(rows, reference(rows)), percent) for rows in subsamples]
            assert [curve[percent] for curve in scores.curve.each] == pytest.approx(
                list(map(float, passing)), abs=1e-12
            )
            assert scores.curve.mean[percent] == pytest.approx(float(mean(passing)), abs=1e-12)
        assert scores.pattern_accuracy.mean == scores.curve.mean[90]
        assert list(scores.pattern_accuracy.each) == [curve[90] for curve in scores.curve.each]

    curve = [
        mean([pattern_accuracy(rows, right(rows, gold), percent) for rows in subsamples]) for percent in range(101)
    ]
    nearest = min(abs(value - on_seeds) for value in curve)
    assert result.scores.qt == pytest.approx(float(curve[90] - on_seeds), abs=1e-12)
    assert result.scores.mt == max(percent for percent in range(101) if abs(curve[percent] - on_seeds) == nearest) / 100


def without_seconds(result: Result) -> Result:
    return dataclasses.replace(result, run=dataclasses.replace(result.run, seconds=0))


@pytest.fixture(scope="module", params=["bert", "roberta"])
def model(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.getfixturevalue(request.param)
    return folder


@pytest.fixture(scope="module")
def answers(model: Path, dataset: Path) -> Answers:
    return plain_answers(model, dataset)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scores") / "results"


@pytest.fixture(scope="module")
def result(model: Path, dataset: Path, out: Path) -> Result:
    return score(model, dataset, out=out)


def test_scores_match_an_independent_computation(result: Result, dataset: Path, answers: Answers) -> None:
    check_scores(result, dataset, "all", answers)


@pytest.mark.parametrize("config", ["noun", "verb", "adj"])
def test_scores_of_a_class_equal_those_of_its_config(
    result: Result, model: Path, dataset: Path, out: Path, answers: Answers, config: str
) -> None:
    class_result = score(model, dataset, config=config, out=out)
    check_scores(class_result, dataset, config, answers)
    assert result.parts["word_class"][config] == class_result.scores


def test_scores_by_label(result: Result, dataset: Path, answers: Answers) -> None:
    assert list(result.parts["label"]) == list(NLI_LABELS)
    for name, scores in result.parts["label"].items():
        draw = [row for row in rows_of(dataset, "all", "subsample_0") if NAMES[row["label"]] == name]
        right = [answers[row["premise"], row["hypothesis"]] == name for row in draw]
        assert scores.sample_accuracy.each[0] == pytest.approx(float(share(right)), abs=1e-12)
        assert scores.groups == len({row["seed_id"] for row in draw})
        assert scores.curve.each[0][90] == pytest.approx(float(pattern_accuracy(draw, right, 90)), abs=1e-12)


def test_seed_table_holds_the_counts(result: Result, dataset: Path, answers: Answers) -> None:
    table = answers_of_groups(result)
    for index in range(10):
        rows = rows_of(dataset, "all", f"subsample_{index}")
        sizes = Counter(row["seed_id"] for row in rows)
        correct = Counter(
            row["seed_id"] for row in rows if answers[row["premise"], row["hypothesis"]] == NAMES[row["label"]]
        )
        assert dict(zip(table.id, table.sizes[index], strict=True)) == dict(sizes)
        assert list(table.correct[index]) == [correct[seed_id] for seed_id in table.id]
    seeds = {row["seed_id"]: row for row in rows_of(dataset, "seed", "test")}
    expected = [answers[seeds[seed_id]["premise"], seeds[seed_id]["hypothesis"]] for seed_id in table.id]
    assert list(table.seeds or ()) == expected
    assert [result.dataset.labels[int(gold[0])] for gold in table.gold] == [
        NAMES[seeds[seed_id]["label"]] for seed_id in table.id
    ]


def test_file_holds_the_result(result: Result, out: Path, model: Path) -> None:
    [path] = out.glob(f"{model.name}-*-all.json")
    assert read_result(path) == result
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["schema_version"] == 8
    assert content["quality_threshold"] == "0.9"
    assert content["thresholds"][:3] + content["thresholds"][-1:] == ["0", "0.01", "0.02", "1"]
    assert content["scores"]["mt"] == f"{result.scores.mt:g}"
    assert content["run"]["dtype"] == "float32"
    assert set(content["run"]["versions"]) == {"merge_snli", "python", "torch", "transformers", "tokenizers"}


def test_cached_predictions_need_no_model(
    result: Result, model: Path, dataset: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_loaded(*_: object) -> None:
        pytest.fail("the model was loaded although every prediction is cached")

    monkeypatch.setattr("merge_snli.models.scored_model.load_classifier", not_loaded)
    assert score(model, dataset, out=out) == result


def test_a_copy_under_another_name_needs_no_model(
    result: Result, model: Path, dataset: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_loaded(*_: object) -> None:
        pytest.fail("the model was loaded although a model with the same weights has been scored")

    copy = shutil.copytree(model, tmp_path / "copy")
    monkeypatch.setattr("merge_snli.models.scored_model.load_classifier", not_loaded)
    renamed = score(copy, dataset, out=out)
    assert (renamed.model.name, renamed.scores, answers_of_groups(renamed)) == (
        "copy",
        result.scores,
        answers_of_groups(result),
    )


def test_nothing_is_written_without_out(
    result: Result, model: Path, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert without_seconds(score(model, dataset)) == without_seconds(result)
    assert list(tmp_path.iterdir()) == []


def test_loaded_pipeline_scores_the_same(result: Result, model: Path, dataset: Path, tmp_path: Path) -> None:
    from transformers import pipeline

    loaded = pipeline("text-classification", model=str(model), device="cpu", dtype="float32")
    loaded_result = score(loaded, dataset, out=tmp_path / "results")
    assert loaded_result.scores == result.scores
    assert answers_of_groups(loaded_result).predictions == answers_of_groups(result).predictions
    assert loaded_result.answers.probabilities == pytest.approx(result.answers.probabilities, rel=1e-2, abs=1e-6)
    assert loaded_result.model.name == model.name
    assert loaded_result.model.digest != result.model.digest  # of the weights in memory, not of the files
    assert score(loaded, dataset, out=tmp_path / "results") == loaded_result


def test_loaded_model_and_tokenizer_score_the_same(result: Result, model: Path, dataset: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    loaded = AutoModelForSequenceClassification.from_pretrained(model, dtype="float32").train()
    loaded_result = score((loaded, AutoTokenizer.from_pretrained(model)), dataset, name="mine")
    assert loaded_result.scores == result.scores
    assert answers_of_groups(loaded_result).predictions == answers_of_groups(result).predictions
    assert loaded_result.answers.probabilities == pytest.approx(result.answers.probabilities, rel=1e-2, abs=1e-6)
    assert loaded_result.model.name == "mine"


def test_function_scores_the_same(result: Result, dataset: Path, answers: Answers) -> None:
    function_result = score(lambda pairs: [answers[pair] for pair in pairs], dataset, name="by hand")
    assert (function_result.scores, function_result.consistency) == (result.scores, result.consistency)
    assert function_result.model.name == "by hand"
    assert function_result.model.label_origin == "function"


def test_result_as_a_data_frame(result: Result) -> None:
    frame = result.to_pandas()
    parts = [f"{column}:{value}" for column, values in result.parts.items() for value in values]
    assert list(frame.index) == ["all", *parts]
    assert result.scores.intervals is not None
    row = frame.loc["all"]
    assert row["pattern_accuracy"] == result.scores.pattern_accuracy.mean
    assert (row["pattern_accuracy_low"], row["pattern_accuracy_high"]) == result.scores.intervals.pattern_accuracy
    assert frame.loc["word_class:noun", "qt"] == result.parts["word_class"]["noun"].qt


def test_result_shows_as_a_table_in_a_notebook(result: Result) -> None:
    html = result._repr_html_()
    assert html.startswith("<table>")
    assert f"{result.scores.seed_accuracy:.1%}".removesuffix("%") in html


def test_result_draws_its_curve_in_a_notebook(result: Result) -> None:
    axes = result.plot(Figure().subplots())
    mean = result.scores.curve.mean
    np.testing.assert_allclose(
        np.asarray(axes.lines[0].get_ydata()), [100 * value for value in mean if value is not None]
    )
    assert len(axes.collections) == 1, "the band over the subsamples"


def long_sentences(seed: Row, rows: list[Row]) -> None:
    """Make the first seed, five variants of the second, and all variants of the third too long."""
    tail = " and" * 140
    if seed["seed_id"] == "s000":
        seed["premise"] += tail
        for row in rows:
            row["seed_premise"] += tail
    chosen = {"s001": rows[:5], "s002": rows}.get(seed["seed_id"], [])
    for row in chosen:
        row["premise"] += tail


def test_too_long_pairs_are_left_out_and_counted(make_dataset: Callable[..., Path], bert: Path, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "long", seeds=6, change=long_sentences)
    result = score(bert, folder)
    rows = rows_of(folder, "all", "test")
    left = [row for row in rows if row["seed_id"] in ("s000", "s002")]
    assert (result.left_out.max_length, result.left_out.groups, result.left_out.rows) == (128, 2, len(left) + 5)
    assert result.scores.groups == 4
    assert result.group_ids == ("s001", "s003", "s004", "s005")
    assert any("2 seeds" in note and "128 tokens" in note for note in result.notes)
    dropped = {row["variant_id"] for row in rows if row["seed_id"] == "s001" and row["premise"].endswith(" and")}
    for index, sizes in enumerate(answers_of_groups(result).sizes):
        drawn = {row["variant_id"] for row in rows if row["seed_id"] == "s001" and index in row["subsamples"]}
        assert sizes[0] == len(drawn - dropped)


def test_model_too_short_for_every_seed_is_refused(
    make_dataset: Callable[..., Path], make_model: Callable[..., Path], tmp_path: Path
) -> None:
    folder = make_dataset(tmp_path / "data", seeds=3)
    short = make_model(tmp_path / "short", limit=6)
    with pytest.raises(InputError, match=r"config all .* 6 tokens of model short"):
        score(short, folder)


@pytest.fixture(scope="module")
def two_way_model(make_model: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "two-way", labels=("not_entailment", "entailment"))


def merged(name: str) -> str:
    return name if name == "entailment" else "not_entailment"


def check_two_way(result: Result, dataset: Path, answers: Answers, names: Sequence[str]) -> None:
    rows = rows_of(dataset, "all", "test")
    right = [merged(answers[row["premise"], row["hypothesis"]]) == merged(names[row["label"]]) for row in rows]
    assert result.compared_labels == ("entailment", "not_entailment")
    assert result.scores.all_rows_accuracy == pytest.approx(float(share(right)), abs=1e-12)
    draw = rows_of(dataset, "all", "subsample_4")
    right = [merged(answers[row["premise"], row["hypothesis"]]) == merged(names[row["label"]]) for row in draw]
    assert result.scores.curve.each[4][90] == pytest.approx(float(pattern_accuracy(draw, right, 90)))
    assert list(result.parts["label"]) == list(names)


def test_two_way_model_on_three_way_data(two_way_model: Path, dataset: Path) -> None:
    result = score(two_way_model, dataset)
    check_two_way(result, dataset, plain_answers(two_way_model, dataset), NAMES)
    assert "count as not_entailment" in " ".join(result.notes)


def test_three_way_model_on_two_way_data(bert: Path, two_way_dataset: Path) -> None:
    result = score(bert, two_way_dataset)
    names = ("entailment", "not_entailment")
    check_two_way(result, two_way_dataset, plain_answers(bert, two_way_dataset), names)
    assert "count as not_entailment" in " ".join(result.notes)


def test_two_way_model_on_two_way_data(two_way_model: Path, two_way_dataset: Path) -> None:
    result = score(two_way_model, two_way_dataset)
    names = ("entailment", "not_entailment")
    check_two_way(result, two_way_dataset, plain_answers(two_way_model, two_way_dataset), names)
    assert not [note for note in result.notes if "count as" in note]


def test_given_labels_change_the_predictions(bert: Path, dataset: Path) -> None:
    result = score(bert, dataset, model_labels=("entailment", "neutral", "contradiction"))
    predicted = plain_answers(bert, dataset)
    as_given = {"contradiction": "entailment", "entailment": "neutral", "neutral": "contradiction"}
    check_scores(result, dataset, "all", {pair: as_given[answer] for pair, answer in predicted.items()})
    assert result.model.label_origin == "given"
    assert any("config, contradiction,entailment,neutral" in note for note in result.notes)


def test_tied_logits_are_counted(bert: Path, dataset: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(bert, dtype="float32")
    torch.nn.init.zeros_(model.classifier.weight)
    torch.nn.init.zeros_(model.classifier.bias)
    result = score((model, AutoTokenizer.from_pretrained(bert)), dataset, config="verb")
    pairs = {
        (row[f"{of}premise"], row[f"{of}hypothesis"])
        for row in rows_of(dataset, "verb", "test")
        for of in ("", "seed_")
    }
    assert any(f"tied on {len(pairs)} of {len(pairs)} distinct pairs" in note for note in result.notes)
    assert not any("tied" in note for note in score(bert, dataset, config="verb").notes)


def gold_of(dataset: Path) -> Answers:
    rows = rows_of(dataset, "all", "test") + rows_of(dataset, "seed", "test")
    return {(row["premise"], row["hypothesis"]): NAMES[row["label"]] for row in rows}


def test_permuted_labels_give_a_warning(dataset: Path) -> None:
    gold = gold_of(dataset)
    assert score(lambda pairs: [gold[pair] for pair in pairs], dataset).notes == ()
    swapped = {"entailment": "contradiction", "contradiction": "entailment", "neutral": "neutral"}
    result = score(lambda pairs: [swapped[gold[pair]] for pair in pairs], dataset, name="swapped")
    assert result.scores.seed_accuracy == pytest.approx(1 / 3)
    assert any(note.startswith("warning") and note.count("33.3%") == 2 for note in result.notes)


def test_perfect_function(dataset: Path) -> None:
    gold = gold_of(dataset)
    result = score(lambda pairs: [gold[pair] for pair in pairs], dataset)
    assert (result.scores.seed_accuracy, result.scores.qt, result.scores.mt) == (1.0, 0.0, 1.0)
    assert set(result.scores.curve.mean) == {1.0}


@pytest.fixture
def modules_of_import() -> Callable[[str], set[str]]:
    def run(statement: str) -> set[str]:
        code = f"import sys; {statement}; print(*sys.modules)"
        return set(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        )

    return run


@pytest.mark.parametrize("statement", ["import merge_snli", "from merge_snli import score, score_table, draw_curves"])
def test_importing_loads_nothing_heavy(modules_of_import: Callable[[str], set[str]], statement: str) -> None:
    heavy = {"torch", "transformers", "datasets", "spacy", "matplotlib", "scipy", "generation"}
    assert not heavy & modules_of_import(statement)


def test_unknown_name_is_an_attribute_error() -> None:
    import merge_snli

    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        merge_snli.nothing  # noqa: B018


def test_left_out_variant_has_no_prediction(make_dataset: Callable[..., Path], bert: Path, tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "long", seeds=6, change=long_sentences)
    result = score(bert, folder)
    rows = [row for row in rows_of(folder, "all", "test") if row["seed_id"] == "s001"]
    predicted = {*result.answers.row_ids.to_pylist()}
    assert [row["variant_id"] not in predicted for row in rows] == [row["premise"].endswith(" and") for row in rows]


def test_folder_is_reported_under_the_given_name(bert: Path, dataset: Path) -> None:
    assert score(bert, dataset, config="verb", name="first run").model.name == "first run"


def test_option_without_effect_on_a_pipeline_is_refused(bert: Path, dataset: Path) -> None:
    from transformers import pipeline

    with pytest.raises(InputError, match=r"^dtype .*loaded pipeline"):
        score(pipeline("text-classification", model=str(bert), device="cpu"), dataset, dtype="int8")


def test_other_objects_are_refused(bert: Path, dataset: Path) -> None:
    from transformers import pipeline

    model: Any
    for model, kind in ((None, "NoneType"), (pipeline("feature-extraction", model=str(bert)), "FeatureExtraction")):
        with pytest.raises(InputError, match=f"cannot score a {kind}"):
            score(model, dataset)


def test_models_without_tokenizer_are_refused(bert: Path, dataset: Path) -> None:
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    classifier = AutoModelForSequenceClassification.from_pretrained(bert)
    tokenizer = AutoTokenizer.from_pretrained(bert)
    model: Any
    for model, named in (
        (classifier, "BertForSequenceClassification"),
        ((classifier,), "tuple"),
        ((classifier, str(bert)), "str"),
        ((tokenizer, classifier), type(tokenizer).__name__),
        ((AutoModel.from_pretrained(bert), tokenizer), "BertModel"),
    ):
        with pytest.raises(InputError, match=rf"{named}.*\(model, tokenizer\)"):
            score(model, dataset)


def test_data_in_memory_is_refused_at_once(bert: Path) -> None:
    from datasets import Dataset, DatasetDict

    data: Any = DatasetDict({"test": Dataset.from_dict({"premise": ["a"]})})
    with pytest.raises(InputError, match="DatasetDict"):
        score(bert, data)


def test_messages_name_parameters_of_python(bert: Path, dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "notes--here.txt").write_text("")
    with pytest.raises(InputError) as caught:
        score(bert, dataset, out=tmp_path)
    assert "notes--here.txt" in str(caught.value)
    assert str(caught.value).startswith("out ")
    with pytest.raises(InputError, match=r"^dtype is 'float8'"):
        score(bert, dataset, dtype="float8")
