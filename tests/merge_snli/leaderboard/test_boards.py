"""Boards: grouping, ranking, names and keys; as Markdown, LaTeX, CSV and JSON."""

import csv
import dataclasses
import io
import json

import pytest

from merge_snli import Result, score
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.tables import comma_separated, json_text, latex, markdown
from merge_snli.schema import NLI_LABELS, data_version
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, named
from tests.oracles import refused


def test_one_board_per_config_ranked_by_pattern_accuracy(boards: tuple[Board, ...]) -> None:
    assert [(board.dataset.config, len(board.entries)) for board in boards] == [("all", 5), ("noun", 1)]
    at_quality = [entry.result.row["pattern_accuracy"] for entry in boards[0].entries]
    assert at_quality == sorted(at_quality, key=lambda value: -(value or 0))
    assert boards[0].entries[0].name == "org/careful-large"


def test_data_sets_with_the_same_name_get_their_own_board(results: list[Result]) -> None:
    data = dataclasses.replace(results[0].dataset, digest="0" * 64)
    boards = make_boards([results[0], dataclasses.replace(results[0], dataset=data)])
    title = "MERGE on its bundled problems [{}], config all"
    assert [board.title for board in boards] == [title.format(data.digest[:8]) for data in (data, results[0].dataset)]
    headings = [line for line in markdown(boards).splitlines() if line.startswith("## ")]
    assert len(set(headings)) == 3  # both data sets, and both side by side
    assert "MERGE on its bundled problems {[}00000000{]}, config all: " in latex(boards)


def test_keys_are_safe_and_unique(boards: tuple[Board, ...]) -> None:
    keys = [entry.key for entry in boards[0].entries]
    assert len(set(keys)) == len(keys)
    assert not set("<>\"'&#= /") & set("".join(keys))


def test_names_are_unique(results: list[Result]) -> None:
    same_name = dataclasses.replace(results[0], model=dataclasses.replace(results[0].model, digest="f" * 64))
    low = dataclasses.replace(results[0], run=dataclasses.replace(results[0].run, dtype="int8"))
    [board] = make_boards([results[0], same_name, low])
    assert {entry.name for entry in board.entries} == {
        f"org/hasty-base [{(results[0].model.digest or '')[:8]}]",
        "org/hasty-base [ffffffff]",
        "org/hasty-base (int8)",
    }
    assert len({entry.key for entry in board.entries}) == 3


def test_a_duplicated_result_is_refused(results: list[Result]) -> None:
    refused(rf"2 results of {results[0].model.name} ", make_boards, [results[0], *results])
    assert len(make_boards([results[1], results[5]])) == 2  # one model on two configs


def test_parts_are_classes_labels_and_masked_lms(boards: tuple[Board, ...]) -> None:
    parts = [row["part"] for row in boards[0].entries[0].result.as_rows()]
    word_classes = ["all", "word_class:noun", "word_class:verb", "word_class:adj"]
    assert parts[:7] == [*word_classes, "label:entailment", "label:neutral", "label:contradiction"]
    assert set(parts[7:]) == {"masked_lm:demo:mlm-wordpiece", "masked_lm:demo:mlm-bpe"}
    assert {SCRIPT, QUOTES} <= {entry.name for entry in boards[0].entries}


def csv_rows(boards: tuple[Board, ...]) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(comma_separated(boards)))]


