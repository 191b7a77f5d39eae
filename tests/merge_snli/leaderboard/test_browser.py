"""Tests of the page in headless Chromium: sorting, filters, charts, links, keyboard, themes, phones, escaping."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from merge_snli import score
from merge_snli.leaderboard.boards import Board, make_boards
from merge_snli.leaderboard.render import render_page
from merge_snli.leaderboard.seeds import inconsistent, seeds_by_hardness
from merge_snli.results.grouping import short_names
from merge_snli.results.records import RANKED
from merge_snli.results.result import Result
from merge_snli.results.rows import ScoreRow
from tests.browser import (
    PHONE,
    Page,
    background,
    choose,
    chromium,
    errors_of,
    find,
    key,
    opened,
    set_theme,
    texts_of,
)
from tests.merge_snli.leaderboard.conftest import QUOTES, SHIPPED, Pair, noisy
from tests.merge_snli.results.test_prompts_group import record as prompt_record
from tests.oracles import known, missing_from, written
from tests.processes import wait_until

pytestmark = pytest.mark.slow

SHIFTS = """
new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifted = (window.shifted || 0) +
  entry.value))).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    with fresh_browser() as chrome:
        yield chrome


@contextmanager
def fresh_browser() -> Iterator[Page]:
    """A browser whose pages count their layout shifts."""
    with chromium("--disable-gpu") as chrome:
        chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SHIFTS})
        yield chrome


