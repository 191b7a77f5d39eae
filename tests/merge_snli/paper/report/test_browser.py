"""Tests of the page in headless Chromium: it fits a phone, and follows light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium

pytestmark = pytest.mark.slow

DESK, PHONE = (1280, 1000, False), (390, 844, True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium("--disable-gpu") as chrome:
        yield chrome


def show(browser: Any, folder: Path, screen: tuple[int, int, bool], theme: str) -> None:  # noqa: ANN401
    width, height, mobile = screen
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile},
    )
    scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    browser.get((folder / "index.html").as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach((each) => (each.open = true))")


@pytest.mark.parametrize(("screen", "shown"), [(DESK, "wide"), (PHONE, "narrow")], ids=["desk", "phone"])
def test_the_page_does_not_scroll_sideways(
    browser: Any,  # noqa: ANN401
    report_folder: Path,
    screen: tuple[int, int, bool],
    shown: str,
) -> None:
    show(browser, report_folder, screen, "light")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= screen[0]
    visible = browser.execute_script(
        "return [...document.querySelectorAll('svg.figure')].filter((each) => each.getBoundingClientRect().width)"
        ".map((each) => each.parentElement.className)"
    )
    assert set(visible) == {shown}
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_text_and_lines_of_figures_follow_the_theme(browser: Any, report_folder: Path) -> None:  # noqa: ANN401
    colors = {}
    for theme in ("light", "dark"):
        show(browser, report_folder, DESK, theme)
        colors[theme] = browser.execute_script(
            "const figure = document.querySelector('svg.figure');"
            "const line = figure.querySelector('[style*=\"--line-0\"]');"
            "return [getComputedStyle(document.body).backgroundColor, getComputedStyle(figure).fill,"
            " getComputedStyle(line).fill, getComputedStyle(line).stroke]"
        )
    background, ink, *_ = colors["light"]
    assert sum(map(int, background[4:-1].split(","))) > 600 > sum(map(int, ink[4:-1].split(",")))
    background, ink, *_ = colors["dark"]
    assert sum(map(int, background[4:-1].split(","))) < 200 < sum(map(int, ink[4:-1].split(",")))
    assert colors["light"][2:] != colors["dark"][2:]
