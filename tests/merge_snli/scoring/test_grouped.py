"""Test scores on pairs in groups: HANS- and SpaceNLI-shaped files and template data sets, against plain counts."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.figure import Figure

from merge_snli import Result, read_result, read_results, score
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.cli import main
from merge_snli.dataset.record import ConfigRecord, DataRecord, Record, TermsRecord, encode_record, seal
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.output import PAIR_COLUMNS
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.store import result_schema, write_result
from tests.oracles import answers_of_groups

Row = dict[str, Any]
SIZES = (1, 2, 3, 5, 8, 20, 19, 10, 4)


def guess(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Predict a label that depends on the texts only."""
    return [NLI_LABELS[(len(premise) + 3 * len(hypothesis)) % 3] for premise, hypothesis in pairs]


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


def write_lines(path: Path, rows: Sequence[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


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
            columns=PAIR_COLUMNS,
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


def shares_of_passing(groups: Sequence[object], answers: Sequence[tuple[str, str]]) -> Callable[[Fraction], float]:
    """Return PA as a function of the threshold, counted with fractions."""
    correct: dict[object, list[bool]] = defaultdict(list)
    for group, (gold, predicted) in zip(groups, answers, strict=True):
        correct[group].append(gold == predicted)
    shares = [Fraction(sum(each), len(each)) for each in correct.values()]
    return lambda threshold: sum(share >= threshold for share in shares) / len(shares)


def check_part(part: Any, groups: Sequence[object], answers: Sequence[tuple[str, str]]) -> None:  # noqa: ANN401 - scores
    """Compare scores with counts of the rows."""
    passing = shares_of_passing(groups, answers)
    assert part.rows == len(answers)
    assert part.groups == len(set(groups))
    assert part.sample_accuracy.mean == sum(gold == predicted for gold, predicted in answers) / len(answers)
    assert part.pattern_accuracy.mean == passing(Fraction(9, 10))
    assert part.curve.mean == tuple(passing(Fraction(percent, 100)) for percent in range(101))
    counted = Counter(answers)
    assert {(gold, label): n for gold, row in part.predicted.items() for label, n in row.items() if n} == counted
    for label in {predicted for _, predicted in answers}:
        assert part.predicted_share(label) == sum(predicted == label for _, predicted in answers) / len(answers)


def test_patterns_of_uneven_sizes(tmp_path: Path) -> None:
    rows = pattern_rows()
    result = score(guess, write_lines(tmp_path / "space.jsonl", rows), group_column="pattern", by=["relation"])
    answers = answers_of(rows)
    check_part(result.scores, [row["pattern"] for row in rows], answers)
    assert result.group_ids == tuple(str(100 + pattern) for pattern in range(len(SIZES)))
    assert answers_of_groups(result).sizes == (SIZES,)
    assert list(result.parts["relation"]) == ["projective", "(empty)", "topological"]
    for value, part in result.parts["relation"].items():
        chosen = [at for at, row in enumerate(rows) if (row["relation"] or "(empty)") == value]
        check_part(part, [rows[at]["pattern"] for at in chosen], [answers[at] for at in chosen])
    intervals = result.scores.intervals
    assert intervals is not None
    low, high = intervals.sample_accuracy
    assert low < result.sample_accuracy < high
    low, high = intervals.pattern_accuracy
    assert low <= result.pattern_accuracy <= high
    assert (result.qt, result.mt, result.consistency, result.subsamples, answers_of_groups(result).seeds) == (None,) * 5


def test_hans_merges_neutral_and_contradiction(tmp_path: Path) -> None:
    rows = hans_rows()
    path = write_tsv(tmp_path / "heuristics_evaluation_set.tsv", rows)
    answers = answers_of(rows, ("sentence1", "sentence2", "gold_label"))
    for column in ("template", "subcase"):
        result = score(guess, path, group_column=column, by=["heuristic", "heuristic+gold_label"])
        check_part(result.scores, [row[column] for row in rows], answers)
        assert result.compared_labels == ("entailment", "not_entailment")
        assert any("only two labels" in note for note in result.notes)
        for value, part in result.parts["heuristic"].items():
            chosen = [at for at, row in enumerate(rows) if row["heuristic"] == value]
            check_part(part, [rows[at][column] for at in chosen], [answers[at] for at in chosen])
        joined = result.parts["heuristic+gold_label"]
        assert sum(part.rows for part in joined.values()) == len(rows)
        assert all(len(part.predicted) == 1 for part in joined.values())


def test_the_files_agree_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    rows = pattern_rows()
    one = score(guess, write_lines(tmp_path / "a.jsonl", rows), group_column="pattern", name="one")
    other = score(guess, pd.DataFrame(rows[::-1]), group_column="pattern", name="other")
    by_relation = score(guess, write_lines(tmp_path / "a.jsonl", rows), group_column="label", name="one")
    assert one.dataset.digest == other.dataset.digest != by_relation.dataset.digest
    assert dataclasses.replace(one.scores, intervals=None) == dataclasses.replace(other.scores, intervals=None)
    assert dict(zip(one.group_ids, answers_of_groups(one).correct[0], strict=True)) == dict(
        zip(other.group_ids, answers_of_groups(other).correct[0], strict=True)
    )


def test_rows_without_a_gold_label_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [*pattern_rows(), *({**row, "label": "-"} for row in pattern_rows()[:4])]
    result = score(guess, write_lines(tmp_path / "a.jsonl", rows), group_column="pattern")
    assert (result.scores.rows, result.dataset.without_label) == (len(rows) - 4, 4)


def test_a_pair_with_several_gold_labels_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = pattern_rows()
    others = [rows[3] | {"label": "entailment"}, rows[5] | {"pattern": 104}]
    path = write_lines(tmp_path / "pairs.jsonl", [*rows, *others])
    result = score(guess, path, group_column="pattern")
    assert result.scores.rows == len(rows) + len(others)
    (message,) = (each for each in caplog.messages if "gold label" in each)
    assert "1 pair(s)" in message
    assert f"{path} line 4" in message


def test_long_pairs_are_left_out(make_model: Callable[..., Path], tmp_path: Path) -> None:
    rows = pattern_rows()
    long = [
        {**rows[0], "premise": "The ball " * 40 + "rolls.", "pattern": pattern} for pattern in ("long", "long", 108)
    ]
    model = make_model(tmp_path / "short", limit=40)
    result = score(str(model), write_lines(tmp_path / "a.jsonl", [*rows, *long]), group_column="pattern")
    assert (result.left_out.rows, result.left_out.groups) == (3, 1)
    assert result.scores.rows == len(rows)
    assert any("3 pairs left out" in note for note in result.notes)


def test_results_on_every_kind_of_data_are_read_together(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    grouped = score(guess, write_lines(tmp_path / "a.jsonl", pattern_rows()), group_column="pattern", out=out)
    [path] = out.glob("*.json")
    assert read_result(path) == grouped
    jsonschema.Draft202012Validator(result_schema()).validate(json.loads(path.read_text(encoding="utf-8")))
    merge = score(guess, dataset, config="noun", out=out)
    assert sorted(read_results(out), key=lambda result: result.has_seeds) == [grouped, merge]


CONTRADICTIONS: dict[str, tuple[tuple[str, ...], Any]] = {
    "a confusion table that does not add up": (("scores", "predicted"), {"neutral": {"neutral": 1}}),
    "groups that differ in number": (("scores", "groups"), 3),
    "rows that differ in number": (("scores", "rows"), 3),
}


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_contradictory_results_are_refused(kind: str, tmp_path: Path) -> None:
    result = score(guess, write_lines(tmp_path / "a.jsonl", pattern_rows()), group_column="pattern")
    path = write_result(result, tmp_path / "out")
    value = json.loads(path.read_text(encoding="utf-8"))
    (first, second), wrong = CONTRADICTIONS[kind]
    value[first][second] = wrong
    path.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(InputError, match=rf"{path.name} is not a valid result"):
        read_result(path)


def test_a_notebook_and_pandas_show_every_part(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", pattern_rows())
    result = score(guess, path, group_column="pattern", by=["relation"], name="<model>")
    frame = result.to_pandas()
    assert list(frame.index) == ["all", *(f"relation:{value}" for value in result.parts["relation"])]
    assert frame.loc["all", "predicted_neutral"] == result.scores.predicted_share("neutral")
    assert "&lt;model&gt;" in result._repr_html_()
    figure = Figure()
    axes = result.plot(figure.subplots())
    assert result.plot(axes) is axes, "two results share axes"
    line, dot = axes.lines[:2]
    assert line.get_label() == "<model>"
    mean = np.array(result.scores.curve.mean, dtype=float)
    np.testing.assert_allclose(np.asarray(line.get_ydata()), 100 * mean)
    np.testing.assert_allclose(np.asarray(dot.get_ydata()), 100 * result.pattern_accuracy)


def test_template_data_sets_need_no_group_column(templates: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = score(guess, templates, config="simple", out=out)
    assert isinstance(result, Result)
    rows = template_rows("simple")
    answers = answers_of(rows)
    check_part(result.scores, [row["group_id"] for row in rows], answers)
    assert (result.dataset.title, result.dataset.config) == ("Made Pairs", "simple")
    assert list(result.parts) == ["template", "hypothesis_template", "template+hypothesis_template"]
    for value, part in result.parts["template+hypothesis_template"].items():
        chosen = [at for at, row in enumerate(rows) if f"{row['template']} + {row['hypothesis_template']}" == value]
        check_part(part, [rows[at]["group_id"] for at in chosen], [answers[at] for at in chosen])
    with pytest.raises(InputError, match=r"several configs.* simple, conjunction"):
        score(guess, templates)
    with pytest.raises(InputError, match=r"'svo'.*simple, conjunction"):
        score(guess, templates, config="svo")
    with pytest.raises(InputError, match=r"made_pairs.*'augmentation'"):
        score(guess, templates, config="augmentation")
    (templates / "data" / "simple" / "test.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"simple/test\.parquet has changed"):
        score(guess, templates, config="simple")


def test_joined_hypotheses_are_scored_by_relevance(tmp_path: Path) -> None:
    folder = make_simple_pair(tmp_path / "simple_pair", SimplePairOptions(premises=20)).name
    rows = pq.read_table(Path(folder) / "data" / "relevance" / "test.parquet").to_pylist()
    answers = answers_of(rows)
    result = score(guess, folder, config="relevance")
    assert isinstance(result, Result)
    by = result.parts
    assert list(by) == ["template", "hypothesis_template", "template+hypothesis_template", "template+relevance"]
    assert len(by["template+relevance"]) == 4
    for value, part in by["template+relevance"].items():
        chosen = [at for at, row in enumerate(rows) if f"{row['template']} + {row['relevance']}" == value]
        check_part(part, [rows[at]["group_id"] for at in chosen], [answers[at] for at in chosen])


def run(*arguments: object) -> int:
    return main(["score", *map(str, arguments)])


def test_the_command_scores_every_config_of_a_template_data_set(
    bert: Path, roberta: Path, templates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"
    assert run(bert, roberta, "--dataset", templates, "--out", out) == 0
    text = capsys.readouterr().out
    assert "Made Pairs, config simple: 20 pairs in 5 groups by group_id" in text
    assert "Made Pairs, config conjunction: 20 pairs in 5 groups by group_id, by template" in text
    results = read_results(out)
    assert sorted((result.model.name, result.dataset.config) for result in results) == [
        (model, config) for model in ("tiny-bert", "tiny-roberta") for config in ("conjunction", "simple")
    ]
    for result in results:
        assert f"{result.sample_accuracy * 100:.1f}" in text


def test_the_command_reads_columns_and_labels_as_given(
    bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spelled = {"entailment": "ja", "neutral": "vielleicht", "contradiction": "nein"}
    names = {"premise": "text", "hypothesis": "claim", "label": "answer"}
    rows = [
        {names.get(column, column): spelled.get(value, value) for column, value in row.items()}
        for row in pattern_rows()
    ]
    path = write_tsv(tmp_path / "pairs.tsv", rows)
    options = ["--premise-column", "text", "--hypothesis-column", "claim", "--label-column", "answer"]
    options += ["--data-labels", "ja=entailment,vielleicht=neutral,nein=contradiction", "--format", "json"]
    grouped = ["--group-column", "pattern", "--by", "relation", "answer"]
    assert run(bert, "--dataset", path, *grouped, *options, "--out", tmp_path / "results") == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
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
def test_bad_input_is_named(kind: str, bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, options, message = BAD_FILES[kind]
    path = write_lines(tmp_path / "pairs.jsonl", rows)
    assert run(bert, "--dataset", path, *options, "--out", tmp_path / "results") == 2
    assert re.search(message, capsys.readouterr().err)
    assert not (tmp_path / "results").exists()


def test_labels_are_not_inferred_from_hard_pairs(bert: Path, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "pairs.jsonl", pattern_rows())
    with pytest.raises(InputError, match=r"tiny-bert cannot be inferred.*model_labels"):
        score(str(bert), path, group_column="pattern", model_labels="infer")


def test_other_objects_are_refused(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"DataFrame.*group_column"):
        score(guess, pd.DataFrame(pattern_rows()))
    with pytest.raises(InputError, match=r"group_column"):
        score(guess, ProblemOptions(problems=pattern_rows()))
    with pytest.raises(InputError, match=r"by needs"):
        score(guess, dataset, by=["template"])


def test_results_with_ten_labels_are_read_again(tmp_path: Path) -> None:
    names = [f"label {number}" for number in range(10)]
    rows = [{"premise": f"A {n}.", "hypothesis": f"B {n}.", "label": names[n % 10], "g": n // 10} for n in range(30)]
    result = score(
        lambda pairs: [names[-1]] * len(pairs),
        write_lines(tmp_path / "ten.jsonl", rows),
        group_column="g",
        name="last",
        out=tmp_path / "results",
    )
    assert read_results(tmp_path / "results") == [result]
    assert result.scores.groups == 3
