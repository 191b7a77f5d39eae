"""Boards: grouping, ranking, names and keys; as Markdown, LaTeX, CSV and JSON."""

import csv
import dataclasses
import io
import json

import pytest

from merge_snli import Result
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.tables import comma_separated, json_text, latex, markdown
from merge_snli.schema import data_version
from tests.merge_snli.comparison.made import answered, scored_dataset
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, named
from tests.oracles import known, refused


def test_one_board_per_config_ranked_by_pattern_accuracy(boards: tuple[Board, ...]) -> None:
    every, nouns = boards
    assert (every.dataset.config, len(every.entries)) == ("all", 5)
    assert (nouns.dataset.config, len(nouns.entries)) == ("noun", 1)
    accuracies = [result.pattern_accuracy for result in every.results]
    assert accuracies == sorted(accuracies, reverse=True)
    assert every.entries[0].name == "org/careful-large"


def test_data_sets_with_the_same_name_get_their_own_board(results: list[Result]) -> None:
    data = dataclasses.replace(results[0].dataset, digest="0" * 64)
    boards = make_boards([results[0], dataclasses.replace(results[0], dataset=data)])
    title = "MERGE on its bundled problems [{}], config all"
    assert boards[0].title == title.format("00000000")
    assert boards[1].title == title.format(results[0].dataset.digest[:8])
    assert markdown(boards).count("## ") == 3  # both data sets, and both side by side
    assert "MERGE on its bundled problems {[}00000000{]}, config all: " in latex(boards)


def test_keys_are_safe_and_unique(boards: tuple[Board, ...], results: list[Result]) -> None:
    keys = [entry.key for entry in boards[0].entries]
    assert len(set(keys)) == len(keys)
    assert not set("<>\"'&#= /") & set("".join(keys))
    [alike] = make_boards([named(results[0], name, None, None) for name in ("a/b", "a b")])
    assert [entry.key for entry in alike.entries] == ["a-b", "a-b~2"]


def test_names_are_unique(results: list[Result]) -> None:
    first = results[0]
    same_name = dataclasses.replace(first, model=dataclasses.replace(first.model, digest="f" * 64))
    low = dataclasses.replace(first, run=dataclasses.replace(first.run, dtype="int8"))
    [board] = make_boards([first, same_name, low])
    digests = {known(first.model.digest)[:8], "ffffffff"}
    names = {f"org/hasty-base [{digest}]" for digest in digests}
    assert {entry.name for entry in board.entries} == names | {"org/hasty-base (int8)"}
    assert len({entry.key for entry in board.entries}) == 3


def test_a_duplicated_result_is_refused(results: list[Result]) -> None:
    refused(rf"2 results of {results[0].model.name} ", make_boards, [results[0], *results])
    assert len(make_boards([results[1], results[5]])) == 2  # one model on two configs


def test_parts_are_classes_labels_and_masked_lms(boards: tuple[Board, ...]) -> None:
    parts = [row["part"] for row in boards[0].entries[0].result.as_rows()]
    assert parts[:4] == ["all", "word_class:noun", "word_class:verb", "word_class:adj"]
    assert parts[4:7] == ["label:entailment", "label:neutral", "label:contradiction"]
    assert {*parts[7:]} == {"masked_lm:demo:mlm-wordpiece", "masked_lm:demo:mlm-bpe"}


def csv_rows(boards: tuple[Board, ...]) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(comma_separated(boards)))]


def row_of(boards: tuple[Board, ...], model: str, part: str = "all") -> dict[str, str]:
    """Return the CSV row of a model on the first config that has it."""
    return next(row for row in csv_rows(boards) if (row["model"], row["part"]) == (model, part))


def test_markdown_is_shaped_like_table_3(boards: tuple[Board, ...]) -> None:
    text = markdown(boards)
    title, _, finding, _, header, _, first, *_ = text.splitlines()
    assert title.startswith("## MERGE on its bundled problems, config all: ")
    assert finding.startswith("org/careful-large has the highest PA(0.9), ")
    assert header == "| Model | Seeds | Variants | PA(0.9) | 95% interval | QT | MT | Letters |"
    row = boards[0].entries[0].result.row
    low, high = known(row.ends("pattern_accuracy"))
    assert first.startswith(f"| org/careful-large | {100 * row.share('seed_accuracy'):.1f} | ")
    assert f" | {100 * row.share('pattern_accuracy'):.1f} | {100 * low:.1f} to {100 * high:.1f} | " in first
    assert "<script>" not in text and "<img" not in text


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
    notes = ("labels inferred & warm", "second")
    boards = make_boards([dataclasses.replace(results[0], model=model, notes=notes)])
    assert f"- {model.name}: labels inferred &amp; warm\n" in markdown(boards)
    assert rf"\footnotesize {model.name}: labels inferred \& warm}}" in latex(boards)
    row = row_of(boards, model.name)
    assert row["version"] == data_version(results[0].dataset.whole)
    assert row["label_origin"] == "inferred"
    assert row["notes"] == "labels inferred & warm; second"
    assert json.loads(json_text(boards))["rows"][0]["notes"] == [*notes]


def test_csv_has_all_parts_with_intervals_and_json_the_same_rows(
    boards: tuple[Board, ...], results: list[Result]
) -> None:
    rows = csv_rows(boards)
    assert len(rows) == sum(len(result.as_rows()) for result in results)
    assert {SCRIPT, QUOTES} <= {row["model"] for row in rows}
    row = row_of(boards, "org/hasty-base", "word_class:verb")
    scores = results[0].parts["word_class"]["verb"]
    assert float(row["qt"]) == scores.qt
    assert (float(row["qt_low"]), float(row["qt_high"])) == known(scores.intervals).qt
    assert row_of(boards, "org/careful-large")["training_data"] == "snli nyu-mll/multi_nli"
    in_json = json.loads(json_text(boards))["rows"]
    assert [row["part"] for row in in_json] == [row["part"] for row in rows]
    assert in_json[0]["training_data"] == ["snli", "nyu-mll/multi_nli"]
    assert in_json[0]["pattern_accuracy"] == boards[0].results[0].pattern_accuracy


def test_column_of_the_source(sourced: tuple[Board, ...], boards: tuple[Board, ...]) -> None:
    by_name = dict(zip(sourced[0].names, sourced[0].results, strict=True))
    source = known(by_name["always neutral"].source)
    text = markdown(sourced)
    assert "| Model | Source | Seeds | " in text
    assert f"| always neutral | {100 * source.overall.sample_accuracy:.1f} | " in text
    assert "| org/hasty-base | – | " in text
    assert " Source & Seeds & " in latex(sourced)
    assert "Source" not in markdown(boards)
    assert float(row_of(sourced, "always neutral")["source_accuracy"]) == source.overall.sample_accuracy
    low = row_of(sourced, "always neutral", "label:neutral")["source_accuracy_low"]
    assert float(low) == source.labels["neutral"].interval[0]
    assert row_of(sourced, "always neutral", "word_class:noun")["source_accuracy"] == ""
    assert row_of(sourced, "org/hasty-base")["source_problems"] == ""


def test_models_on_too_few_seeds_to_differ_have_no_letters() -> None:
    made = scored_dataset(answered("s1 en", "s2 en"), models=("right", "wrong"))
    [board] = make_boards(model.result for model in made.models)
    assert not any(board.standings.letters.values())
    assert "Letters" not in board.table().markdown()
