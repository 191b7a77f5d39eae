"""Tests of boards as Markdown, LaTeX, CSV and JSON."""

import csv
import dataclasses
import io
import json

import pytest

from merge_snli import Result
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.write import FORMATS, comma_separated, json_text, latex, markdown
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, named


@pytest.fixture
def awkward(results: list[Result]) -> tuple[Board, ...]:
    return make_boards([named(results[0], r"a|b_c & 50% \x{y} $z #1 ~^", None, None)])


def test_markdown_is_shaped_like_table_3(boards: tuple[Board, ...]) -> None:
    lines = markdown(boards).splitlines()
    assert lines[0].startswith("## MERGE on its bundled problems, config all: ")
    assert lines[2].startswith("org/careful-large has the highest PA(0.9), ")
    header = r"| Model | Seeds | Variants | PA(0.9) | 95% interval | QT | MT | Letters |"
    assert lines[4:6] == [header, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    best = boards[0].entries[0].result.row
    assert lines[6].startswith(f"| org/careful-large | {best.share('seed_accuracy') * 100:.1f} | ")
    low, high = best.ends("pattern_accuracy") or (0.0, 0.0)
    pattern_accuracy = best["pattern_accuracy"]
    assert pattern_accuracy is not None
    assert f" | {100 * pattern_accuracy:.1f} | {100 * low:.1f} to {100 * high:.1f} | " in lines[6]
    assert any(line.startswith("## MERGE on its bundled problems, config noun: ") for line in lines)
    assert not any("<script>" in line or "<img" in line for line in lines)
    assert all(line.count(" | ") in (6, 7) for line in lines if line.startswith("| "))


def test_markdown_escapes_names(awkward: tuple[Board, ...]) -> None:
    row = next(line for line in markdown(awkward).splitlines() if line.startswith("| a"))
    assert row.startswith(r"| a\|b\_c &amp; 50% \\x\{y\} \$z \#1 \~^ | ")


def test_latex_escapes_names(awkward: tuple[Board, ...]) -> None:
    text = latex(awkward)
    name = r"a\textbar{}b\_c \& 50\% \textbackslash{}x\{y\} \$z \#1 \textasciitilde{}\textasciicircum{}"
    assert f"    {name} & " in text
    assert text.startswith("\\begin{table}\n")
    assert text.count(r"\\") == 2
    assert "& $-$" in text


@pytest.mark.parametrize("name", ["[1ex] x", "*x", "a\nb", "a\x1bb", "a\u2028b"])
def test_names_stay_in_their_row(results: list[Result], name: str) -> None:
    boards = make_boards([named(results[0], name, None, None)])
    row = latex(boards).splitlines()[6].strip()
    assert row.startswith(("{[}1ex{]} x & ", "{*}x & ", "a b & "))
    assert len(markdown(boards).splitlines()) == len(markdown(make_boards([results[0]])).splitlines())


def test_every_format_has_the_notes(results: list[Result]) -> None:
    model = dataclasses.replace(results[0].model, label_origin="inferred")
    boards = make_boards([dataclasses.replace(results[0], model=model, notes=("labels inferred & warm", "second"))])
    assert f"- {model.name}: labels inferred &amp; warm\n" in markdown(boards)
    assert rf"\footnotesize {model.name}: labels inferred \& warm}}" in latex(boards)
    [row, *_] = csv.DictReader(io.StringIO(comma_separated(boards)))
    assert (row["label_origin"], row["notes"]) == ("inferred", "labels inferred & warm; second")
    assert json.loads(json_text(boards))["rows"][0]["notes"] == ["labels inferred & warm", "second"]


def test_csv_has_all_parts_with_intervals(boards: tuple[Board, ...], results: list[Result]) -> None:
    rows = list(csv.DictReader(io.StringIO(comma_separated(boards))))
    assert len(rows) == sum(len(entry.result.as_rows()) for board in boards for entry in board.entries)
    assert {SCRIPT, QUOTES} <= {row["model"] for row in rows}
    [row] = [row for row in rows if row["model"] == "org/hasty-base" and row["part"] == "word_class:verb"]
    scores = results[0].parts["word_class"]["verb"]
    assert scores.intervals is not None
    assert float(row["qt"]) == scores.qt
    assert (float(row["qt_low"]), float(row["qt_high"])) == scores.intervals.qt
    assert row["training_data"] == "snli"


def test_json_has_the_same_rows(boards: tuple[Board, ...]) -> None:
    rows = json.loads(json_text(boards))["rows"]
    assert [row["part"] for row in rows] == [
        row["part"] for row in csv.DictReader(io.StringIO(comma_separated(boards)))
    ]
    careful = next(row for row in rows if row["model"] == "org/careful-large")
    assert careful["training_data"] == ["snli", "nyu-mll/multi_nli"]
    assert careful["pattern_accuracy"] == boards[0].entries[0].result.row["pattern_accuracy"]


def test_column_of_the_source(sourced: tuple[Board, ...], boards: tuple[Board, ...]) -> None:
    lines = [line.split("|") for line in markdown(sourced).splitlines() if line.startswith("| ")]
    rows = {cells[1].strip(): cells for cells in lines}
    (source, *_) = [entry.result.source for entry in sourced[0].entries if entry.result.source is not None]
    assert source is not None
    assert rows["Model"][2:4] == [" Source ", " Seeds "]
    assert rows["always neutral"][2] == f" {100 * source.overall.sample_accuracy:.1f} "
    assert rows["org/hasty-base"][2] == " – "
    assert " Source & Seeds & " in latex(sourced)
    table = {(row["model"], row["part"]): row for row in csv.DictReader(io.StringIO(comma_separated(sourced)))}
    assert float(table["always neutral", "all"]["source_accuracy"]) == source.overall.sample_accuracy
    low = table["always neutral", "label:neutral"]["source_accuracy_low"]
    assert float(low) == source.labels["neutral"].interval[0]
    assert table["always neutral", "word_class:noun"]["source_accuracy"] == ""
    assert table["org/hasty-base", "all"]["source_problems"] == ""
    assert "Source" not in markdown(boards)


def test_every_format_ends_with_a_newline(boards: tuple[Board, ...]) -> None:
    for name, write in FORMATS.values():
        assert write(boards).endswith("\n"), name
