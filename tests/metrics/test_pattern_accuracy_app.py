"""The page of the metric's Space: its functions, and the page in a browser."""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.browser import Page, find, key, opened, texts_of
from tests.oracles import refused, written
from tests.processes import SECONDS, free_port, wait_for_server, wait_until

pytestmark = pytest.mark.slow  # gradio takes seconds to import

FOLDER = ROOT / "metrics" / "pattern_accuracy"
TABLE = "group,reference,prediction\na,0,0\na,0,0\nb,1,1\nb,1,0\n"


@pytest.fixture(scope="module")
def app() -> Any:  # noqa: ANN401 - a module
    """The module of the page."""
    pytest.importorskip("gradio", reason="gradio is not installed: pip install gradio")
    return importlib.import_module("metrics.pattern_accuracy.app")


@pytest.mark.parametrize(
    ("old", "new", "predictions"),
    [
        ("", "", "0010"),
        (",", "\t", "0010"),
        ("group", " group ", "0010"),
        ("b,1,0", "b,1,", "001"),  # an empty prediction is a value
    ],
)
def test_reads_csv_and_tsv_with_columns_in_any_order(app: Any, old: str, new: str, predictions: str) -> None:  # noqa: ANN401
    assert app.read_table(TABLE.replace(old, new) if old else TABLE) == {
        "predictions": [*predictions, ""][:4],
        "references": ["0", "0", "1", "1"],
        "groups": ["a", "a", "b", "b"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ", "empty"),
        ("a,b\n1,2", "'prediction'.*'a', 'b'"),
        ("group,prediction,reference,group\na,0,0,b", "'group' twice"),
        ("prediction,reference,group\n0,-,a", "references\\[0\\] is '-'"),
        ("prediction,reference,group\n0,0", "Line 2 .*group"),
        ("prediction,reference,group\n0,0,a\n0,0, \n0,0,a", "Line 3 .*group"),
        ("prediction,group,reference\n0,a,0\n0,a,", "Line 3 .*reference"),
    ],
)
def test_a_bad_table_is_an_error(app: Any, text: str, message: str) -> None:  # noqa: ANN401
    refused(message, app.score_table, text, None, "gold", error=app.gr.Error)


def test_scores_a_table(app: Any, tmp_path: Path) -> None:  # noqa: ANN401
    for text, upload in ((TABLE, None), ("", str(written(tmp_path / "predictions.csv", TABLE)))):
        summary, curve, table = app.score_table(text, upload, "gold")
        assert [text for text in ("Sample accuracy 75.0%", "50.0%** of 2 groups") if text not in summary] == []
        assert len(curve) == 101
        expected = {0.5: 1.0, 0.6: 0.5, 0.7: 0.5, 0.75: 0.5, 0.8: 0.5, 0.85: 0.5, 0.9: 0.5, 0.95: 0.5, 1.0: 0.5}
        assert dict(table.to_numpy().tolist()) == expected


def test_the_table_has_four_digits(app: Any) -> None:  # noqa: ANN401
    summary, _, table = app.score_table("group,reference,prediction\na,0,0\nb,0,1\nc,0,1\n", None, "gold")
    assert "references do not contain '1'" in summary
    assert set(table["pattern accuracy"]) == {0.3333}


def test_a_file_that_is_not_text_is_an_error(app: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = written(tmp_path / "predictions.csv", b"\xff\xfe\x00")
    refused("UTF-8", app.score_table, "", str(path), "gold", error=app.gr.Error)


def test_the_page_starts_with_the_example_and_shows_scores_that_cannot_be_edited(app: Any) -> None:  # noqa: ANN401
    page = app.build()
    parts: dict[str, Any] = {block.elem_id: block for block in page.blocks.values() if block.elem_id}
    assert parts.keys() == {"table", "upload", "compute", "summary", "curve", "scores"}
    assert (parts["table"].value, parts["upload"].file_types) == (app.EXAMPLE, [".csv", ".tsv", ".txt"])
    assert parts["curve"].x_lim == parts["curve"].y_lim == [0, 1]
    assert parts["scores"].interactive is False
    [click] = page.fns.values()
    assert click.fn is app.score_table
    assert click.outputs == [parts["summary"], parts["curve"], parts["scores"]]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    space = tmp_path_factory.mktemp("space") / "pattern_accuracy"
    shutil.copytree(FOLDER, space)  # as on the Hub: this folder only
    settings = {"GRADIO_SERVER_PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "False", "HF_HOME": str(space.parent)}
    log = (space.parent / "log").open("w", encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, "app.py"], cwd=space, env={**os.environ, **settings}, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for_server(url, server, space.parent / "log")
        yield url
    finally:
        server.terminate()
        server.wait(SECONDS)
        log.close()


def test_the_page_in_a_browser(address: str, browser: Page, tmp_path: Path) -> None:
    def shown(element: str, text: str) -> None:
        wait_until(lambda: text in find(browser, element).text)

    opened(browser, address)
    wait_until(lambda: texts_of(browser, "#compute"))
    find(browser, "#compute").click()
    shown("#summary", "Sample accuracy 87.5% over 8 rows; pattern accuracy at 0.9: 50.0% of 2 groups.")
    shown("#scores", "0.75")
    wait_until(lambda: texts_of(browser, "#curve canvas, #curve svg.marks"))
    browser.save_screenshot(str(tmp_path / "page.png"))

    table = find(browser, "#table textarea")
    table.send_keys(key("CONTROL"), "a")
    table.send_keys("prediction,reference,group\n0,0,a\n0.5,0,a\n")
    find(browser, "input[value=majority]").click()
    find(browser, "#compute").click()
    shown("#summary", "Sample accuracy 50.0% over 2 rows")
    table.send_keys(key("CONTROL"), "a", key("DELETE"))  # clear() does not notify the page
    find(browser, "#compute").click()
    shown("body", "table is empty")

    find(browser, "#upload input[type=file]").send_keys(str(written(tmp_path / "predictions.csv", TABLE)))
    shown("#upload", "predictions")
    find(browser, "input[value=gold]").click()
    find(browser, "#compute").click()
    shown("#summary", "Sample accuracy 75.0% over 4 rows")
