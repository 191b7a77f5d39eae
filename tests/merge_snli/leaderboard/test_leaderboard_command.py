"""`merge-snli leaderboard`, and several data sets on one leaderboard: side by side, and predicted labels as bars."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from merge_snli import Result, score
from merge_snli.answers.opening import open_config
from merge_snli.base.files import read_json
from merge_snli.dataset.record import DataRecord
from merge_snli.leaderboard.boards import make_boards
from merge_snli.leaderboard.render import render_page
from merge_snli.leaderboard.side_by_side import side_by_side
from merge_snli.leaderboard.tables import comma_separated, json_text, latex, markdown
from merge_snli.leaderboard.write import write_leaderboard
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.results.evaluate import make_result
from merge_snli.results.naming import file_name
from merge_snli.schema import NLI_LABELS
from tests.browser import chromium
from tests.commands import Command
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.leaderboard.conftest import SCRIPT, SHIPPED, data_of, named
from tests.merge_snli.leaderboard.test_page import Parsed
from tests.oracles import always, known, missing_from, write_results, written
from tests.records import copy_bundled, save_record


@pytest.fixture(scope="module")
def folder(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_results(tmp_path_factory.mktemp("scored") / "results", results)


PageOf = Callable[..., str]


@pytest.fixture
def page_of(command: Command, tmp_path: Path) -> PageOf:
    """A function that runs `leaderboard` with these arguments and returns the page that it writes."""

    def run(*arguments: object) -> str:
        path = command("leaderboard", *arguments, "--out", tmp_path / "site").out.strip()
        return Path(path).read_text(encoding="utf-8")

    return run


@pytest.mark.parametrize(("file_format", "name"), [("md", "leaderboard.md"), ("latex", "leaderboard.tex")])
def test_tables(folder: Path, tmp_path: Path, command: Command, file_format: str, name: str) -> None:
    path = tmp_path / "site" / name
    printed = command("leaderboard", folder, "--out", tmp_path / "site", "--format", file_format).out
    assert printed == f"{path}\n"
    assert "org/careful-large" in path.read_text(encoding="utf-8").replace("\\", "")


@pytest.mark.parametrize("name", ["leaderboard", "explore"])
def test_a_page_of_another_program_is_not_replaced(name: str, folder: Path, tmp_path: Path, command: Command) -> None:
    other = written(tmp_path / "site" / "index.html", "<!doctype html><title>My site</title>")
    arguments = [name, folder, "--out", tmp_path / "site"]
    if name == "explore":
        arguments += ["--dataset", SHIPPED]
    assert f"{other} is not a page of MERGE" in command(*arguments, code=2).err
    assert other.read_text(encoding="utf-8") == "<!doctype html><title>My site</title>"
    other.unlink()
    command(*arguments)
    first = other.read_bytes()
    other.write_bytes(first + b"<!-- an older page -->")
    command(*arguments)
    assert other.read_bytes() == first


def test_sentences_that_may_not_be_shared_are_on_the_page_on_request(
    folder: Path, tmp_path: Path, page_of: PageOf
) -> None:
    data = copy_bundled(tmp_path / "data")
    record = read_json(SHIPPED / "run.json")
    record["terms"]["license"] = "other"
    (data / "run.json").write_text(json.dumps(record), encoding="utf-8")
    pages = [page_of(folder, "--dataset", data, *more) for more in ((), ("--with-text",))]
    assert [bool(data_of(page)["boards"][0]["texts"]) for page in pages] == [False, True]


def test_tables_at_other_thresholds_are_printed_without_a_folder(
    folder: Path, results: list[Result], command: Command
) -> None:
    printed = command("leaderboard", folder, "--format", "md", "--threshold", "0.8,0.95").out
    assert "| PA(0.8) | PA(0.9) | 95% interval | PA(0.95) |" in printed
    [row] = [line for line in printed.splitlines() if line.startswith("| org/hasty-base ")]
    curve = known(results[0].scores.curve.at(0.8))
    assert row.split(" | ")[3] == f"{100 * curve:.1f}"
    assert "--out" in command("leaderboard", folder, code=2).err


def test_one_page_of_several_folders_and_data_sets(
    folder: Path, tmp_path: Path, make_dataset: MakeDataset, page_of: PageOf
) -> None:
    other = make_dataset(tmp_path / "other", seeds=4)
    score(always("neutral"), other, name="always neutral", out=tmp_path / "more")
    page = page_of(folder, tmp_path / "more", "--dataset", SHIPPED, "--dataset", other)
    assert "Models on all data sets" in page
    assert [(board["dataset"], bool(board["texts"])) for board in data_of(page)["boards"]] == [
        ("MERGE on its bundled problems", True),
        ("MERGE on its bundled problems", True),
        ("other", True),
    ]


def test_a_result_that_does_not_fit_its_data_set_is_refused(
    results: list[Result], tmp_path: Path, command: Command
) -> None:
    data = open_config(SHIPPED, "all")
    subsamples = np.roll(known(results[1].answers.subsamples), 1, axis=0)
    answers = replace(results[1].answers, subsamples=subsamples)
    about = results[1]
    forged = make_result(answers, data, data, model=about.model, run=about.run, max_length=None, pairs=len(data.pairs))
    scored = write_results(tmp_path / "results", [results[0], forged])
    arguments = ["leaderboard", scored, "--format", "csv"]
    command(*arguments)
    message = command(*arguments, "--dataset", SHIPPED, code=2).err
    assert not missing_from(message, file_name(forged), "column subsamples")


def test_a_data_set_without_results_is_named(folder: Path, tmp_path: Path, command: Command) -> None:
    other = tmp_path / "other"
    other.mkdir()
    save_record(other, data=DataRecord("0123456789abcdef" * 4, {}))
    arguments = ["leaderboard", folder, "--out", tmp_path / "site", "--dataset", other]
    assert "no result was computed on" in command(*arguments, code=2).err
    assert not (tmp_path / "site").exists()


ROWS = [
    {
        "premise": f"Group {group} has a box.",
        "hypothesis": f"Box {number} is in {group}.",
        "label": NLI_LABELS[number % 3],
        "set": group,
        "kind": ("<i>round</i>", "square")[number % 2],
    }
    for group in range(8)
    for number in range(4)
]
GOLD = {(row["premise"], row["hypothesis"]): row["label"] for row in ROWS}


def predict(pairs: list[tuple[str, str]], wrong: int) -> list[str]:
    return ["neutral" if int(pair[0].split()[1]) < wrong else str(GOLD[pair]) for pair in pairs]


@pytest.fixture(scope="session")
def grouped(results: list[Result]) -> list[Result]:
    """Results of a model that has MERGE results, of one that has not, and on a second data set."""

    def scored(rows: list[dict[str, Any]], wrong: int, model: Result) -> Result:
        result = score(lambda pairs: predict(pairs, wrong), rows, group_column="set", by=["kind"], name="x")
        return replace(result, model=model.model, run=model.run)

    other = named(results[0], SCRIPT + "2", None, None)
    return [scored(ROWS, 6, results[0]), scored(ROWS, 2, other), scored(ROWS[:16], 1, results[1])]


def test_a_model_that_is_named_otherwise_in_another_run_has_one_row(
    results: list[Result], grouped: list[Result]
) -> None:
    model = results[0].model
    shorter, longer = (replace(model, name=name) for name in ("checkpoint-500", "run1/checkpoint-500"))
    given = [replace(results[0], model=longer), replace(results[0], model=shorter), replace(grouped[0], model=shorter)]
    boards = make_boards(given)
    assert [board.names for board in boards] == [("run1/checkpoint-500",), ("checkpoint-500",)]
    [row] = known(side_by_side(boards)).table.rows
    assert row[0] == "run1/checkpoint-500"


def test_one_row_per_model_and_columns_per_data_set(results: list[Result], grouped: list[Result]) -> None:
    boards = make_boards([*results, *grouped])
    side = known(side_by_side(boards))
    merge, *of_groups = side.boards
    assert [*merge.measures] == ["Seeds", "Variants", "PA(0.9)"]
    for shown in of_groups:
        assert [*shown.measures] == ["Accuracy", "PA(0.9)"]
    assert "config" not in merge.data_title
    assert merge is boards[0]
    rows = {str(name): cells for name, *cells in side.table.rows}
    assert {*rows} == {*boards[0].names, SCRIPT + "2"}
    assert next(iter(rows)) == boards[0].names[0]
    assert [*rows][-1] == SCRIPT + "2"
    for name, result in zip(boards[0].names, boards[0].results, strict=True):
        accuracies = 100 * result.row.share("seed_accuracy"), 100 * result.row.share("sample_accuracy")
        assert rows[name][:2] == pytest.approx(accuracies, abs=0.051)
    assert rows[SCRIPT + "2"][:3] == [None, None, None]
    # The data set with two models, and that with one.
    on_all, on_half = (3, 5) if len(of_groups[0].entries) == 2 else (5, 3)
    hasty = rows["org/hasty-base"]
    assert hasty[on_all : on_all + 2] == [43.8, 25.0]
    assert hasty[on_half : on_half + 2] == [None, None]
    assert rows["org/careful-large"][on_half : on_half + 2] == [81.2, 75.0]


def test_one_data_set_is_not_shown_side_by_side(results: list[Result], grouped: list[Result]) -> None:
    assert side_by_side(make_boards(results)) is None
    assert side_by_side(make_boards(grouped[:2])) is None
    assert side_by_side(make_boards(grouped)) is not None


def test_every_format_has_every_data_set(results: list[Result], grouped: list[Result]) -> None:
    boards = make_boards([*results, *grouped])
    text = markdown(boards)
    table = latex(boards)
    assert text.startswith("## Models on all data sets\n")
    assert text.count("by kind") == table.count("by kind") == 2
    assert r"\begin{tabular}{lrrrrrrr}" in table
    rows = json.loads(json_text(boards))["rows"]
    assert len(rows) == sum(len(result.as_rows()) for result in (*results, *grouped))
    [row] = [row for row in rows if row["part"] == "kind:square" and row["model"] == "org/hasty-base"]
    assert (row["rows"], row["groups"], row["sample_accuracy"]) == (16, 8, 10 / 16)
    in_csv = [*csv.DictReader(io.StringIO(comma_separated(boards)))]
    assert len(in_csv) == len(rows)
    [in_table] = [each for each in in_csv if each["part"] == "kind:square" and each["model"] == "org/hasty-base"]
    assert in_table["seed_accuracy"] == ""


def test_bars_have_the_shares_of_the_labels(grouped: list[Result]) -> None:
    boards = make_boards(grouped[:2])
    page = render_page(boards, {})
    parsed = Parsed(page)
    assert parsed.tags.count("script") == 1  # the data, which is not executed
    assert "script-src 'none'" in parsed.policy
    assert "&lt;i&gt;round&lt;/i&gt;" in page and SCRIPT not in page
    shown = [value for _, name, value in parsed.attributes if name == "aria-label" and "%" in value]
    expected = []
    for value in ("<i>round</i>", "square"):
        for result in boards[0].results:
            row = result.rows_by["kind"][value]
            shares = {label: 100 * row.share(f"predicted_{label}") for label in NLI_LABELS}
            expected.append(", ".join(f"{label} {percent:.1f}%" for label, percent in shares.items()))
    assert shown == expected


def test_the_data_set_of_pairs_in_groups_can_be_given(tmp_path: Path) -> None:
    data = make_simple_pair(tmp_path / "pairs", SimplePairOptions(premises=4))
    for limit in (None, 5):
        result = score(always("neutral"), data, config="simple", limit_seeds=limit)
        assert write_leaderboard([result], tmp_path / "page", datasets=[data]).is_file()


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["both", "groups"])
def test_the_page_in_a_browser(results: list[Result], grouped: list[Result], tmp_path: Path, kinds: str) -> None:
    boards = make_boards([*results, *grouped] if kinds == "both" else grouped)
    page = written(tmp_path / "index.html", render_page(boards, {}))
    with chromium("--window-size=1200,900") as browser:
        browser.get(page.as_uri())
        assert browser.get_log("browser") == []
        run = browser.execute_script
        assert run("return document.querySelectorAll('.side tbody tr').length") == (6 if kinds == "both" else 3)
        widths = run("return [...document.querySelectorAll('.shares')].map((bar) => bar.getBoundingClientRect().width)")
        parts = run(
            "return [...document.querySelectorAll('.shares')]"
            ".map((bar) => [...bar.children].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0))"
        )
        assert [width for width in widths if width]
        assert parts == pytest.approx(widths, abs=0.5)
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        )
        browser.get(page.as_uri())
        assert run("return document.documentElement.scrollWidth") <= 360
        if kinds == "both":
            browser.get(f"{page.as_uri()}#model=org-careful-large")
            browser.refresh()
            assert run("return document.querySelectorAll('.sets:not([hidden])').length") == 0
