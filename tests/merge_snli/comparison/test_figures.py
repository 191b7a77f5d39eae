"""Tests of the figures: complete files, deterministic bytes, readable labels."""

import dataclasses
import html
import json
import re
from functools import partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

from merge_snli import Result, draw_curves, score
from merge_snli.base.errors import InputError
from merge_snli.cli import main
from merge_snli.comparison.figures import FIGURE_4_START, draw_classes
from merge_snli.comparison.line_chart import COLORS, spread_labels
from merge_snli.leaderboard.boards import make_boards
from merge_snli.models.labels import Pair
from merge_snli.scoring.grouping import MAX_LABEL_LETTERS, short_names
from merge_snli.scoring.scores import Spread
from merge_snli.scoring.store import write_result


def predict_by_length(pairs: list[Pair], divisor: int) -> list[int]:
    return [len(premise) % divisor % 3 for premise, _ in pairs]


@pytest.fixture(scope="module")
def results(dataset: Path) -> list[Result]:
    scored = [score(partial(predict_by_length, divisor=n), dataset, name=f"by {n}") for n in (2, 3, 5)]
    renamed = dataclasses.replace(scored[0].model, name="org/$x^2$ <b>")
    return [dataclasses.replace(scored[0], model=renamed), *scored[1:]]


def test_png_and_svg_are_written(results: list[Result], tmp_path: Path) -> None:
    png, svg = draw_curves(results, tmp_path / "new" / "curve")
    assert (png.name, svg.name) == ("curve.png", "curve.svg")
    assert draw_curves(results, tmp_path / "new" / "curve.svg") == [png, svg]
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text(encoding="utf-8")
    assert text.rstrip().endswith("</svg>")
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6})", text))) >= len(results)


def test_equal_results_give_equal_bytes(results: list[Result], tmp_path: Path) -> None:
    first, second = (draw_curves(results, tmp_path / name / "curve") for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def line_colors(svg: Path) -> dict[str, str]:
    """Return the color of the label of each line, by name."""
    labels = re.findall(r"<!-- ([^<]+) -->\s*<g style=\"fill: (#[0-9a-f]{6})", svg.read_text(encoding="utf-8"))
    return {html.unescape(name): color for name, color in labels if color in COLORS}


def test_models_have_the_colors_of_the_page(results: list[Result], tmp_path: Path) -> None:
    script = (files("merge_snli.leaderboard") / "page" / "chart.js").read_text(encoding="utf-8")
    [light] = re.findall(r"light: (\[.*\])", script)
    assert tuple(json.loads(light)) == COLORS
    [board] = make_boards(results)
    _, svg = draw_curves(results, tmp_path / "curve")
    _, reordered = draw_curves(results[::-1], tmp_path / "reordered")
    expected = dict(zip(short_names([entry.name for entry in board.entries]), COLORS, strict=False))
    assert line_colors(svg) == line_colors(reordered) == expected


def test_a_word_class_keeps_its_color(results: list[Result], tmp_path: Path) -> None:
    without_nouns = {name: scores for name, scores in results[0].parts["word_class"].items() if name != "noun"}
    _, svg = draw_classes([dataclasses.replace(results[0], parts={"word_class": without_nouns})], tmp_path / "classes")
    assert line_colors(svg) == {"verb": COLORS[1], "adj": COLORS[2]}


def test_no_results_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="results"):
        draw_curves([], tmp_path / "curve")


def test_labels_do_not_overlap() -> None:
    positions = spread_labels([50.0, 49.0, 10.0, 50.5], 4.5)
    assert all(above - below >= 4.5 for below, above in pairwise(sorted(positions)))
    assert positions[2] == 10.0
    assert positions[1] < positions[0] < positions[3]


def test_long_names_are_shortened() -> None:
    last, short = short_names(["org/model", "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli"])
    assert last == "model"
    assert (len(short), short[:7], short[-3:]) == (MAX_LABEL_LETTERS, "roberta", "nli")


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