def test_markdown_is_shaped_like_table_3(boards: tuple[Board, ...]) -> None:
    lines = markdown(boards).splitlines()
    assert lines[0].startswith("## MERGE on its bundled problems, config all: ")
    assert lines[2].startswith("org/careful-large has the highest PA(0.9), ")
    header = r"| Model | Seeds | Variants | PA(0.9) | 95% interval | QT | MT | Letters |"
    assert lines[4:6] == [header, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    best = boards[0].entries[0].result.row
    assert lines[6].startswith(f"| org/careful-large | {best.share('seed_accuracy') * 100:.1f} | ")
    low, high = best.ends("pattern_accuracy") or (0.0, 0.0)
    assert f" | {100 * best.share('pattern_accuracy'):.1f} | {100 * low:.1f} to {100 * high:.1f} | " in lines[6]
    assert any(line.startswith("## MERGE on its bundled problems, config noun: ") for line in lines)
    assert not any("<script>" in line or "<img" in line for line in lines)
    assert all(line.count(" | ") in (6, 7) for line in lines if line.startswith("| "))


def test_markdown_and_latex_escape_names(results: list[Result]) -> None:
    awkward = make_boards([named(results[0], r"a|b_c & 50% \x{y} $z #1 ~^", None, None)])
    assert "\n| a\\|b\\_c &amp; 50% \\\\x\\{y\\} \\$z \\#1 \\~^ | " in markdown(awkward)
    text = latex(awkward)
    name = r"a\textbar{}b\_c \& 50\% \textbackslash{}x\{y\} \$z \#1 \textasciitilde{}\textasciicircum{}"
    assert f"    {name} & " in text and text.startswith("\\begin{table}\n")
    assert text.count(r"\\") == 2 and "& $-$" in text


@pytest.mark.parametrize("name", ["[1ex] x", "*x", "a\nb", "a\x1bb", "a\u2028b"])
def test_names_stay_in_their_row(results: list[Result], name: str) -> None:
    boards = make_boards([named(results[0], name, None, None)])
    assert latex(boards).splitlines()[6].strip().startswith(("{[}1ex{]} x & ", "{*}x & ", "a b & "))
    assert len(markdown(boards).splitlines()) == len(markdown(make_boards([results[0]])).splitlines())


def test_every_format_has_the_notes(results: list[Result]) -> None:
    model = dataclasses.replace(results[0].model, label_origin="inferred")
    boards = make_boards([dataclasses.replace(results[0], model=model, notes=("labels inferred & warm", "second"))])
    assert f"- {model.name}: labels inferred &amp; warm\n" in markdown(boards)
    assert rf"\footnotesize {model.name}: labels inferred \& warm}}" in latex(boards)
    row = csv_rows(boards)[0]
    assert row["version"] == data_version(results[0].dataset.whole)
    assert (row["label_origin"], row["notes"]) == ("inferred", "labels inferred & warm; second")
    assert json.loads(json_text(boards))["rows"][0]["notes"] == ["labels inferred & warm", "second"]


def test_csv_has_all_parts_with_intervals(boards: tuple[Board, ...], results: list[Result]) -> None:
    rows = csv_rows(boards)
    assert len(rows) == sum(len(entry.result.as_rows()) for board in boards for entry in board.entries)
    assert {SCRIPT, QUOTES} <= {row["model"] for row in rows}
    [row] = [row for row in rows if row["model"] == "org/hasty-base" and row["part"] == "word_class:verb"]
    scores = results[0].parts["word_class"]["verb"]
    assert scores.intervals is not None
    quality, *ends = (float(row[name]) for name in ("qt", "qt_low", "qt_high"))
    assert (quality, tuple(ends)) == (scores.qt, scores.intervals.qt)
    assert row["training_data"] == "snli"


def test_json_has_the_same_rows(boards: tuple[Board, ...]) -> None:
    rows = json.loads(json_text(boards))["rows"]
    assert [row["part"] for row in rows] == [row["part"] for row in csv_rows(boards)]
    careful = next(row for row in rows if row["model"] == "org/careful-large")
    assert careful["training_data"] == ["snli", "nyu-mll/multi_nli"]
    assert careful["pattern_accuracy"] == boards[0].entries[0].result.row["pattern_accuracy"]


def test_column_of_the_source(sourced: tuple[Board, ...], boards: tuple[Board, ...]) -> None:
    lines = [line.split("|") for line in markdown(sourced).splitlines() if line.startswith("| ")]
    rows = {cells[1].strip(): cells for cells in lines}
    (source, *_) = [entry.result.source for entry in sourced[0].entries if entry.result.source is not None]
    assert rows["Model"][2:4] == [" Source ", " Seeds "]
    assert rows["always neutral"][2] == f" {100 * source.overall.sample_accuracy:.1f} "
    assert rows["org/hasty-base"][2] == " – "
    assert " Source & Seeds & " in latex(sourced)
    table = {(row["model"], row["part"]): row for row in csv_rows(sourced)}
    whole, neutral = (table["always neutral", part] for part in ("all", "label:neutral"))
    assert float(whole["source_accuracy"]) == source.overall.sample_accuracy
    assert float(neutral["source_accuracy_low"]) == source.labels["neutral"].interval[0]
    assert table["always neutral", "word_class:noun"]["source_accuracy"] == ""
    assert table["org/hasty-base", "all"]["source_problems"] == ""
    assert "Source" not in markdown(boards)


def test_models_on_too_few_groups_to_differ_have_no_letters() -> None:
    rows = [
        {"premise": f"Box {group} is there.", "hypothesis": f"{label} {group}", "label": label, "group": group}
        for group in ("a", "b")
        for label in NLI_LABELS
    ]
    right = score(lambda pairs: [hypothesis.split()[0] for _, hypothesis in pairs], rows, group_column="group")
    neutral = score(lambda pairs: ["neutral"] * len(pairs), rows, group_column="group", name="neutral")
    [board] = make_boards([right, neutral])
    assert {*board.standings.letters.values()} == {""}
    assert "Letters" not in [column.header for column in board.table().columns]
