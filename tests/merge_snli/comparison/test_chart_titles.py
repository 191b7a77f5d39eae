"""Tests of the titles of charts: measured in the drawn figure, nothing of them is cut."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from merge_snli.comparison import bar_charts
from merge_snli.comparison.bar_charts import Bars, draw_bars, draw_shares
from merge_snli.comparison.line_chart import PNG_DPI, Line, line_figure
from merge_snli.paper.error_drivers import Coefficient, ErrorDrivers, Regression, RegressionPredictor
from merge_snli.paper.report.word_artifacts import coefficient_figure
from merge_snli.scoring.statistics import Interval
from metrics.pattern_accuracy.core import CURVE

BUNDLED = "Pattern accuracy by word class on MERGE on its bundled problems, config all, mean of 3 models"
TITLES = [
    "Pattern accuracy",
    BUNDLED,
    f"{BUNDLED} (partial: 10 seeds, subsample 0) {BUNDLED}",
    "costs $5 and $\\frac$",
    "日本語 " * 30,
]


def titles(figure: Figure) -> list[Text]:
    found = [each for axes in figure.axes for each in axes.findobj(Text) if each in (axes.title, axes._left_title)]  # type: ignore[attr-defined]
    return [each for each in (figure._suptitle, *found) if each is not None and each.get_text()]  # type: ignore[attr-defined]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that were saved."""
    figures: list[Figure] = []

    def save(figure: Figure, path: str | Path) -> list[Path]:
        figures.append(figure)
        return [Path(path)]

    monkeypatch.setattr(bar_charts, "save_figure", save)
    return figures


def assert_nothing_is_cut(figure: Figure, title: str) -> None:
    figure.set_dpi(PNG_DPI)
    canvas: Any = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        canvas.draw()
        boxes = {text.get_text(): text.get_window_extent(canvas.get_renderer()) for text in titles(figure)}
    page = figure.bbox
    assert [text for text, box in boxes.items() if box.x0 < 0 or box.x1 > page.x1 or box.y1 > page.y1] == []
    assert [text for text in boxes if joined(text).startswith(joined(title))]


def joined(text: str) -> str:
    return text.replace("\n", "").replace(" ", "").replace("\\$", "$")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("title", TITLES)
def test_the_title_of_curves_is_not_cut(title: str) -> None:
    values = [1 - threshold / 2 for threshold in CURVE]
    figure = line_figure([Line("run1/checkpoint-500", values, values, values, 0)], CURVE, title=title, marked=0.9)
    assert_nothing_is_cut(figure, title)


@pytest.mark.parametrize("title", TITLES)
def test_the_titles_of_bars_are_not_cut(title: str, drawn: list[Figure], tmp_path: Path) -> None:
    draw_bars([Bars("a", {"F": [0.5]}, 0)], ["low"], tmp_path / "a", title=title, panels={"F": "F"}, y_label="y")
    shares: dict[str, dict[str, Sequence[float]]] = {"a person sees the man": {"entailment": [1.0]}}
    draw_shares(shares, ["org/model"], tmp_path / "b", title=title)
    for figure in drawn:
        assert_nothing_is_cut(figure, title)


@pytest.mark.parametrize("title", TITLES)
def test_the_title_of_coefficients_is_not_cut(title: str) -> None:
    interval = Interval(low=0.5, high=2.0, level=0.95, method="Wald", unit="seed")
    coefficient = Coefficient(name="log_odds", estimate=1.0, standard_error=0.2, interval=interval, p_value=0.01)
    predictor = RegressionPredictor(name="log_odds", reference=None, mean=0.0, deviation=1.0)
    regression = Regression(
        models=("a",),
        answers=9,
        seeds=3,
        right=0.5,
        coefficients=(coefficient,),
        intercepts=(),
        left_out=(),
        not_computed=None,
    )
    value = ErrorDrivers(predictors=(predictor,), corpus=None, models=(regression,), pooled=None)
    figure = coefficient_figure(value, narrow=False, title=title)
    assert_nothing_is_cut(figure, title)