def test_elided_names_stay_different() -> None:
    names = [f"meta-llama/Llama-3.1-{size}-Instruct (accuracy, {shots} shots)" for size in (8, 70) for shots in (0, 3)]
    assert len(set(short_names(names))) == len(names)


def test_figure_4_starts_at_the_paper_threshold(results: list[Result], tmp_path: Path) -> None:
    full, zoomed = (draw_curves(results, tmp_path / str(start), start=start)[1] for start in (0, FIGURE_4_START))
    ticks = [re.findall(r"<!-- (\d+) -->", path.read_text(encoding="utf-8")) for path in (full, zoomed)]
    assert "10" in ticks[0]
    assert "10" not in ticks[1]
    assert "80" in ticks[1]


def test_classes_are_averaged_over_models(results: list[Result], tmp_path: Path) -> None:
    png, svg = draw_classes(results, tmp_path / "classes")
    assert png.read_bytes().startswith(b"\x89PNG")
    text = svg.read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in text for name in ("noun", "verb", "adj"))
    assert "mean of 3 models" in text


def test_command_draws_three_figures_per_config(
    results: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for result in results:
        write_result(result, tmp_path / "results")
    assert main(["compare", str(tmp_path / "results"), "--out", str(tmp_path / "figures")]) == 0
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith(str(tmp_path))]
    assert sorted(printed) == sorted(str(path) for path in (tmp_path / "figures").iterdir())
    names = {Path(path).name.partition("-all-")[2] for path in printed}
    stems = ("figure-4-from-80", "figure-5-word-classes", "figure-11-from-0")
    assert names == {f"{stem}.{extension}" for stem in stems for extension in ("png", "svg")}


def test_figures_of_results_that_cannot_be_compared(
    results: list[Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = dataclasses.replace(results[0].dataset, digest="0" * 64)
    write_result(results[0], tmp_path / "a")
    write_result(dataclasses.replace(results[1], dataset=other), tmp_path / "b")
    folders, out = [str(tmp_path / "a"), str(tmp_path / "b")], str(tmp_path / "figures")
    assert main(["compare", *folders, "--out", out]) == 0
    assert len(capsys.readouterr().out.split()) == 12
    assert main(["compare", folders[1], "--out", out, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["comparisons"] == []
    assert len(document["figures"]) == 6
    assert main(["compare", *folders]) == 2
    assert "--out" in capsys.readouterr().err


def without_draws(result: Result) -> Result:
    """Return a result in which no subsample drew a variant."""
    curve = dataclasses.replace(result.scores.curve, mean=(None,) * 101, passing=((0,) * 101,) * 10, groups=(0,) * 10)
    nothing = Spread(None, None, (None,) * 10)
    scores = dataclasses.replace(
        result.scores, curve=curve, sample_accuracy=nothing, pattern_accuracy=nothing, qt=None, mt=None, intervals=None
    )
    return dataclasses.replace(
        result, scores=scores, parts={"word_class": result.parts["word_class"] | {"verb": scores}}
    )


@pytest.mark.filterwarnings("error")
def test_results_without_a_curve_are_skipped(results: list[Result], tmp_path: Path) -> None:
    empty = without_draws(results[1])
    _, both = draw_curves([results[0], empty], tmp_path / "both")
    _, none = draw_curves([empty], tmp_path / "none")
    names = [re.findall(r"<!-- (by 3) -->", path.read_text(encoding="utf-8")) for path in (both, none)]
    assert names == [[], []]
    _, classes = draw_classes([results[0], empty], tmp_path / "classes")
    assert re.findall(r"<!-- (noun|verb|adj) -->", classes.read_text(encoding="utf-8")) == ["noun", "adj"]


@pytest.mark.filterwarnings("error")
def test_missing_glyphs_raise_no_warning(results: list[Result], tmp_path: Path) -> None:
    model = dataclasses.replace(results[0].model, name="日本語")
    assert len(draw_curves([dataclasses.replace(results[0], model=model)], tmp_path / "curve")) == 2
