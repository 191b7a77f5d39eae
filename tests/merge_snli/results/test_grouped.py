"""Test scores on pairs in groups: HANS- and SpaceNLI-shaped files, template data sets and other tasks, by counting.

What works on a MERGE data set works on Simple Pair, whose groups have no seeds and no subsamples.
"""

import csv
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
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
from merge_snli.base.files import sha256_of_file
from merge_snli.dataset.record import ConfigRecord, DataRecord, Record, TermsRecord, encode_record, seal
from merge_snli.dataset.stored import read_split
from merge_snli.language_models.questions import Scope, accuracies, read_questions
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.models.labels import Pair
from merge_snli.pairs.output import PairConfig
from merge_snli.problems.options import ProblemOptions
from merge_snli.results.check import require_data
from merge_snli.results.store import to_json
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.imports import read_predictions, score_answers
from tests.commands import Command
from tests.oracles import (
    Row,
    answers_of_groups,
    check_scores,
    guess,
    known,
    missing_from,
    pair_of,
    refused,
    rows_of,
    write_rows,
)
from tests.result_schema import result_schema

SIZES = (1, 2, 3, 5, 8, 20, 19, 10, 4)


def pattern_rows() -> list[Row]:
    """Return rows like those of SpaceNLI: patterns of uneven sizes, each with one label."""
    return [
        {
            "premise": f"The {'red ' * (number % 4)}ball is in box {number}.",
            "hypothesis": f"Box {number} holds the ball{' now' * (pattern % 3)}.",
            "label": NLI_LABELS[pattern % 3],
            "pattern": 100 + pattern,
            "relation": ("topological", "projective", "")[pattern % 3 if number % 2 else 1],
        }
        for pattern, size in enumerate(SIZES)
        for number in range(size)
    ]


def hans_rows() -> list[Row]:
    """Return rows with the columns and labels of HANS: two labels, templates in subcases in heuristics."""
    return [
        {
            "gold_label": ("entailment", "non-entailment")[subcase % 2],
            "sentence1": f"The doctor {verb}{' near' * (number % 3)} the actor .",
            "sentence2": f"The actor {verb}{' well' * (subcase % 4)} .",
            "heuristic": ("lexical_overlap", "subsequence", "constituent")[subcase % 3],
            "subcase": f"case_{subcase}",
            "template": f"temp{subcase * 2 + number % 2}",
        }
        for subcase in range(6)
        for number, verb in enumerate(
            ("saw", "heard", "thanked", "advised", "met", "believed", "hid")[: 3 + subcase % 3]
        )
    ]


def write_tsv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def template_rows(config: str) -> list[Row]:
    """Return rows with the columns of a data set made from templates."""
    return [
        {
            "pair_id": f"{config}-{premise}-{hypothesis}",
            "group_id": f"{config}-{premise}",
            "premise": f"The apple {premise} is {config}.",
            "hypothesis": f"The pear is{' not' * (hypothesis % 2)} nice{' today' * (hypothesis // 2)}.",
            "label": 1,
            "template": ("n_is_a", "svo")[premise % 2],
            "hypothesis_template": ("n2_is_a1", "n2_is_not_a1", "n1_is_a2", "n1_is_not_a2")[hypothesis],
        }
        for premise in range(5)
        for hypothesis in range(4)
    ]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """Write a data set made from templates, with two configs for testing and one for training."""
    folder, files, configs = tmp_path / "made_pairs", {}, {}
    for config, split in (("simple", "test"), ("conjunction", "test"), ("augmentation", "train")):
        path = folder / "data" / config / f"{split}.parquet"
        path.parent.mkdir(parents=True)
        names = {"info": {"features": {"label": {"names": list(NLI_LABELS), "_type": "ClassLabel"}}}}
        table = pa.Table.from_pylist(template_rows(config))
        pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(names)}), path)
        files[f"data/{config}/{split}.parquet"] = sha256_of_file(path)
        configs[config] = ConfigRecord(
            description="",
            splits={split: 20},
            columns=PairConfig("", (), {}).all_columns,
            groups=5,
            labels={"neutral": 20},
            group_labels={"neutral": 5},
        )
    record = Record(
        command="pairs simple",
        method_version="1",
        options={},
        sources=(),
        title="Made Pairs",
        load_name="made_pairs",
        summary="",
        notes=(),
        terms=TermsRecord(None, None),
        versions={},
        configs=configs,
        data=DataRecord("0" * 64, files),
        label_names=NLI_LABELS,
        group_column="group_id",
    )
    (folder / "run.json").write_bytes(encode_record(seal(record, b"")))
    return folder


