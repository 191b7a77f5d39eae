"""Tests of several data sets on one leaderboard: side by side, and predicted labels as bars."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, score
from merge_snli.cli import main
from merge_snli.leaderboard.boards import make_boards, side_by_side
from merge_snli.leaderboard.write import FORMATS, render_page, write_leaderboard
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.store import write_result
from tests.browser import chromium
from tests.merge_snli.leaderboard.conftest import SCRIPT, named
from tests.merge_snli.leaderboard.test_page import Parsed

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
        return named_as(result, model)

    other = named(results[0], SCRIPT + "2", None, None)
    return [scored(ROWS, 6, results[0]), scored(ROWS, 2, other), scored(ROWS[:16], 1, results[1])]


def named_as(result: Result, model: Result) -> Result:
    return replace(result, model=model.model, run=model.run)


def test_a_model_that_is_named_otherwise_in_another_run_has_one_row(
    results: list[Result], grouped: list[Result]
) -> None:
    shorter, elsewhere = (
        replace(result, model=replace(results[0].model, name="checkpoint-500")) for result in (results[0], grouped[0])
    )
    longer = replace(results[0], model=replace(results[0].model, name="run1/checkpoint-500"))
    boards = make_boards([longer, shorter, elsewhere])
    assert [board.names for board in boards] == [("run1/checkpoint-500",), ("checkpoint-500",)]
    side = side_by_side(boards)
    assert side is not None
    assert [row[0] for row in side[0].rows] == ["run1/checkpoint-500"]


def test_one_row_per_model_and_columns_per_data_set(results: list[Result], grouped: list[Result]) -> None:
    boards = make_boards([*results, *grouped])
    side = side_by_side(boards)
    assert side is not None
    table, data = side
    assert [measures for _, measures in data] == [
        ("Seeds", "Variants", "PA(0.9)"),
        ("Accuracy", "PA(0.9)"),
        ("Accuracy", "PA(0.9)"),
    ]
    assert "config" not in data[0][0]
    starts = [0, *accumulate(len(measures) for _, measures in data)]
    rows = {name: [tuple(cells[at:end]) for at, end in pairwise(starts)] for name, *cells in table.rows}
    merge = {entry.name: entry.result.row for entry in boards[0].entries}
    assert next(iter(rows)) == next(iter(merge))
    assert [*rows][-1] == SCRIPT + "2"
    assert {*rows} == {*merge, SCRIPT + "2"}
    for name, scores in merge.items():
        shown = [scores["seed_accuracy"] or 0, scores["sample_accuracy"] or 0]
        assert rows[name][0][:2] == pytest.approx([100 * share for share in shown], abs=0.051)
    models = [sum(row[at][0] is not None for row in rows.values()) for at in range(len(data))]
    on_all, on_half = models.index(2), models.index(1)
    assert rows["org/hasty-base"][on_all] == (43.8, 25.0)
    assert rows["org/hasty-base"][on_half] == (None, None)
    assert rows["org/careful-large"][on_half] == (81.2, 75.0)
    assert rows[SCRIPT + "2"][0] == (None, None, None)


def test_one_data_set_is_not_shown_side_by_side(results: list[Result], grouped: list[Result]) -> None:
    assert side_by_side(make_boards(results)) is None
    assert side_by_side(make_boards(grouped[:2])) is None
    assert side_by_side(make_boards(grouped)) is not None


def test_every_format_has_every_data_set(results: list[Result], grouped: list[Result]) -> None:
    boards = make_boards([*results, *grouped])
    texts = {name: write(boards) for name, (_, write) in FORMATS.items()}
    assert texts["md"].startswith("## Models on all data sets\n")
    assert texts["md"].count("by kind") == texts["latex"].count("by kind") == 2
    assert r"\begin{tabular}{lrrrrrrr}" in texts["latex"]
    rows = json.loads(texts["json"])["rows"]
    assert len(rows) == sum(len(one.as_rows()) for one in results) + sum(len(one.as_rows()) for one in grouped)
    [row] = [row for row in rows if row["part"] == "kind:square" and row["model"] == "org/hasty-base"]
    assert (row["rows"], row["groups"], row["sample_accuracy"]) == (16, 8, 10 / 16)
    table = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert len(table) == len(rows)
    assert {each["seed_accuracy"] for each in table if each["part"] == "kind:square"} == {""}
    only = [write(make_boards(grouped)) for _, write in FORMATS.values()]
    assert all("org/hasty-base" in text.replace("\\", "") for text in only)


def test_bars_have_the_shares_of_the_labels(results: list[Result], grouped: list[Result]) -> None:
    page = render_page(make_boards(grouped[:2]))
    parsed = Parsed(page)
    assert parsed.tags.count("script") == 1  # the data, which is not executed
    assert "script-src 'none'" in parsed.policy
    assert "&lt;i&gt;round&lt;/i&gt;" in page
    assert SCRIPT not in page
    shown = [value for name, value in parsed.attributes if name == "aria-label" and "%" in (value or "")]
    by_kind = [board.results[at].rows_by["kind"] for board in make_boards(grouped[:2]) for at in (0, 1)]
    assert shown == [
        ", ".join(f"{label} {100 * by[value].share(f'predicted_{label}'):.1f}%" for label in NLI_LABELS)
        for value in by_kind[0]
        for by in by_kind
    ]


def test_the_data_set_of_pairs_in_groups_can_be_given(tmp_path: Path) -> None:
    data = make_simple_pair(tmp_path / "pairs", SimplePairOptions(premises=4))
    whole, part = (
        score(lambda pairs: ["neutral"] * len(pairs), data, config="simple", limit_seeds=limit) for limit in (None, 5)
    )
    for result in (whole, part):
        assert write_leaderboard([result], tmp_path / "page", datasets=[data]).is_file()


def test_the_command_shows_both_kinds_of_data(
    results: list[Result], grouped: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for on_merge in results:
        write_result(on_merge, tmp_path / "results")
    for result in grouped:
        write_result(result, tmp_path / "results")
    for file_format in ("html", "md"):
        assert main(["leaderboard", str(tmp_path / "results"), "--out", str(tmp_path), "--format", file_format]) == 0
    assert "Models on all data sets" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Models on all data sets" in (tmp_path / "leaderboard.md").read_text(encoding="utf-8")
    for result in grouped:
        write_result(result, tmp_path / "grouped")
    assert main(["leaderboard", str(tmp_path / "grouped"), "--out", str(tmp_path / "only")]) == 0
    assert "<h1>Models on pairs in groups</h1>" in (tmp_path / "only" / "index.html").read_text(encoding="utf-8")
    shipped = ["--dataset", str(Path(__file__).parents[3] / "merge_snli")]
    capsys.readouterr()
    assert main(["leaderboard", str(tmp_path / "grouped"), "--out", str(tmp_path / "only"), *shipped]) == 2
    assert "no result was computed on" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["both", "groups"])
def test_the_page_in_a_browser(results: list[Result], grouped: list[Result], tmp_path: Path, kinds: str) -> None:
    boards = make_boards([*results, *grouped] if kinds == "both" else grouped)
    page = tmp_path / "index.html"
    page.write_text(render_page(boards), encoding="utf-8")
    with chromium("--window-size=1200,900") as browser:
        browser.get(page.as_uri())
        assert browser.get_log("browser") == []
        run: Callable[..., Any] = browser.execute_script
        assert run("return document.querySelectorAll('.side tbody tr').length") == (6 if kinds == "both" else 3)
        widths = run("return [...document.querySelectorAll('.shares')].map((bar) => bar.getBoundingClientRect().width)")
        parts = run(
            "return [...document.querySelectorAll('.shares')]"
            ".map((bar) => [...bar.children].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0))"
        )
        shown = [width for width in widths if width]
        assert shown
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
