"""Tests of the figures: complete files, deterministic bytes, readable labels, and titles that are not cut."""

import html
import json
import re
import warnings
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from merge_snli import Result, draw_curves, score
from merge_snli.comparison import bar_charts
from merge_snli.comparison.bar_charts import Bars, draw_bars, draw_shares
from merge_snli.comparison.figures import draw_classes
from merge_snli.comparison.line_chart import COLORS, PNG_DPI, Line, line_figure, spread_labels
from merge_snli.leaderboard.boards import make_boards
from merge_snli.results.grouping import MAX_LABEL_LETTERS, short_names
from merge_snli.results.scores import Spread
from metrics.pattern_accuracy.core import CURVE
from tests.commands import Command
from tests.oracles import by_premise, missing_from, write_results


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    names = {2: "org/$x^2$ <b>", 3: "by 3", 5: "by 5"}
    return [score(by_premise(divisor), dataset, name=name) for divisor, name in names.items()]


@pytest.fixture(scope="module")
def curves(results: list[Result], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return draw_curves(results, tmp_path_factory.mktemp("figures") / "new" / "curve")


def comments(svg: Path, pattern: str) -> list[str]:
    """Return the texts of a figure, each of which is also in a comment."""
    return re.findall(rf"<!-- ({pattern}) -->", svg.read_text(encoding="utf-8"))


def test_png_and_svg_are_written_and_equal_results_give_equal_bytes(
    curves: list[Path], results: list[Result], tmp_path: Path
) -> None:
    png, svg = curves
    assert (png.name, svg.name) == ("curve.png", "curve.svg")
    again = draw_curves(results, tmp_path / "curve.svg")
    assert again == [tmp_path / "curve.png", tmp_path / "curve.svg"]
    assert png.read_bytes() == again[0].read_bytes()
    assert svg.read_bytes() == again[1].read_bytes()
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_models_and_word_classes_have_the_colors_of_the_page(
    curves: list[Path], results: list[Result], tmp_path: Path
) -> None:
    script = (files("merge_snli.leaderboard") / "page" / "chart.js").read_text(encoding="utf-8")
    [light] = re.findall(r"light: (\[.*\])", script)
    assert tuple(json.loads(light)) == COLORS
    [board] = make_boards(results)
    _, reordered = draw_curves(results[::-1], tmp_path / "reordered")
    drawn = [entry.result.row.curve for entry in board.entries]
    names = short_names([entry.name for entry in board.entries])
    expected = {name: COLORS[drawn.index(curve)] for name, curve in zip(names, drawn, strict=True)}
    assert line_colors(curves[1]) == line_colors(reordered) == expected
    without_nouns = {name: scores for name, scores in results[0].parts["word_class"].items() if name != "noun"}
    _, svg = draw_classes([replace(results[0], parts={"word_class": without_nouns})], tmp_path / "classes")
    assert line_colors(svg) == {"verb": COLORS[1], "adj": COLORS[2]}


def test_command_draws_three_figures_per_config(results: list[Result], tmp_path: Path, command: Command) -> None:
    """From all thresholds, from that of the paper's Figure 4, and by class, averaged over models."""
    folder = write_results(tmp_path / "results", results)
    lines = command("compare", folder, "--out", tmp_path / "figures").out.splitlines()
    printed = [line for line in lines if line.startswith(str(tmp_path))]
    assert sorted(printed) == sorted(str(path) for path in (tmp_path / "figures").iterdir())
    drawn = {Path(path).name.partition("-all-")[2]: Path(path) for path in printed}
    assert len(drawn) == 6
    for stem in ("figure-4-from-80", "figure-5-word-classes", "figure-11-from-0"):
        assert {f"{stem}.png", f"{stem}.svg"} <= drawn.keys()
    assert {*comments(drawn["figure-11-from-0.svg"], "10|80")} == {"10", "80"}
    assert {*comments(drawn["figure-4-from-80.svg"], "10|80")} == {"80"}
    by_class = drawn["figure-5-word-classes.svg"]
    assert {*comments(by_class, "noun|verb|adj")} == {"noun", "verb", "adj"}
    assert "mean of 3 models" in by_class.read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_of_results_that_cannot_be_compared(results: list[Result], tmp_path: Path, command: Command) -> None:
    other = replace(results[1], dataset=replace(results[0].dataset, digest="0" * 64))
    folder = write_results(tmp_path / "results", [results[0], other])
    document = command("compare", folder, "--out", tmp_path / "figures", "--format", "json").json
    assert document["comparisons"] == []
    assert len(document["figures"]) == 12
    assert "--out" in command("compare", folder, code=2).err


def line_colors(svg: Path) -> dict[str, str]:
    """Return the color of the label of each line, by name."""
    labels = re.findall(r"<!-- ([^<]+) -->\s*<g style=\"fill: (#[0-9a-f]{6})", svg.read_text(encoding="utf-8"))
    return {html.unescape(name): color for name, color in labels if color in COLORS}


@pytest.mark.parametrize(("start", "names"), [(0, ["a\nc", "b"]), (0.8, ["a\nb\nc"])])
def test_equal_curves_are_one_line_with_several_names(start: float, names: list[str]) -> None:
    falling = [1 - threshold / 2 for threshold in CURVE]
    late = [1.0] * 50 + falling[50:]
    lines = []
    for at, curve in enumerate([falling, late, falling]):
        lines.append(Line("abc"[at], curve, curve, curve, at))
    for narrow in (False, True):
        [axes] = line_figure(lines, CURVE, title="", marked=0.9, start=start, narrow=narrow, note="not drawn: d").axes
        assert axes.get_legend_handles_labels()[1] == names
        assert axes.get_xlabel().endswith("(%)\nnot drawn: d")
        if not narrow:
            first, second, third = (text.get_color() for text in axes.texts[1:])
            assert first == third == COLORS[0]
            assert (second == COLORS[1]) == (start == 0)


@pytest.mark.parametrize(("letters", "columns"), [(18, 2), (19, 1)])
def test_long_names_below_a_figure_have_a_column_to_themselves(letters: int, columns: int) -> None:
    lines = []
    for name, at in (("a", 0.5), ("b", 1.0)):
        lines.append(Line(name * letters, [at] * 101, [at] * 101, [at] * 101, 0))
    figure = line_figure(lines, CURVE, title="", marked=0.9, narrow=True)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.legends[0].get_texts()]
    assert len({round(box.x0) for box in boxes}) == columns
    assert max(box.x1 for box in boxes) <= figure.bbox.x1


