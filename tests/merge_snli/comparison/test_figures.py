"""Tests of the figures: complete files, deterministic bytes, readable labels, and titles that are not cut."""

import html
import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import files
from itertools import pairwise
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
from merge_snli.models.labels import Pair
from merge_snli.results.grouping import MAX_LABEL_LETTERS, short_names
from merge_snli.results.scores import Spread
from merge_snli.results.store import write_result
from metrics.pattern_accuracy.core import CURVE
from tests.commands import Command
from tests.oracles import missing_from, refused, write_results


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    def by_length(pairs: list[Pair], divisor: int) -> list[int]:
        return [len(premise) % divisor % 3 for premise, _ in pairs]

    first, *others = (score(partial(by_length, divisor=n), dataset, name=f"by {n}") for n in (2, 3, 5))
    return [renamed(first, "org/$x^2$ <b>"), *others]


def renamed(result: Result, name: str) -> Result:
    return replace(result, model=replace(result.model, name=name))


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
    assert [path.read_bytes() for path in curves] == [path.read_bytes() for path in again]
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</svg>")
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6})", text))) >= len(results)
    refused("results", draw_curves, [], tmp_path / "curve")


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


def test_command_draws_three_figures_per_config(
    curves: list[Path], results: list[Result], tmp_path: Path, command: Command
) -> None:
    """From all thresholds, from that of the paper's Figure 4, and by class, averaged over models."""
    folder = write_results(tmp_path / "results", results)
    lines = command("compare", folder, "--out", tmp_path / "figures").out.splitlines()
    printed = [line for line in lines if line.startswith(str(tmp_path))]
    assert sorted(printed) == sorted(str(path) for path in (tmp_path / "figures").iterdir())
    drawn = {Path(path).name.partition("-all-")[2]: Path(path) for path in printed}
    stems = ("figure-4-from-80", "figure-5-word-classes", "figure-11-from-0")
    assert {*drawn} == {f"{stem}.{extension}" for stem in stems for extension in ("png", "svg")}
    full, zoomed = (comments(drawn[f"{stem}.svg"], "10|80") for stem in (stems[2], stems[0]))
    assert ({*full}, {*zoomed}) == ({"10", "80"}, {"80"})
    assert {"noun", "verb", "adj"} <= {*comments(drawn["figure-5-word-classes.svg"], "noun|verb|adj")}
    assert "mean of 3 models" in drawn["figure-5-word-classes.svg"].read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_of_results_that_cannot_be_compared(results: list[Result], tmp_path: Path, command: Command) -> None:
    other = replace(results[1], dataset=replace(results[0].dataset, digest="0" * 64))
    folders = [write_result(result, tmp_path / name).parent for name, result in (("a", results[0]), ("b", other))]
    document = command("compare", *folders, "--out", tmp_path / "figures", "--format", "json").json
    assert (document["comparisons"], len(document["figures"])) == ([], 12)
    assert "--out" in command("compare", *folders, code=2).err


def line_colors(svg: Path) -> dict[str, str]:
    """Return the color of the label of each line, by name."""
    labels = re.findall(r"<!-- ([^<]+) -->\s*<g style=\"fill: (#[0-9a-f]{6})", svg.read_text(encoding="utf-8"))
    return {html.unescape(name): color for name, color in labels if color in COLORS}


@pytest.mark.parametrize("narrow", [False, True])
def test_equal_curves_are_one_line_with_several_names(narrow: bool) -> None:
    falling = [1 - threshold / 2 for threshold in CURVE]
    late = [1.0 if threshold < 0.5 else value for threshold, value in zip(CURVE, falling, strict=True)]
    named = {"a": falling, "b": late, "c": falling}
    lines = [Line(name, of, of, of, at) for at, (name, of) in enumerate(named.items())]
    for start, names in ((0, ["a\nc", "b"]), (0.8, ["a\nb\nc"])):
        [axes] = line_figure(lines, CURVE, title="", marked=0.9, start=start, narrow=narrow, note="not drawn: d").axes
        assert axes.get_legend_handles_labels()[1] == names
        colors = [COLORS[0], COLORS[1], COLORS[0]] if len(names) == 2 else [COLORS[0]] * 3
        assert narrow or [text.get_color() for text in axes.texts[1:]] == colors
        assert axes.get_xlabel().endswith("(%)\nnot drawn: d")


def test_long_names_below_a_figure_have_a_column_to_themselves() -> None:
    for letters, columns in ((18, 2), (19, 1)):
        lines = [Line(name * letters, [at] * 101, [at] * 101, [at] * 101, 0) for name, at in (("a", 0.5), ("b", 1.0))]
        figure = line_figure(lines, CURVE, title="", marked=0.9, narrow=True)
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in figure.legends[0].get_texts()]
        assert len({round(box.x0) for box in boxes}) == columns
        assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_labels_do_not_overlap() -> None:
    positions = spread_labels([50.0, 49.0, 10.0, 50.5], 4.5)
    assert all(above - below >= 4.5 for below, above in pairwise(sorted(positions)))
    assert positions[2] == 10.0 and positions[1] < positions[0] < positions[3]


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
    _, both = draw_curves([renamed(results[0], "日本語"), empty], tmp_path / "both")
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
    figures: list[Figure] = []

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
        boxes = {text.get_text(): text.get_window_extent() for text in titles(figure)}
    page = figure.bbox
    assert [text for text, box in boxes.items() if box.x0 < 0 or box.x1 > page.x1 or box.y1 > page.y1] == []
    assert [text for text in boxes if joined(text).startswith(joined(title))]


def joined(text: str) -> str:
    return text.replace("\n", "").replace(" ", "").replace("\\$", "$")


@pytest.mark.parametrize("title", TITLES)
def test_the_titles_of_bars_are_not_cut(title: str, drawn: list[Figure], tmp_path: Path) -> None:
    draw_bars([Bars("a", {"F": [0.5]}, 0)], ["low"], tmp_path / "a", title=title, panels={"F": "F"}, y_label="y")
    shares: dict[str, dict[str, Sequence[float]]] = {"a person sees the man": {"entailment": [1.0]}}
    draw_shares(shares, ["org/model"], tmp_path / "b", title=title)
    for figure in drawn:
        assert_nothing_is_cut(figure, title)


CATEGORIES = ["low", "high"]


def test_more_groups_than_colors_and_a_line_are_drawn(tmp_path: Path) -> None:
    bars = [Bars(f"group $x_{n}$", {"a": [0.25, 0.75], "b": [1, 0]}, n) for n in range(len(COLORS) + 1)]
    line = Bars("mean", {"a": [0.5, 0.5], "b": [0.5, 0.5]}, 0)

    def draw(name: str) -> list[bytes]:
        files = draw_bars(
            bars, CATEGORIES, tmp_path / name, title="$t$", panels={"a": "A", "b": "B"}, y_label="y", line=line
        )
        assert [path.name for path in files] == [f"{name}.png", f"{name}.svg"]
        return [path.read_bytes() for path in files]

    png, svg = draw("v1.0")
    assert draw("again") == [png, svg]
    names = [bar.name for bar in (*bars, line)]
    assert not missing_from(svg.decode(), "<!-- $t$ -->", *(f"<!-- {name} -->" for name in names))