def answers_of(
    rows: Sequence[Row], columns: Sequence[str] = ("premise", "hypothesis", "label")
) -> list[tuple[str, str]]:
    """Return gold and predicted label of each row, merged into two labels if the gold labels are two."""
    premise, hypothesis, label = columns
    predicted = guess([(row[premise], row[hypothesis]) for row in rows])
    gold = [NLI_LABELS[row[label]] if isinstance(row[label], int) else row[label] for row in rows]
    if "non-entailment" not in gold:
        return list(zip(gold, predicted, strict=True))
    merged = ["entailment" if name == "entailment" else "not_entailment" for name in (*gold, *predicted)]
    return list(zip(merged[: len(gold)], merged[len(gold) :], strict=True))


def check_part(part: Any, groups: Sequence[object], answers: Sequence[tuple[str, str]]) -> None:  # noqa: ANN401 - scores
    """Compare scores with counts of the rows."""
    right = [(group, gold == predicted) for group, (gold, predicted) in zip(groups, answers, strict=True)]
    check_scores(part, right, [right])
    assert part.groups == len(set(groups))
    counted = Counter(answers)
    assert {(gold, label): n for gold, row in part.predicted.items() for label, n in row.items() if n} == counted
    for label in {predicted for _, predicted in answers}:
        assert part.predicted_share(label) == sum(predicted == label for _, predicted in answers) / len(answers)


def check_parts(result: Result, by: str, of: Sequence[str], groups: Sequence[object], answers: Any) -> None:  # noqa: ANN401
    """Compare the scores of the values of a column, of which each row has one, with counts of the rows."""
    assert {*result.parts[by]} == {*of}
    for value, part in result.parts[by].items():
        chosen = [at for at, own in enumerate(of) if own == value]
        check_part(part, [groups[at] for at in chosen], [answers[at] for at in chosen])


def by_pattern(rows: Any = None, **options: Any) -> Result:  # noqa: ANN401
    """Return the result of `guess` on rows in patterns."""
    return score(guess, pattern_rows() if rows is None else rows, group_column="pattern", **options)


def test_patterns_of_uneven_sizes(tmp_path: Path) -> None:
    rows = pattern_rows()
    result = by_pattern(write_rows(tmp_path / "space.jsonl", rows), by=["relation"])
    patterns, answers = [row["pattern"] for row in rows], answers_of(rows)
    check_part(result.scores, patterns, answers)
    assert result.group_ids == tuple(str(100 + pattern) for pattern in range(len(SIZES)))
    assert answers_of_groups(result).sizes == (SIZES,)
    check_parts(result, "relation", [row["relation"] or "(empty)" for row in rows], patterns, answers)
    assert list(result.parts["relation"]) == ["projective", "(empty)", "topological"]
    intervals = known(result.scores.intervals)
    assert intervals.sample_accuracy[0] < result.sample_accuracy < intervals.sample_accuracy[1]
    assert intervals.pattern_accuracy[0] <= result.pattern_accuracy <= intervals.pattern_accuracy[1]
    assert (result.qt, result.mt, result.consistency, result.subsamples, answers_of_groups(result).seeds) == (None,) * 5