@pytest.fixture(scope="module")
def address(
    boards: tuple[Board, ...], texts: dict[int, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> str:
    return written(tmp_path_factory.mktemp("site") / "index.html", render_page(boards, texts)).as_uri()


Show = Callable[..., Page]


@pytest.fixture
def show(browser: Page, tmp_path: Path) -> Show:
    """A function that writes and opens the page of some boards."""

    def open_boards(*boards: Board, **options: Any) -> Page:  # noqa: ANN401 - of the screen
        return opened(browser, written(tmp_path / "index.html", render_page(boards, {})).as_uri(), **options)

    return open_boards


@pytest.fixture
def page(browser: Page, address: str) -> Iterator[Page]:
    """The page in its initial state; fails if the browser logged an error."""
    yield opened(browser, address)
    assert errors_of(browser) == [] and browser.title != "owned"


def show_other_view(page: Page, act: Callable[[], None]) -> None:
    """Follow a link to another view, and wait until the page shows it, which is after the click."""
    before = page.title
    act()
    wait_until(lambda: page.title != before)


def names(page: Page) -> list[str]:
    return texts_of(page, "#models tbody .name")


def scores_of(result: Result, part: str) -> ScoreRow:
    column, _, value = part.partition(":")
    return result.rows_by[column][value] if value else result.row


def ranking(board: Board, threshold: int, part: str = "all") -> list[str]:
    def value(entry: Any) -> float:  # noqa: ANN401
        return scores_of(entry.result, part).curve.mean[threshold] or 0.0

    return [entry.name for entry in sorted(board.entries, key=lambda entry: (-round(value(entry), 9), entry.name))]


def percents(board: Board, part: str, threshold: int) -> dict[str, str]:
    means = {entry.name: scores_of(entry.result, part).curve.mean[threshold] for entry in board.entries}
    return {name: f"{100 * mean:.1f}" for name, mean in means.items() if mean is not None}


def shown_percents(page: Page) -> dict[str, str]:
    return dict(zip(names(page), texts_of(page, "#models tbody td.pa span"), strict=True))


def test_initial_view_has_no_requests_and_no_layout_shift(page: Page, boards: tuple[Board, ...]) -> None:
    assert (names(page), shown_percents(page)) == (ranking(boards[0], 90), percents(boards[0], "all", 90))
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.execute_script("return window.shifted || 0") == 0
    assert page.title == "MERGE on its bundled problems · MERGE leaderboard"
    (about,) = (text for text in texts_of(page, "#models .under") if text.startswith("190K"))
    assert about.startswith(("190K no better than chance", "190K with notes")), "separated from the size"


def test_slider_changes_the_ranking(page: Page, boards: tuple[Board, ...]) -> None:
    slider = find(page, "#threshold")
    slider.send_keys(key("END"))
    assert find(page, "#models th.pa").text.endswith("PA(1)")
    assert (shown_percents(page), names(page)) == (percents(boards[0], "all", 100), ranking(boards[0], 100))
    slider.send_keys(key("ARROW_LEFT") * 20)
    assert slider.get_attribute("aria-valuetext") == "at least 80% (8 of 10)"
    assert shown_percents(page) == percents(boards[0], "all", 80) and "t=80" in page.current_url
    assert texts_of(page, "#curve-table tr.current th") == ["80%"]
    find(page, "#reset-threshold").click()
    assert shown_percents(page) == percents(boards[0], "all", 90)
    assert page.execute_script("return window.shifted || 0") < 0.01


def test_intervals_letters_and_equal_ranks(page: Page, boards: tuple[Board, ...]) -> None:
    ranks = dict(zip(names(page), texts_of(page, "#models td.rank"), strict=True))
    assert ranks[QUOTES] == ranks["org/hasty-base"]
    standings = boards[0].standings
    assert texts_of(page, "#models td.letters") == [standings.letters[name] for name in names(page)]
    low, high = known(boards[0].results[0].row.ends("pattern_accuracy"))
    assert texts_of(page, "#models td.pa small")[0] == f"{100 * low:.1f} to {100 * high:.1f}"
    assert find(page, "#findings .finding:not([hidden])").text == standings.finding


def test_clicking_the_chart_sets_the_threshold(page: Page) -> None:
    actions = importlib.import_module("selenium.webdriver.common.action_chains").ActionChains
    actions(page).move_to_element_with_offset(find(page, "#chart .u-over"), 0, 0).click().perform()
    assert find(page, "#threshold").get_attribute("value") == "50"
    left, width = page.execute_script(
        "const over = document.querySelector('#chart .u-over').getBoundingClientRect();"
        "const slider = document.querySelector('#threshold').getBoundingClientRect();"
        "return [slider.left + 11 - over.left, slider.width - 22 - over.width]"
    )
    assert max(abs(left), abs(width)) < 1.5


def test_headers_sort_with_mouse_and_keyboard(page: Page, boards: tuple[Board, ...]) -> None:
    sizes = {entry.name: entry.result.model.parameters or -1 for entry in boards[0].entries}
    header = find(page, "#models th.size")
    button = find(page, "#models th.size button")
    assert header.get_attribute("aria-sort") == "none"
    button.click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert find(page, "#models th.pa").get_attribute("aria-sort") == "none"
    assert [sizes[name] for name in names(page)] == sorted(sizes.values())
    button.send_keys(key("ENTER"))
    assert header.get_attribute("aria-sort") == "descending"
    assert [sizes[name] for name in names(page)] == sorted(sizes.values(), reverse=True)
    assert page.switch_to.active_element == button


def test_filters(page: Page, boards: tuple[Board, ...]) -> None:
    find(page, "#query").send_keys("BASE")
    assert names(page) == ["org/hasty-base"]
    assert find(page, "#count").text == "1 of 5 models"
    find(page, "#clear").click()
    assert len(names(page)) == 5
    choose(page, "#size", "l")
    assert names(page) == ["org/careful-large"]
    choose(page, "#size", "none")
    assert names(page) == [QUOTES]
    choose(page, "#size", "")
    choose(page, "#training", "snli + nyu-mll/multi_nli")
    assert names(page) == ["org/careful-large"]
    find(page, "#query").send_keys("no such model")
    assert find(page, "#nothing").is_displayed()
    find(page, "#clear").click()
    for part in ("word_class:verb", "label:neutral", "masked_lm:demo:mlm-bpe"):
        choose(page, "#part", part)
        assert shown_percents(page) == percents(boards[0], part, 90)
        assert names(page) == ranking(boards[0], 90, part)


def count_colors(page: Page) -> int:
    """Return the number of colors in the chart, which is small if it is empty."""
    script = (
        "const canvas = document.querySelector('#chart canvas');"
        "const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);"
        "return new Set(new Uint32Array(image.data.buffer)).size"
    )
    return int(page.execute_script(script))


def test_curves_of_the_selected_models(page: Page, boards: tuple[Board, ...]) -> None:
    best, second, *equal, last = ranking(boards[0], 90)
    drawn = texts_of(page, "#curve-table thead th")
    assert drawn == ["Threshold", best, second, ", ".join(equal), last]  # models with the same curve have one line
    many = count_colors(page)
    for box in page.find_elements("css selector", "#models input:checked")[1:]:
        box.click()
        assert page.switch_to.active_element == box
    assert texts_of(page, "#curve-table thead th") == ["Threshold", best]
    assert 20 < count_colors(page) < many
    assert texts_of(page, "#curve-table tbody tr")[5] == f"50%{percents(boards[0], 'all', 50)[best]}"
    summary = find(page, "#chart-summary").get_attribute("textContent")
    assert summary.startswith(
        f"Pattern accuracy on all variants at 90%: {best} {percents(boards[0], 'all', 90)[best]}."
    )
    find(page, "#models input:checked").click()
    assert texts_of(page, "#curve-table thead th") == ["Threshold"]
    assert "show=none" in page.current_url


def test_links_restore_the_view(browser: Page, address: str, boards: tuple[Board, ...]) -> None:
    page = opened(browser, f"{address}#on=word_class%3Anoun&t=70&sort=model&dir=down&q=org&show=org-hasty-base")
    assert names(page) == ["org/hasty-base", "org/careful-large"]
    noun = percents(boards[0], "word_class:noun", 70)
    assert shown_percents(page) == {name: noun[name] for name in names(page)}
    assert find(page, "#query").get_attribute("value") == "org"
    assert texts_of(page, "#curve-table thead th")[1:] == ["org/hasty-base"]
    show_other_view(page, find(page, "#models .name").click)
    assert find(page, "#model-title").text == "org/hasty-base"
    assert page.switch_to.active_element == find(page, "#model-title")
    show_other_view(page, page.back)
    assert names(page) == ["org/hasty-base", "org/careful-large"]
    assert find(page, "#threshold").get_attribute("value") == "70"


@pytest.mark.parametrize(
    "wrong",
    [
        "t=abc&sort=x&on=y&board=9&model=z",
        "t=1e9&dir=%22",
        "%E0%A4%A",
        "main",
        "on=constructor&by=toString&hard=__proto__",
    ],
)
def test_invalid_links_show_the_board(browser: Page, address: str, wrong: str, boards: tuple[Board, ...]) -> None:
    page = opened(browser, f"{address}#{wrong}")
    assert (shown_percents(page), errors_of(page)) == (percents(boards[0], "all", 90), [])


def test_model_view_shows_flipping_replacements(page: Page, boards: tuple[Board, ...]) -> None:
    show_other_view(page, page.find_element("link text", "org/hasty-base").click)
    [result] = [result for result in boards[0].results if result.model.name == "org/hasty-base"]
    seed = inconsistent(seeds_by_hardness(result))[0]
    name, label = seed.flips[0]
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    [variant] = [row for row in rows if row["variant_id"] == name]
    first = find(page, "#seeds li")
    assert find(first, ".verdict code").text == seed.seed_id
    assert f"{seed.correct} of {seed.variants} variants correct" in first.text
    assert "Buttons show replacements that change the prediction" in find(page, "#hard-about").text
    assert sentences(first) == [variant["seed_premise"], variant["seed_hypothesis"]]
    assert find(first, ".sentence mark").text in {row["original"] for row in rows if row["seed_id"] == seed.seed_id}
    button = find(first, ".flip")
    assert button.accessible_name == f"{variant['replacement']} for {variant['original']}, predicted {label}"
    button.send_keys(key("SPACE"))
    assert button.get_attribute("aria-pressed") == "true"
    assert sentences(first) == [variant["premise"], variant["hypothesis"]]
    assert find(first, "mark.swapped").text == variant["replacement"]
    assert "license: apache-2.0" in find(page, "#terms").text
    scores = result.rows_by["word_class"]["verb"]
    [verbs] = [text for text in texts_of(page, "#parts-table tr") if text.startswith("verbs")]
    assert verbs.startswith(f"verbs{scores['groups']}{scores.share('seed_accuracy') * 100:.1f}")
    show_other_view(page, find(page, "#back").click)
    assert find(page, "#board-view").is_displayed()


@pytest.fixture(scope="module")
def prompted(gold: dict[Pair, int]) -> Board:
    """A board with a model with three prompts, and another model."""
    results = [score(noisy("other", gold, 0.1), SHIPPED, subsample=0, name="other")]
    for name, errors in (("few_shot", 0.05), ("letter", 0.2), ("word", 0.08)):
        result = score(noisy(name, gold, errors), SHIPPED, subsample=0, name=name)
        model = replace(result.model, name="org/asked", digest=name[0].encode().hex() * 32)
        run = replace(result.run, prompt=prompt_record(name, answers=RANKED))
        results.append(replace(result, model=model, run=run))
    [board] = make_boards(results)
    return board


RECORD_TEXTS = """
const write = CanvasRenderingContext2D.prototype.fillText;
window.written = [];
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  window.written.push(text);
  write.call(this, text, ...place);
};
"""


def test_the_label_of_a_line_is_not_cut_further_than_the_name(prompted: Board, show: Show) -> None:
    page = show(prompted)
    page.execute_script(RECORD_TEXTS)
    choose(page, "#part", "word_class:noun")
    (label,) = {text for text in page.execute_script("return window.written") if text.startswith("asked")}
    assert label in short_names([entry.name for entry in prompted.entries])


def sentences(seed: Any) -> list[str]:  # noqa: ANN401
    return [one.text.split(maxsplit=1)[1] for one in seed.find_elements("css selector", ".sentence")]


def test_dark_theme_by_system_and_button(browser: Page, address: str) -> None:
    page = opened(browser, address, theme="dark")

    def chart() -> str:
        drawn = "done(document.querySelector('#chart canvas').toDataURL())"
        return str(page.execute_script(f"return new Promise((done) => setTimeout(() => {drawn}, 50))"))

    dark = background(page)
    drawn_dark = chart()
    set_theme(page, "light")
    light = background(page)
    assert light != dark
    wait_until(lambda: chart() != drawn_dark)
    button = find(page, "#theme")
    try:
        for theme, color in (("light", light), ("dark", dark)):
            button.click()
            assert (button.text, background(page)) == (f"Theme: {theme}", color)
        page.refresh()
        assert background(page) == dark
    finally:
        page.execute_script("localStorage.clear()")


def test_keyboard_reaches_every_control_with_a_name(page: Page) -> None:
    reached = []
    for _ in range(40):
        page.switch_to.active_element.send_keys(key("TAB"))
        element = page.switch_to.active_element
        if element.tag_name == "body":
            break
        assert element.accessible_name, element.get_attribute("outerHTML")
        reached.append(element.get_attribute("id") or element.get_attribute("class") or element.tag_name)
    expected = [
        "skip",
        "home",
        "board",
        "theme",
        "part",
        "threshold",
        "query",
        "size",
        "training",
        "clear",
        "models-scroll",
    ]
    assert [one for one in reached if one in expected] == [one for one in expected if one != "models-scroll"]
    assert reached.count("name") == 5
    assert find(page, "#chart").aria_role in ("image", "img")
    assert find(page, "#models caption").get_attribute("textContent")
    assert find(page, "#chart").get_attribute("aria-describedby") == "chart-summary"


def test_skip_link_keeps_the_url_and_another_board_can_be_selected(page: Page, boards: tuple[Board, ...]) -> None:
    find(page, "#threshold").send_keys(key("ARROW_LEFT"))
    page.execute_script("document.querySelector('.skip').click()")
    assert page.switch_to.active_element.get_attribute("id") == "main"
    assert "t=89" in page.current_url
    find(page, "#reset-threshold").click()
    choose(page, "#board", "1")
    assert shown_percents(page) == percents(boards[1], "all", 90)
    assert find(page, "#board-title").text == "MERGE on its bundled problems, nouns"
    show_other_view(page, page.find_element("link text", "org/careful-large").click)
    assert find(page, "#seeds li .sentence").is_displayed()


def test_page_fits_a_phone(browser: Page, address: str, tmp_path: Path) -> None:
    page = opened(browser, address, screen=PHONE)
    fits = "return document.documentElement.scrollWidth <= innerWidth"
    assert page.execute_script(fits)
    assert not find(page, "#models th.size").is_displayed()
    in_view = "const box = arguments[0].getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth"
    assert page.execute_script(in_view, find(page, "#models td.pa"))
    for column in ("seeds", "variants", "qt"):
        page.execute_script("arguments[0].scrollIntoView({ inline: 'end' })", find(page, f"#models td.{column}"))
        assert page.execute_script(in_view, find(page, f"#models td.{column}"))
        assert page.execute_script(in_view, find(page, "#models .name")), "the name stays beside every column"
    drawn = find(page, "#count").text.removesuffix(" models")
    assert [name for name in texts_of(page, "#line-names li") if name] and drawn.isdigit()
    show_other_view(page, find(page, "#models .name").click)
    assert page.execute_script(fits)
    assert not missing_from(find(page, "#parts-table").text, " to ", "Variants", "Seeds", "QT")
    page.save_screenshot(str(tmp_path / "phone.png"))


def test_the_first_page_of_a_browser_has_no_layout_shift(address: str) -> None:
    """A browser that has just started draws the page before its scripts have run."""
    with fresh_browser() as browser:
        page = opened(browser, address, screen=PHONE)
        assert find(page, "#models").is_displayed()
        assert page.execute_script("return window.shifted || 0") == 0


def test_touch_screens_have_whole_tick_labels_and_no_hover(browser: Page, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        page = opened(browser, address, screen=PHONE)
        assert page.execute_script("return matchMedia('(hover: hover)').matches") is False
        edge = (
            "const canvas = document.querySelector('#chart canvas');"
            "return canvas.getContext('2d').getImageData(canvas.width - 2, 0, 2, canvas.height).data.some(Boolean)"
        )
        assert page.execute_script(edge) is False  # nothing is cut off
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