def test_labels_do_not_overlap() -> None:
    high, middle, low, highest = spread_labels([50.0, 49.0, 10.0, 50.5], 4.5)
    assert [low, middle] == [10.0, 49.0]
    assert high - middle >= 4.5 and highest - high >= 4.5


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["run1/checkpoint-500", "run2/checkpoint-500", "a/b"], ["run1/checkpoint-500", "run2/checkpoint-500", "b"]),
        (["checkpoint-500", "run1/checkpoint-500"], ["checkpoint-500", "run1/checkpoint-500"]),
        (["x/run/a", "y/run/a", "z/b/a"], ["x/run/a", "y/run/a", "b/a"]),
        (["org/m [0123abcd]", "org/m [4567abcd]"], ["m [0123abcd]", "m [4567abcd]"]),
    ],
)
def test_models_with_the_same_last_part_have_different_labels(names: list[str], labels: list[str]) -> None:
    assert short_names(names) == labels


def test_long_names_are_shortened_and_stay_different() -> None:
    names = [f"meta-llama/Llama-3.1-{size}-Instruct (accuracy, {size} shots)" for size in (8, 70)]
    assert len({*short_names(names)}) == 2
    last, short = short_names(["org/model", "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli"])
    assert last == "model"
    assert (len(short), short[:7], short[-3:]) == (MAX_LABEL_LETTERS, "roberta", "nli")


def without_draws(result: Result) -> Result:
    """Return a result in which no subsample drew a variant."""
    curve = replace(result.scores.curve, mean=(None,) * 101, passing=((0,) * 101,) * 10, groups=(0,) * 10)
    nothing = Spread(None, None, (None,) * 10)
    scores = replace(
        result.scores, curve=curve, sample_accuracy=nothing, pattern_accuracy=nothing, qt=None, mt=None, intervals=None
    )
    return replace(result, scores=scores, parts={"word_class": result.parts["word_class"] | {"verb": scores}})


@pytest.mark.filterwarnings("error")
def test_results_without_a_curve_are_skipped_and_missing_glyphs_raise_no_warning(
    results: list[Result], tmp_path: Path
) -> None:
    empty = without_draws(results[1])
    of_japanese = replace(results[0], model=replace(results[0].model, name="日本語"))
    _, both = draw_curves([of_japanese, empty], tmp_path / "both")
    _, none = draw_curves([empty], tmp_path / "none")
    assert comments(both, "by 3") == comments(none, "by 3") == []
    _, classes = draw_classes([results[0], empty], tmp_path / "classes")
    assert comments(classes, "noun|verb|adj") == ["noun", "adj"]


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
    figures = []

    def save(figure: Figure, path: str | Path) -> list[Path]:
        figures.append(figure)
        return [Path(path)]

    monkeypatch.setattr(bar_charts, "save_figure", save)
    return figures


def assert_nothing_is_cut(figure: Figure, title: str) -> None:
    figure.set_dpi(PNG_DPI)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.draw_without_rendering()
        boxes = {joined(text.get_text()): text.get_window_extent() for text in titles(figure)}
    for box in boxes.values():
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
    assert any(text.startswith(joined(title)) for text in boxes)


def joined(text: str) -> str:
    return text.replace("\n", "").replace(" ", "").replace("\\$", "$")


@pytest.mark.parametrize("title", TITLES)
def test_the_titles_of_bars_are_not_cut(title: str, drawn: list[Figure], tmp_path: Path) -> None:
    draw_bars([Bars("a", {"F": [0.5]}, 0)], ["low"], tmp_path / "a", title=title, panels={"F": "F"}, y_label="y")
    shares = {"a person sees the man": {"entailment": [1.0]}}
    draw_shares(shares, ["org/model"], tmp_path / "b", title=title)
    for figure in drawn:
        assert_nothing_is_cut(figure, title)


def test_more_groups_than_colors_and_a_line_are_drawn(tmp_path: Path) -> None:
    bars = [Bars(f"group $x_{n}$", {"a": [0.25, 0.75], "b": [1, 0]}, n) for n in range(len(COLORS) + 1)]
    line = Bars("mean", {"a": [0.5, 0.5], "b": [0.5, 0.5]}, 0)
    panels = {"a": "A", "b": "B"}
    png, svg = draw_bars(bars, ["low", "high"], tmp_path / "v1.0", title="$t$", panels=panels, y_label="y", line=line)
    assert (png.name, svg.name) == ("v1.0.png", "v1.0.svg")
    text = svg.read_text(encoding="utf-8")
    assert not missing_from(text, "<!-- $t$ -->", "<!-- mean -->", *(f"<!-- {bar.name} -->" for bar in bars))