@pytest.mark.parametrize("column", ["template", "subcase"])
def test_hans_merges_neutral_and_contradiction(tmp_path: Path, column: str) -> None:
    rows = hans_rows()
    path = write_tsv(tmp_path / "heuristics_evaluation_set.tsv", rows)
    answers, groups = answers_of(rows, ("sentence1", "sentence2", "gold_label")), [row[column] for row in rows]
    result = score(guess, path, group_column=column, by=["heuristic", "heuristic+gold_label"])
    check_part(result.scores, groups, answers)
    assert result.compared_labels == ("entailment", "not_entailment")
    assert any("only two labels" in note for note in result.notes)
    check_parts(result, "heuristic", [row["heuristic"] for row in rows], groups, answers)
    joined = result.parts["heuristic+gold_label"]
    assert sum(part.rows for part in joined.values()) == len(rows)
    assert all(len(part.predicted) == 1 for part in joined.values())


def test_the_files_agree_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    rows = pattern_rows()
    path = write_rows(tmp_path / "a.jsonl", rows)
    one, other = by_pattern(path, name="one"), by_pattern(pd.DataFrame(rows[::-1]), name="other")
    assert one.dataset.digest == other.dataset.digest != score(guess, path, group_column="label").dataset.digest
    assert dataclasses.replace(one.scores, intervals=None) == dataclasses.replace(other.scores, intervals=None)
    first, second = ({*zip(each.group_ids, answers_of_groups(each).correct[0], strict=True)} for each in (one, other))
    assert first == second


