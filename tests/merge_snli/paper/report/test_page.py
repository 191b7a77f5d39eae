"""Tests of the page and of its figures: complete, escaped, without requests, and with the colors of the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from merge_snli.comparison.html_page import shared_style
from merge_snli.comparison.line_chart import COLORS, Line, image, line_figure
from merge_snli.paper.report.sections import SECTIONS
from merge_snli.paper.report.write import inline_svg
from tests.merge_snli.paper.report.conftest import MARKUP

STYLE = (files("merge_snli.paper.report") / "page" / "report.css").read_text(encoding="utf-8")


class Parsed(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def page(report_folder: Path) -> str:
    return (report_folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(page: str) -> Parsed:
    return Parsed(page)


def test_every_analysis_is_shown_or_has_a_reason(page: str) -> None:
    for section in SECTIONS:
        assert section.title in page.replace("&#39;", "'")
    assert "Figure 7 needs" in page
    assert "give --corpus." in page
    assert "Figure 8 needs" in page


def test_the_page_makes_no_request(parsed: Parsed, page: str) -> None:
    assert "script" not in parsed.tags
    sources = {value for _, name, value in parsed.attributes if name in ("src", "srcset", "data", "action")}
    links = {value for _, name, value in parsed.attributes if name in ("href", "xlink:href") and value[:1] != "#"}
    assert (sources, links) == (set(), {"data:,", "https://arxiv.org/abs/2510.24295"})
    assert not re.search(r"url\((?!#)|@import", page)
    assert ("meta", "http-equiv", "Content-Security-Policy") in parsed.attributes


def test_names_are_escaped(parsed: Parsed, page: str) -> None:
    assert MARKUP not in page
    assert any(MARKUP in text for text in parsed.text)


def test_links_and_ids_within_the_page(parsed: Parsed) -> None:
    ids = [value for _, name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, name, value in parsed.attributes if name in ("href", "xlink:href") and value[:1] == "#"}
    assert targets <= set(ids)


def test_headings_are_in_order(parsed: Parsed) -> None:
    levels = [int(tag[1]) for tag in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_figure_is_drawn_for_both_widths(parsed: Parsed, report_folder: Path) -> None:
    figures = [value for tag, name, value in parsed.attributes if (tag, name) == ("svg", "aria-label")]
    stems = {path.stem for path in (report_folder / "figures").iterdir()}
    assert len(figures) == 2 * len(stems)
    assert "Pattern accuracy by word class, mean over models" in figures
    assert len(set(figures)) == len(stems)
    assert {path.name for path in (report_folder / "figures").iterdir()} == {
        f"{stem}.{extension}" for stem in stems for extension in ("png", "svg")
    }


def test_the_colors_of_lines_are_those_of_the_leaderboard() -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    found = [tuple(re.findall(r"--line-\d: (#[0-9a-f]{6});", part)) for part in (light, dark)]
    script = (files("merge_snli.leaderboard") / "page" / "chart.js").read_text(encoding="utf-8")
    on_dark = tuple(re.findall(r'"(#[0-9a-f]{6})"', script.split("dark:")[1].split("]")[0]))
    assert found == [COLORS, on_dark]


def test_every_variable_of_a_figure_is_defined(page: str) -> None:
    defined = set(re.findall(r"(--[\w-]+):", shared_style() + STYLE))
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= defined


def test_an_inline_figure_has_no_color_of_its_own() -> None:
    lines = [Line(f"model {style}", [0.5, 0.4], [0.4, 0.3], [0.6, 0.5], style) for style in range(len(COLORS) + 1)]
    figure = line_figure(lines, (0.9, 1.0), title="<b>title</b>", marked=0.9, start=0.9)
    element = inline_svg(image(figure, "svg", text_as="none").decode(), key="key", label='a "label"')
    assert element.startswith("<svg viewBox=")
    assert 'aria-label="a &quot;label&quot;"' in element
    assert not re.search(r"#[0-9a-f]{6}", element)
    assert "&lt;b&gt;title" in element
    assert set(re.findall(r'id="([^"]*)"', element)) >= set(re.findall(r"url\(#([^)]*)\)", element)) != set()
    assert all(name.startswith("key-") for name in re.findall(r'id="([^"]*)"', element))
    assert len(element) < len(image(figure, "svg"))
