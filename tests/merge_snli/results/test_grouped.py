"""Test scores on pairs in groups: HANS- and SpaceNLI-shaped files, template data sets and other tasks, by counting.

What works on a MERGE data set works on Simple Pair, whose groups have no seeds and no subsamples.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyarrow as pa
import pytest

from merge_snli import (
    MergeDataset,
    Result,
    SimplePairOptions,
    analyze,
    import_files,
    load,
    read_result,
    read_results,
    score,
    simple_pair,
)
from merge_snli.answers.groups import read_groups
from merge_snli.base.files import read_json
from merge_snli.dataset.stored import read_split
from merge_snli.language_models.questions import Scope, accuracies, read_questions
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.results.check import require_data
from merge_snli.results.store import to_json
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.imports import read_predictions, score_answers
from tests.commands import Command
from tests.oracles import (
    Row,
    always,
    answers_of_groups,
    by_premise,
    check_scores,
    guess,
    known,
    refused,
    rows_of,
    write_rows,
)
from tests.result_schema import result_schema

SIZES = (1, 2, 3, 5, 8, 20, 19, 10, 4)


def pattern_rows() -> list[Row]:
    """Return rows like those of SpaceNLI: patterns of uneven sizes, each with one label."""
    rows = []
    relations = ("topological", "projective", "")
    for pattern, size in enumerate(SIZES):
        kind = pattern % 3
        now = " now" * kind
        for number in range(size):
            red = "red " * (number % 4)
            rows.append(
                {
                    "premise": f"The {red}ball is in box {number}.",
                    "hypothesis": f"Box {number} holds the ball{now}.",
                    "label": NLI_LABELS[kind],
                    "pattern": 100 + pattern,
                    "relation": relations[kind if number % 2 else 1],
                }
            )
    return rows


def hans_rows() -> list[Row]:
    """Return rows with the columns and labels of HANS: two labels, templates in heuristics."""
    rows = []
    for row in pattern_rows():
        rows.append(
            {
                "gold_label": row["label"] if row["label"] == "entailment" else "non-entailment",
                "sentence1": row["premise"],
                "sentence2": row["hypothesis"],
                "heuristic": row["relation"] or "constituent",
                "template": f"temp{row['pattern']}",
            }
        )
    return rows


def answers_of(
    rows: Sequence[Row], columns: Sequence[str] = ("premise", "hypothesis", "label")
) -> list[tuple[str, str]]:
    """Return gold and predicted label of each row, merged into two labels if the gold labels are two."""
    premise, hypothesis, label = columns
    predicted = guess([(row[premise], row[hypothesis]) for row in rows])
    gold = [NLI_LABELS[row[label]] if isinstance(row[label], int) else row[label] for row in rows]
    if "non-entailment" not in gold:
        return list(zip(gold, predicted, strict=True))
    merged = dict.fromkeys((*gold, *predicted), "not_entailment") | {"entailment": "entailment"}
    return [(merged[of_row], merged[answer]) for of_row, answer in zip(gold, predicted, strict=True)]


def check_part(part: Any, groups: Sequence[object], answers: Sequence[tuple[str, str]]) -> None:  # noqa: ANN401 - scores
    """Compare scores with counts of the rows."""
    right = []
    for group, (gold, predicted) in zip(groups, answers, strict=True):
        right.append((group, gold == predicted))
    check_scores(part, right, [right])
    assert part.groups == len(set(groups))
    counted = Counter(answers)
    for gold, row in part.predicted.items():
        for label, number in row.items():
            assert number == counted.pop((gold, label), 0)
    assert not counted
    for label, number in Counter(predicted for _, predicted in answers).items():
        assert part.predicted_share(label) == number / len(answers)


def check_parts(result: Result, by: str, of: Sequence[str], groups: Sequence[object], answers: Any) -> None:  # noqa: ANN401
    """Compare the scores of the values of a column, of which each row has one, with counts of the rows."""
    assert {*result.parts[by]} == {*of}
    for value, part in result.parts[by].items():
        chosen = [at for at, own in enumerate(of) if own == value]
        check_part(part, [groups[at] for at in chosen], [answers[at] for at in chosen])


def by_pattern(rows: Any, **options: Any) -> Result:  # noqa: ANN401
    """Return the result of `guess` on rows in patterns."""
    return score(guess, rows, group_column="pattern", **options)


def test_patterns_of_uneven_sizes(tmp_path: Path) -> None:
    rows = pattern_rows()
    result = by_pattern(write_rows(tmp_path / "space.jsonl", rows), by=["relation"])
    groups = answers_of_groups(result)
    patterns = [row["pattern"] for row in rows]
    answers = answers_of(rows)
    check_part(result.scores, patterns, answers)
    assert result.group_ids == tuple(str(100 + pattern) for pattern in range(len(SIZES)))
    assert groups.sizes == (SIZES,)
    check_parts(result, "relation", [row["relation"] or "(empty)" for row in rows], patterns, answers)
    assert list(result.parts["relation"]) == ["projective", "(empty)", "topological"]
    intervals = known(result.scores.intervals)
    low, high = intervals.sample_accuracy
    assert low < result.sample_accuracy < high
    low, high = intervals.pattern_accuracy
    assert low <= result.pattern_accuracy <= high
    assert result.qt is None
    assert result.mt is None
    assert result.consistency is None
    assert result.subsamples is None
    assert groups.seeds is None


def test_hans_merges_neutral_and_contradiction(tmp_path: Path) -> None:
    rows = hans_rows()
    path = tmp_path / "heuristics_evaluation_set.tsv"
    pd.DataFrame(rows).to_csv(path, sep="\t", index=False)
    answers = answers_of(rows, ("sentence1", "sentence2", "gold_label"))
    groups = [row["template"] for row in rows]
    result = score(guess, path, group_column="template", by=["heuristic", "heuristic+gold_label"])
    check_part(result.scores, groups, answers)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert any("only two labels" in note for note in result.notes)
    check_parts(result, "heuristic", [row["heuristic"] for row in rows], groups, answers)
    joined = result.parts["heuristic+gold_label"]
    assert sum(part.rows for part in joined.values()) == len(rows)
    for part in joined.values():
        assert len(part.predicted) == 1


def test_the_files_agree_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    rows = pattern_rows()
    path = write_rows(tmp_path / "a.jsonl", rows)
    one = by_pattern(path, name="one")
    other = by_pattern(pd.DataFrame(rows[::-1]), name="other")
    by_label = score(guess, path, group_column="label")
    assert one.dataset.digest == other.dataset.digest
    assert one.dataset.digest != by_label.dataset.digest
    assert replace(one.scores, intervals=None) == replace(other.scores, intervals=None)
    assert Counter(answers_of_groups(one).correct[0]) == Counter(answers_of_groups(other).correct[0])


def test_rows_without_a_gold_label_are_left_out_and_counted() -> None:
    rows = pattern_rows()
    unlabeled = by_pattern([*rows, rows[0] | {"label": "-"}, rows[1] | {"label": "-"}])
    assert unlabeled.scores.rows == len(rows)
    assert unlabeled.dataset.without_label == 2


def test_pairs_that_are_too_long_are_left_out(make_model: Callable[..., Path], tmp_path: Path) -> None:
    rows = pattern_rows()
    n_rows = len(rows)
    for pattern in ("long", "long", 108):
        rows.append(rows[0] | {"premise": "The ball " * 40 + "rolls.", "pattern": pattern})
    short = score(make_model(tmp_path / "short", limit=40), rows, group_column="pattern")
    assert short.left_out.rows == 3
    assert short.left_out.groups == 1
    assert short.scores.rows == n_rows
    assert any("3 pairs left out" in note for note in short.notes)


def test_pairs_with_two_gold_labels_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = pattern_rows()
    rows.append(rows[3] | {"label": "entailment"})
    rows.append(rows[5] | {"pattern": 104})
    path = write_rows(tmp_path / "pairs.jsonl", rows)
    assert by_pattern(path).scores.rows == 74
    [message] = [each for each in caplog.messages if "gold label" in each]
    assert "1 pair(s)" in message
    assert f"{path} line 73" in message


def test_results_are_read_together(dataset: Path, tmp_path: Path) -> None:
    grouped = by_pattern(pattern_rows(), out=tmp_path)
    [path] = tmp_path.glob("*.json")
    assert read_result(path) == grouped
    jsonschema.Draft202012Validator(result_schema()).validate(read_json(path))
    rows = [{"premise": f"A {n}.", "hypothesis": "B.", "label": f"label {n % 10}", "g": n // 10} for n in range(30)]
    ten = score(always("label 9"), rows, group_column="g", name="last", out=tmp_path)
    merge = score(guess, dataset, config="noun", out=tmp_path)
    found = read_results(tmp_path)
    assert len(found) == 3
    assert grouped in found
    assert ten in found
    assert merge in found


def test_the_command_reads_columns_and_labels_as_given(bert: Path, tmp_path: Path, command: Command) -> None:
    spelled = {"entailment": "ja", "neutral": "vielleicht", "contradiction": "nein"}
    names = {"premise": "text", "hypothesis": "claim", "label": "answer"}
    path = tmp_path / "pairs.tsv"
    pd.DataFrame(pattern_rows()).rename(columns=names).replace(spelled).to_csv(path, sep="\t", index=False)
    options = ["--premise-column", "text", "--hypothesis-column", "claim", "--label-column", "answer"]
    options += ["--data-labels", "ja=entailment,vielleicht=neutral,nein=contradiction", "--format", "json"]
    options += ["--group-column", "pattern", "--by", "relation", "answer", "--out", str(tmp_path / "results")]
    [result] = command("score", bert, "--dataset", path, *options).json["results"]
    assert result["dataset"]["labels"] == list(NLI_LABELS)
    assert list(result["parts"]["answer"]) == ["ja", "vielleicht", "nein"]
    assert result["dataset"]["title"] == "pairs"


Refuses = Callable[[list[Row], str, str], None]


@pytest.fixture
def refuses(bert: Path, tmp_path: Path, command: Command) -> Refuses:
    """Return a function that checks that the command refuses rows with some options, and writes no results."""

    def check(rows: list[Row], options: str, message: str) -> None:
        path = write_rows(tmp_path / "pairs.jsonl", rows)
        out = tmp_path / "results"
        error = command("score", bert, "--dataset", path, *options.split(), "--out", out, code=2).err
        assert re.search(message, error)
        assert not out.exists()

    return check


def test_options_that_do_not_fit_are_named(refuses: Refuses) -> None:
    rows = pattern_rows()
    refuses(rows, "--group-column patern", r"line 1 has no column 'patern'.*pattern")
    refuses(rows, "--group-column pattern --by relation genre", r"line 1 has no column 'genre'.*--by")
    refuses(rows, "--group-column pattern --by relation relation", "--by has 'relation' more than once")
    refuses(rows, "--group-column pattern --source recorded", "--source is for MERGE")
    refuses(rows, "--group-column pattern --eval-results me/pairs", "--eval-results is for MERGE")
    refuses(rows, "--group-column pattern --split dev", r"split is 'dev'.* file")
    refuses(rows, "", r"it is a file.*--group-column")


def test_a_bad_row_is_named(refuses: Refuses) -> None:
    rows = pattern_rows()
    for column, value, message in (
        ("pattern", " ", "the group in column 'pattern' is empty"),
        ("label", "perhaps so", "unknown label 'perhaps so'"),
        ("hypothesis", "", "column 'hypothesis' is empty"),
    ):
        bad = rows[0] | {column: value}
        refuses([*rows, bad], "--group-column pattern", f"line 73: {message}")


def test_a_row_without_its_group_is_named(refuses: Refuses) -> None:
    rows = pattern_rows()
    del rows[-1]["pattern"]
    refuses(rows, "--group-column pattern", r"line 72 has no column 'pattern'.*--group-column")


def rows_with(column: str, values: Sequence[object]) -> list[Row]:
    """Return at least 72 rows with the values of a column in turn."""
    patterns = pattern_rows()
    rows = []
    for number in range(max(72, len(values))):
        rows.append(patterns[number % 72] | {column: values[number % len(values)]})
    return rows


def test_a_column_that_does_not_fit_is_named(refuses: Refuses) -> None:
    by = "--group-column pattern"
    refuses(rows_with("pattern", range(72)), by, r"72 pairs are in 72 groups.*'pattern'")
    refuses(rows_with("pattern", [1]), by, r"72 pairs are in 1 group.*'pattern'")
    refuses(rows_with("label", ["-"]), by, "no row of .* has a gold label")
    of_others = r"neutral.*the data are a, b, c, d; use a model of this"
    refuses(rows_with("label", "abcd"), f"{by} --data-labels a,b,c,d", of_others)
    too_many = "line 501: column 'text' has more than 500 values"
    refuses(rows_with("text", range(504)), f"{by} --by text", too_many)


def test_objects_and_options_that_do_not_fit_are_refused(bert: Path, dataset: Path) -> None:
    rows = pattern_rows()
    refused(r"DataFrame.*group_column", score, guess, pd.DataFrame(rows))
    refused("group_column", score, guess, ProblemOptions(problems=rows))
    refused("by needs", score, guess, dataset, by=["template"])
    message = r"tiny-bert cannot be infer.*model_labels"
    refused(message, score, bert, rows, group_column="pattern", model_labels="infer")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    """A small Simple Pair."""
    folder = tmp_path_factory.mktemp("data") / "simple_pair"
    simple_pair(folder, SimplePairOptions(premises=20))
    return load(str(folder))


@pytest.fixture(scope="module")
def results_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def results(data: MergeDataset, results_folder: Path) -> list[Result]:
    results = []
    models: dict[str, Any] = {"guess": guess, "other": by_premise()}
    for name, model in models.items():
        results.append(score(model, data, config="simple", name=name, out=results_folder))
    return results


def test_joined_hypotheses_are_scored_by_relevance(data: MergeDataset) -> None:
    rows = rows_of(data.folder, "relevance")
    result = score(guess, data, config="relevance")
    by = result.parts
    assert list(by) == ["template", "hypothesis_template", "template+hypothesis_template", "template+relevance"]
    assert len(by["template+relevance"]) == 4
    joined = [f"{row['template']} + {row['relevance']}" for row in rows]
    groups = [row["group_id"] for row in rows]
    answers = answers_of(rows)
    check_part(result.scores, groups, answers)
    check_parts(result, "template+relevance", joined, groups, answers)
    assert result.dataset.title == "Simple Pair"
    assert result.dataset.config == "relevance"


def test_a_config_that_cannot_be_scored_is_named(data: MergeDataset) -> None:
    refused(r"several configs.* simple, relevance, conjunction", score, guess, data)
    refused(r"'svo'.*simple, relevance, conjunction", score, guess, data, config="svo")
    refused(r"simple_pair.*'augmentation'", score, guess, data, config="augmentation")


def test_a_changed_file_of_a_template_data_set_is_named(data: MergeDataset, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(data.folder, tmp_path / "copy"))
    (copy / "data" / "conjunction" / "test.parquet").write_bytes(b"PAR1")
    refused(r"conjunction/test\.parquet has changed", score, guess, copy, config="conjunction")


def test_the_command_scores_every_config_of_a_template_data_set(
    bert: Path, data: MergeDataset, tmp_path: Path, command: Command
) -> None:
    text = command("score", bert, "--dataset", data.folder, "--out", tmp_path / "results").out
    results = read_results(tmp_path / "results")
    assert sorted(str(result.dataset.config) for result in results) == ["conjunction", "relevance", "simple"]
    for result in results:
        scores = result.scores
        size = f"{scores.rows} pairs in {scores.groups} groups"
        assert f"Simple Pair, config {result.dataset.config}: {size} by group_id, by template" in text
        assert f"{100 * result.sample_accuracy:.1f}" in text


def test_imported_answers_give_the_result_of_the_function(
    data: MergeDataset, results: list[Result], tmp_path: Path
) -> None:
    answers = pd.DataFrame(rows_of(data.folder, "simple")).rename(columns={"pair_id": "id"})
    answers["label"] = guess([*zip(answers["premise"], answers["hypothesis"], strict=True)])
    path = tmp_path / "answers.csv"
    answers[["id", "label"]].to_csv(path, index=False)
    [imported] = import_files([path], str(data.folder), model="guess", config="simple")
    scored = results[0]
    assert imported.scores == scored.scores
    assert imported.parts == scored.parts
    assert answers_of_groups(imported) == answers_of_groups(scored)


def test_a_language_model_is_asked_every_pair_once(
    data: MergeDataset, results: list[Result], tmp_path: Path, command: Command
) -> None:
    asked = read_questions(data, Scope(config="simple"))
    assert {(question.premise, question.hypothesis) for question in asked.questions} == {*asked.data.pairs}
    assert asked.record["subsample"] == "all"
    answers = []
    for question in asked.questions:
        [answer] = guess([(question.premise, question.hypothesis)])
        answers += [(use, answer) for use in question.uses]
    numbers = accuracies(answers)
    scores = results[0].scores
    assert numbers["sample_accuracy"] == scores.sample_accuracy.mean
    assert numbers["pattern_accuracy"] == scores.pattern_accuracy.mean
    command("harness", data.folder, "--config", "simple", "--out", tmp_path)
    command("harness", data.folder, "--config", "simple", "--seeds", "only", "--estimate", code=2)


@pytest.mark.slow
def test_analyses_that_need_no_seeds_are_computed(
    data: MergeDataset, results: list[Result], results_folder: Path, tmp_path: Path, command: Command
) -> None:
    report = command("analyze", results_folder, "--dataset", data.folder, "--out", tmp_path / "r", "--format", "json")
    [part] = report.json["data_sets"]
    analyses = part["analyses"]
    rows = {row["model"]: row for row in analyses["table_3"]["rows"]}
    for result in results:
        row = rows[result.model.name]
        assert row["pattern_accuracy"] == pytest.approx(result.pattern_accuracy)
        assert row["on_seeds"] is None
        assert row["qt"] is None
    assert len(analyses["model_curves"]["curves"]) == 2
    assert "Simple Pair" in analyses["seeds_against_variants"]["not_computed"]
    assert "groups" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    command("compare", results_folder, "--out", tmp_path / "figures")
    assert any("by-template" in path.name for path in (tmp_path / "figures").iterdir())


def test_reports_read_only_the_configs_of_results_and_each_once(
    data: MergeDataset, results: list[Result], results_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def counted(dataset: MergeDataset, config: str, *, repeated: Sequence[str]) -> pa.Table:
        read.append(config)
        return read_split(dataset, config, repeated=repeated)

    monkeypatch.setattr("merge_snli.answers.reading.read_split", counted)
    analyze([results_folder], [data])
    leaderboard_text(results, "html", datasets=[data])
    assert read == ["simple"] * 2


# Rows of a task whose labels are not those of NLI.
TASK = []
for word in ("horse", "dog", "cat"):
    for second, label, verb in (
        (f"A man is followed by a {word}.", "paraphrase", "follow"),
        (f"A man follows a {word}.", "different", "follow"),
        (f"A {word} is near a man.", "Unclear", "be"),
    ):
        TASK.append({"sentence1": f"A {word} follows a man.", "sentence2": second, "label": label, "verb": verb})


def by_words(pairs: list[Pair]) -> list[str | int]:
    """Answer with names in other capitals and, for the last kind of pair, with a number; wrong for cats."""
    answer_of = {}
    for row in TASK:
        answer = 0 if row["label"] == "Unclear" else row["label"].upper()
        answer_of[row["sentence1"], row["sentence2"]] = "different" if "cat" in row["sentence1"] else answer
    return [answer_of[pair] for pair in pairs]


def test_labels_of_another_task_are_scored_by_their_names(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", TASK)
    result = score(by_words, str(rows), group_column="verb")
    assert result.dataset.labels == result.compared_labels == ("Unclear", "different", "paraphrase")
    assert result.sample_accuracy == pytest.approx(7 / 9)
    assert result.scores.predicted["paraphrase"] == {"Unclear": 0, "different": 1, "paraphrase": 2}
    require_data(result, read_groups(ProblemOptions(problems=rows), group_column="verb"))
    assert "entailment" not in json.dumps(to_json(result))
    message = r"returned 'entailment' .* one of Unclear, different, paraphrase or a number"
    refused(message, score, always("entailment"), str(rows), group_column="verb")


@pytest.mark.parametrize("form", ["labels", "scores"])
def test_predictions_in_a_table_have_the_labels_of_the_task(tmp_path: Path, form: str) -> None:
    data = read_groups(ProblemOptions(problems=TASK), group_column="verb")
    table = pd.DataFrame(TASK).drop(columns="verb")
    table = table.rename(columns={"sentence1": "premise", "sentence2": "hypothesis"})
    if form == "scores":
        table = table.drop(columns="label").join(pd.get_dummies(table["label"], dtype=float))
    path = tmp_path / "predictions.jsonl"
    table.to_json(path, orient="records", lines=True)
    predicted = read_predictions([path], data, model="m")
    assert score_answers(predicted, data).sample_accuracy == 1
    path.write_text(path.read_text().replace("Unclear", "entailment"))
    refused("entailment", read_predictions, [path], data, model="m")