def test_rows_that_do_not_count_are_left_out_and_counted(
    make_model: Callable[..., Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = pattern_rows()
    unlabeled = by_pattern([*rows, *({**row, "label": "-"} for row in rows[:4])])
    assert (unlabeled.scores.rows, unlabeled.dataset.without_label) == (len(rows), 4)
    long = [{**rows[0], "premise": "The ball " * 40 + "rolls.", "pattern": each} for each in ("long", "long", 108)]
    short = score(make_model(tmp_path / "short", limit=40), [*rows, *long], group_column="pattern")
    assert (short.left_out.rows, short.left_out.groups, short.scores.rows) == (3, 1, len(rows))
    assert any("3 pairs left out" in note for note in short.notes)
    assert not any("gold label" in each for each in caplog.messages)
    others = [rows[3] | {"label": "entailment"}, rows[5] | {"pattern": 104}]
    path = write_rows(tmp_path / "pairs.jsonl", [*rows, *others])
    assert by_pattern(path).scores.rows == len(rows) + len(others)
    (message,) = (each for each in caplog.messages if "gold label" in each)
    assert not missing_from(message, "1 pair(s)", f"{path} line 4")


def test_results_are_read_together(dataset: Path, tmp_path: Path) -> None:
    grouped = by_pattern(out=tmp_path)
    [path] = tmp_path.glob("*.json")
    assert read_result(path) == grouped
    jsonschema.Draft202012Validator(result_schema()).validate(json.loads(path.read_text(encoding="utf-8")))
    names = [f"label {number}" for number in range(10)]
    rows = [{"premise": f"A {n}.", "hypothesis": f"B {n}.", "label": names[n % 10], "g": n // 10} for n in range(30)]
    ten = score(lambda pairs: [names[-1]] * len(pairs), rows, group_column="g", name="last", out=tmp_path)
    assert ten.scores.groups == 3
    merge = score(guess, dataset, config="noun", out=tmp_path)
    found = read_results(tmp_path)
    assert len(found) == 3
    assert all(result in found for result in (grouped, ten, merge))


def test_template_data_sets_need_no_group_column(templates: Path) -> None:
    result, rows = score(guess, templates, config="simple"), template_rows("simple")
    groups, answers = [row["group_id"] for row in rows], answers_of(rows)
    check_part(result.scores, groups, answers)
    assert (result.dataset.title, result.dataset.config) == ("Made Pairs", "simple")
    assert list(result.parts) == ["template", "hypothesis_template", "template+hypothesis_template"]
    joined = [f"{row['template']} + {row['hypothesis_template']}" for row in rows]
    check_parts(result, "template+hypothesis_template", joined, groups, answers)
    for config, message in {
        None: r"several configs.* simple, conjunction",
        "svo": r"'svo'.*simple, conjunction",
        "augmentation": r"made_pairs.*'augmentation'",
    }.items():
        refused(message, score, guess, templates, config=config)
    (templates / "data" / "conjunction" / "test.parquet").write_bytes(b"PAR1")
    refused(r"conjunction/test\.parquet has changed", score, guess, templates, config="conjunction")


def test_the_command_scores_every_config_of_a_template_data_set(
    bert: Path, roberta: Path, templates: Path, tmp_path: Path, command: Command
) -> None:
    text = command("score", bert, roberta, "--dataset", templates, "--out", tmp_path / "results").out
    assert not missing_from(
        text,
        "Made Pairs, config simple: 20 pairs in 5 groups by group_id",
        "Made Pairs, config conjunction: 20 pairs in 5 groups by group_id, by template",
    )
    results = read_results(tmp_path / "results")
    assert sorted((result.model.name, result.dataset.config) for result in results) == [
        (model, config) for model in ("tiny-bert", "tiny-roberta") for config in ("conjunction", "simple")
    ]
    assert all(f"{result.sample_accuracy * 100:.1f}" in text for result in results)


def test_the_command_reads_columns_and_labels_as_given(bert: Path, tmp_path: Path, command: Command) -> None:
    spelled = {"entailment": "ja", "neutral": "vielleicht", "contradiction": "nein"}
    names = {"premise": "text", "hypothesis": "claim", "label": "answer"}
    rows = [
        {names.get(column, column): spelled.get(value, value) for column, value in row.items()}
        for row in pattern_rows()
    ]
    path = write_tsv(tmp_path / "pairs.tsv", rows)
    options = ["--premise-column", "text", "--hypothesis-column", "claim", "--label-column", "answer"]
    options += ["--data-labels", "ja=entailment,vielleicht=neutral,nein=contradiction", "--format", "json"]
    options += ["--group-column", "pattern", "--by", "relation", "answer", "--out", str(tmp_path / "results")]
    [result] = command("score", bert, "--dataset", path, *options).json["results"]
    assert result["dataset"]["labels"] == list(NLI_LABELS)
    assert list(result["parts"]["answer"]) == ["ja", "vielleicht", "nein"]
    assert result["dataset"]["title"] == "pairs"


BAD_FILES: dict[str, tuple[list[Row], list[str], str]] = {
    "no such group column": (pattern_rows(), ["--group-column", "patern"], r"line 1 has no column 'patern'.*pattern"),
    "groups all distinct": (
        [{**row, "pattern": number} for number, row in enumerate(pattern_rows())],
        ["--group-column", "pattern"],
        r"each of the 72 pairs.*'pattern'",
    ),
    "one group": (
        [{**row, "pattern": 1} for row in pattern_rows()],
        ["--group-column", "pattern"],
        r"all 72.*'pattern'",
    ),
    "an empty group": (
        [*pattern_rows(), {**pattern_rows()[0], "pattern": " "}],
        ["--group-column", "pattern"],
        r"line 73: the group in column 'pattern' is empty",
    ),
    "a group that is missing in one row": (
        [*pattern_rows(), {key: value for key, value in pattern_rows()[0].items() if key != "pattern"}],
        ["--group-column", "pattern"],
        r"line 73 has no column 'pattern'.*--group-column",
    ),
    "no such column to score by": (
        pattern_rows(),
        ["--group-column", "pattern", "--by", "relation", "genre"],
        r"line 1 has no column 'genre'.*--by",
    ),
    "a column to score by twice": (
        pattern_rows(),
        ["--group-column", "pattern", "--by", "relation", "relation"],
        r"--by has 'relation' more than once",
    ),
    "a column to score by with too many values": (
        [{**row, "text": str(number)} for number, row in enumerate(pattern_rows() * 7)],
        ["--group-column", "pattern", "--by", "text"],
        r"line 501: column 'text' has more than 500 values",
    ),
    "an unknown label": (
        [*pattern_rows(), {**pattern_rows()[0], "label": "perhaps so"}],
        ["--group-column", "pattern"],
        r"line 73: unknown label 'perhaps so'",
    ),
    "labels of another task": (
        [{**row, "label": ("a", "b", "c", "d")[number % 4]} for number, row in enumerate(pattern_rows())],
        ["--group-column", "pattern", "--data-labels", "a,b,c,d"],
        r"entailment, neutral.*the labels of the data are a, b, c, d; use a model of this task",
    ),
    "no gold label": (
        [{**row, "label": "-"} for row in pattern_rows()],
        ["--group-column", "pattern"],
        r"no row of .* has a gold label",
    ),
    "an empty hypothesis": (
        [*pattern_rows(), {**pattern_rows()[0], "hypothesis": ""}],
        ["--group-column", "pattern"],
        r"line 73: column 'hypothesis' is empty",
    ),
    "a source": (pattern_rows(), ["--group-column", "pattern", "--source", "recorded"], r"--source is for MERGE"),
    "results for the Hub": (
        pattern_rows(),
        ["--group-column", "pattern", "--eval-results", "me/pairs"],
        r"--eval-results is for MERGE",
    ),
    "a file without groups": (pattern_rows(), [], r"it is a file.*--group-column"),
    "columns to score by without groups": (pattern_rows(), ["--by", "relation"], r"it is a file.*--group-column"),
    "a split of a file": (pattern_rows(), ["--group-column", "pattern", "--split", "dev"], r"split is 'dev'.* file"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_input_is_named(kind: str, bert: Path, tmp_path: Path, command: Command) -> None:
    rows, options, message = BAD_FILES[kind]
    path = write_rows(tmp_path / "pairs.jsonl", rows)
    error = command("score", bert, "--dataset", path, *options, "--out", tmp_path / "results", code=2).err
    assert re.search(message, error)
    assert not (tmp_path / "results").exists()


def test_objects_and_options_that_do_not_fit_are_refused(bert: Path, dataset: Path) -> None:
    rows = pattern_rows()
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (guess, pd.DataFrame(rows), {}, r"DataFrame.*group_column"),
        (guess, ProblemOptions(problems=rows), {}, "group_column"),
        (guess, dataset, {"by": ["template"]}, "by needs"),
        (bert, rows, {"group_column": "pattern", "model_labels": "infer"}, r"tiny-bert cannot be infer.*model_labels"),
    ]
    for model, data, options, message in cases:
        refused(message, score, model, data, **options)


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
    functions: dict[str, Any] = {"guess": guess, "other": lambda pairs: [len(premise) % 3 for premise, _ in pairs]}
    return [score(each, data, config="simple", name=name, out=results_folder) for name, each in functions.items()]


def test_joined_hypotheses_are_scored_by_relevance(data: MergeDataset) -> None:
    rows, result = rows_of(data.folder, "relevance"), score(guess, data, config="relevance")
    by = result.parts
    assert list(by) == ["template", "hypothesis_template", "template+hypothesis_template", "template+relevance"]
    assert len(by["template+relevance"]) == 4
    joined = [f"{row['template']} + {row['relevance']}" for row in rows]
    check_parts(result, "template+relevance", joined, [row["group_id"] for row in rows], answers_of(rows))


def test_imported_answers_give_the_result_of_the_function(
    data: MergeDataset, results: list[Result], tmp_path: Path
) -> None:
    rows = rows_of(data.folder, "simple")
    answers = [
        {"id": row["pair_id"], "label": label} for row, label in zip(rows, guess([*map(pair_of, rows)]), strict=True)
    ]
    pd.DataFrame(answers).to_csv(tmp_path / "answers.csv", index=False)
    [imported] = import_files([tmp_path / "answers.csv"], str(data.folder), model="guess", config="simple")
    assert (imported.scores, imported.parts) == (results[0].scores, results[0].parts)
    assert answers_of_groups(imported) == answers_of_groups(results[0])


def test_a_language_model_is_asked_every_pair_once(
    data: MergeDataset, results: list[Result], tmp_path: Path, command: Command
) -> None:
    asked = read_questions(data, Scope(config="simple"))
    assert {(question.premise, question.hypothesis) for question in asked.questions} == {*asked.data.pairs}
    assert asked.record["subsample"] == "all"
    answers = [
        (use, guess([(question.premise, question.hypothesis)])[0])
        for question in asked.questions
        for use in question.uses
    ]
    numbers, scores = accuracies(answers), results[0].scores
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
    rows = {row["model"]: row for row in part["analyses"]["table_3"]["rows"]}
    for result in results:
        assert rows[result.model.name]["pattern_accuracy"] == pytest.approx(result.pattern_accuracy)
        assert rows[result.model.name]["on_seeds"] is rows[result.model.name]["qt"] is None
    assert len(part["analyses"]["model_curves"]["curves"]) == 2
    assert "Simple Pair" in part["analyses"]["seeds_against_variants"]["not_computed"]
    assert "groups" in (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    command("compare", results_folder, "--out", tmp_path / "figures")
    assert any("by-template" in path.name for path in (tmp_path / "figures").iterdir())


def test_reports_read_only_the_configs_of_results_and_each_once(
    data: MergeDataset, results: list[Result], results_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(dataset: MergeDataset, config: str, *, repeated: Sequence[str]) -> pa.Table:
        read.append(config)
        return read_split(dataset, config, repeated=repeated)

    monkeypatch.setattr("merge_snli.answers.reading.read_split", counted)
    analyze([results_folder], [data])
    leaderboard_text(results, "html", datasets=[data])
    assert read == ["simple"] * 2


# Rows of a task whose labels are not those of NLI.
TASK = [
    {"sentence1": f"A {word} follows a man.", "sentence2": second.format(word), "label": label, "verb": verb}
    for word in ("horse", "dog", "cat")
    for second, label, verb in (
        ("A man is followed by a {}.", "paraphrase", "follow"),
        ("A man follows a {}.", "different", "follow"),
        ("A {} is near a man.", "Unclear", "be"),
    )
]


def by_words(pairs: list[Pair]) -> list[str | int]:
    """Answer with names in other capitals and, for the last kind of pair, with a number; wrong for cats."""
    found = [next((row["label"] for row in TASK if (row["sentence1"], row["sentence2"]) == pair), "") for pair in pairs]
    answers: list[str | int] = [0 if label == "Unclear" else label.upper() for label in found]
    return ["different" if "cat" in pair[0] else answer for pair, answer in zip(pairs, answers, strict=True)]


def test_labels_of_another_task_are_scored_by_their_names(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", TASK)
    result = score(by_words, str(rows), group_column="verb")
    assert result.dataset.labels == result.compared_labels == ("Unclear", "different", "paraphrase")
    assert result.sample_accuracy == pytest.approx(7 / 9)
    assert result.scores.predicted["paraphrase"] == {"Unclear": 0, "different": 1, "paraphrase": 2}
    assert {*result.scores.predicted} == {"Unclear", "different", "paraphrase"}
    require_data(result, read_groups(ProblemOptions(problems=rows), group_column="verb"))
    assert "entailment" not in json.dumps(to_json(result))
    refused(
        r"returned 'entailment' .* one of Unclear, different, paraphrase or a number",
        score,
        lambda pairs: ["entailment"] * len(pairs),
        str(rows),
        group_column="verb",
        name="f",
    )


@pytest.mark.parametrize("form", ["labels", "scores"])
def test_predictions_in_a_table_have_the_labels_of_the_task(tmp_path: Path, form: str) -> None:
    data = read_groups(ProblemOptions(problems=TASK), group_column="verb")
    names = data.label_names
    table = [
        {"premise": row["sentence1"], "hypothesis": row["sentence2"]}
        | ({"label": row["label"]} if form == "labels" else {name: float(name == row["label"]) for name in names})
        for row in TASK
    ]
    path = write_rows(tmp_path / "predictions.jsonl", table)
    assert score_answers(read_predictions([path], data, model="m"), data).sample_accuracy == 1
    path.write_text(path.read_text().replace("Unclear", "entailment"))
    refused("", read_predictions, [path], data, model="m")
