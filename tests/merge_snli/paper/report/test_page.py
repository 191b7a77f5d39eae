"""Tests of the folder, page, figures and tables of a report: complete, escaped, replaced whole, in Chromium."""

import csv
import json
import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.files import JsonObject
from merge_snli.base.progress import Progress
from merge_snli.comparison.html_page import shared_style
from merge_snli.comparison.line_chart import COLORS, Line, image, line_figure
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.statistics_tables import table_of_tests
from merge_snli.dataset.texts import TextNames
from merge_snli.paper.hard_seeds import HardSeeds
from merge_snli.paper.majority import Majority
from merge_snli.paper.report import write
from merge_snli.paper.report.artifact import Artifact
from merge_snli.paper.report.curve_artifacts import MIN_SEEDS
from merge_snli.paper.report.report import Report, json_value, make_report
from merge_snli.paper.report.sections import SECTIONS, Settings
from merge_snli.paper.report.table_artifacts import hard_seeds_artifact, majority_artifact
from merge_snli.paper.report.word_artifacts import word_frequency_artifact
from merge_snli.paper.report.write import check_report_folder, inline_svg, write_report
from merge_snli.paper.word_frequency import STATISTICS, Average, WordFrequency
from merge_snli.statistics import Interval, TestResult
from tests.browser import DESK, PHONE, Page, background, errors_of, opened
from tests.merge_snli.leaderboard.test_page import Parsed
from tests.merge_snli.paper.report.conftest import MARKUP
from tests.oracles import missing_from, refused
from tests.systems import unprivileged

STYLE = (files("merge_snli.paper.report") / "page" / "report.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(report_folder: Path) -> str:
    return (report_folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(page: str) -> Parsed:
    return Parsed(page)


def test_every_analysis_is_shown_or_has_a_reason_and_names_are_escaped(parsed: Parsed, page: str) -> None:
    assert not missing_from(
        page.replace("&#39;", "'"),
        *(section.title for section in SECTIONS),
        "Figure 7 needs",
        "give --corpus.",
        "Figure 8 needs",
    )
    assert MARKUP not in page
    assert any(MARKUP in text for text in parsed.text)


def test_the_page_makes_no_request(parsed: Parsed, page: str) -> None:
    assert "script" not in parsed.tags
    sources = {value for _, name, value in parsed.attributes if name in ("src", "srcset", "data", "action")}
    links = {value for _, name, value in parsed.attributes if name in ("href", "xlink:href") and value[:1] != "#"}
    assert (sources, links) == (set(), {"data:,", "https://arxiv.org/abs/2510.24295"})
    assert not re.search(r"url\((?!#)|@import", page)
    assert ("meta", "http-equiv", "Content-Security-Policy") in parsed.attributes


def test_links_ids_and_headings_of_the_page(parsed: Parsed) -> None:
    ids = [value for _, name, value in parsed.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    targets = {value[1:] for _, name, value in parsed.attributes if name in ("href", "xlink:href") and value[:1] == "#"}
    assert targets <= set(ids)
    levels = [int(tag[1]) for tag in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))


def test_every_figure_is_drawn_for_both_widths(parsed: Parsed, report_folder: Path) -> None:
    figures = [value for tag, name, value in parsed.attributes if (tag, name) == ("svg", "aria-label")]
    stems = {path.stem for path in (report_folder / "figures").iterdir()}
    assert len(figures) == 2 * len(stems)
    assert "Pattern accuracy by word class, mean over models" in figures
    assert len(set(figures)) == len(stems)
    assert {path.name for path in (report_folder / "figures").iterdir()} == {
        f"{stem}.{extension}" for stem in stems for extension in ("png", "svg")
    }


def test_the_colors_of_lines_are_those_of_the_leaderboard_and_variables_are_defined(page: str) -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    found = [tuple(re.findall(r"--line-\d: (#[0-9a-f]{6});", part)) for part in (light, dark)]
    script = (files("merge_snli.leaderboard") / "page" / "chart.js").read_text(encoding="utf-8")
    assert found == [COLORS, tuple(re.findall(r'"(#[0-9a-f]{6})"', script.split("dark:")[1].split("]")[0]))]
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= set(re.findall(r"(--[\w-]+):", shared_style() + STYLE))


def test_the_share_of_the_constant_label_is_noted() -> None:
    mean = {"gold": 0.6, "own": 0.9, "vote": 0.7, "constant": 0.5}
    value = Majority(
        models={"a": mean},
        mean=mean,
        labels=("entailment", "neutral"),
        constant_label="entailment",
        constant_share=0.495,
        tied_votes=0,
        vote_accuracy=0.9,
    )
    [table] = majority_artifact(value).tables
    assert "49.5%" in " ".join(table.notes)


def test_an_inline_figure_has_no_color_of_its_own() -> None:
    lines = [Line(f"model {style}", [0.5, 0.4], [0.4, 0.3], [0.6, 0.5], style) for style in range(len(COLORS) + 1)]
    figure = line_figure(lines, (0.9, 1.0), title="<b>title</b>", marked=0.9, start=0.9)
    element = inline_svg(image(figure, "svg", text_as="none").decode(), key="key", label='a "label"')
    assert element.startswith("<svg viewBox=") and 'aria-label="a &quot;label&quot;"' in element
    assert not re.search(r"#[0-9a-f]{6}", element)
    assert "&lt;b&gt;title" in element
    assert set(re.findall(r'id="([^"]*)"', element)) >= set(re.findall(r"url\(#([^)]*)\)", element)) != set()
    assert all(name.startswith("key-") for name in re.findall(r'id="([^"]*)"', element))
    assert len(element) < len(image(figure, "svg"))


def show(browser: Page, folder: Path, **options: Any) -> None:  # noqa: ANN401 - of the screen
    opened(browser, (folder / "index.html").as_uri(), **options)
    browser.execute_script("document.querySelectorAll('details').forEach((each) => (each.open = true))")


@pytest.mark.slow
@pytest.mark.parametrize(("screen", "shown"), [(DESK, "wide"), (PHONE, "narrow")], ids=["desk", "phone"])
def test_the_page_does_not_scroll_sideways(
    browser: Page, report_folder: Path, screen: dict[str, Any], shown: str
) -> None:
    show(browser, report_folder, screen=screen)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
    visible = browser.execute_script(
        "return [...document.querySelectorAll('svg.figure')].filter((each) => each.getBoundingClientRect().width)"
        ".map((each) => each.parentElement.className)"
    )
    assert set(visible) == {shown}
    assert errors_of(browser) == []


@pytest.mark.slow
def test_text_and_lines_of_figures_follow_the_theme(browser: Page, report_folder: Path) -> None:
    lines = []
    for theme in ("light", "dark"):
        show(browser, report_folder, theme=theme)
        ink, *line = browser.execute_script(
            "const figure = document.querySelector('svg.figure');"
            "const line = figure.querySelector('[style*=\"--line-0\"]');"
            "return [getComputedStyle(figure).fill, getComputedStyle(line).fill, getComputedStyle(line).stroke]"
        )
        paper, text = (sum(map(int, color[4:-1].split(","))) for color in (background(browser), ink))
        assert text < 600 < paper if theme == "light" else paper < 200 < text
        lines.append(line)
    assert lines[0] != lines[1]


@pytest.fixture(scope="module")
def report(scored: ScoredDataset) -> Report:
    """Return a report with two of the analyses, one of them without figures."""
    whole = make_report([scored], Settings(fine_tuned_from={}), Progress(quiet=True))
    [part] = whole.data_sets
    chosen = tuple(each for each in part.analyses if each[0].name in ("majority", "classes"))
    return replace(whole, data_sets=(replace(part, analyses=chosen),))


@pytest.fixture
def written(report: Report, tmp_path: Path) -> Path:
    """A report in a folder that was empty."""
    folder = tmp_path / "new" / "report"
    folder.mkdir(parents=True)
    assert write_report(report, folder, Progress(quiet=True)) == folder / "index.html"
    return folder


def test_the_numbers_are_those_of_the_analyses(report_folder: Path, scored: ScoredDataset) -> None:
    numbers = json.loads((report_folder / "report.json").read_text(encoding="utf-8"))
    [part] = numbers["data_sets"]
    assert {name: part[name] for name in ("digest", "config", "models")} == {
        "digest": scored.data.stored.digest,
        "config": "all",
        "models": ["by 3", MARKUP],
    }
    assert [*part["analyses"]] == [section.name for section in SECTIONS]
    assert "--fine-tuned-from" in part["analyses"]["fine_tuned"]["not_computed"]
    assert "not_computed" in numbers["across_data_sets"]["filter_sets"]
    assert {
        curve["models"][0]: curve["mean"][90] for curve in part["analyses"]["model_curves"]["curves"]
    } == pytest.approx({model.name: model.result.scores.curve.mean[90] for model in scored.models})


def test_tables_have_three_forms(report_folder: Path) -> None:
    tables = report_folder / "tables"
    stems = {path.name.rpartition(".")[0] for path in tables.iterdir()}
    assert {path.name for path in tables.iterdir()} == {
        f"{stem}.{extension}" for stem in stems for extension in ("csv", "md", "tex")
    }
    [curves] = tables.glob("*-figure-11-curves.csv")
    rows = list(csv.DictReader(curves.read_text(encoding="utf-8").splitlines()))
    assert {row[""] for row in rows} == {"by 3", MARKUP}
    assert all(float(row["PA(0.9)"]) >= float(row["PA(1)"]) for row in rows)


def test_equal_reports_have_equal_bytes_and_a_report_is_replaced(written: Path, report: Report) -> None:
    assert json.loads((written / "report.json").read_text(encoding="utf-8")) == report.as_dict()
    before = contents(written)
    (written / "figures" / "old.svg").write_text("old")
    write_report(report, written, Progress(quiet=True))
    assert (contents(written), [path.name for path in written.parent.iterdir()]) == (before, [written.name])


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_failure_leaves_the_old_report(written: Path, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(written)

    def fail(*_: Any) -> str:  # noqa: ANN401
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "render_page", fail)
    refused("full", write_report, report, written, Progress(quiet=True))
    assert (contents(written), [path.name for path in written.parent.iterdir()]) == (before, [written.name])


@unprivileged
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refused("not writable", check_report_folder, tmp_path / "report")


def test_folders_with_other_files_and_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    refused(r"thesis\.tex", check_report_folder, tmp_path)
    for path in (tmp_path / "thesis.tex", tmp_path / "thesis.tex" / "report"):
        refused("is a file", check_report_folder, path)


def test_reasons_and_infinite_numbers_as_json() -> None:
    assert json_value(NotComputable("why")) == {"not_computed": "why"}
    assert json_value([float("inf"), float("nan"), 1.5, None, True]) == [None, None, 1.5, None, True]


def artifacts(scored: ScoredDataset) -> dict[str, Artifact]:
    """Return the artifacts of every analysis that can be computed, by name."""
    found: dict[str, Artifact] = {}
    for section in SECTIONS:
        try:
            value = section.compute([scored], Settings())
        except NotComputable:
            continue
        for show in section.artifacts:
            artifact = show(value)
            found[artifact.name] = artifact
    return found


@pytest.fixture(scope="module")
def of_two(scored: ScoredDataset) -> dict[str, Artifact]:
    return artifacts(scored)


def test_captions_do_not_depend_on_the_values(of_two: dict[str, Artifact], scored: ScoredDataset) -> None:
    of_one = artifacts(replace(scored, models=scored.models[:1]))
    assert {"table-3", "figure-5-word-classes", "error-drivers"} <= of_one.keys() & of_two.keys()
    for name in of_one.keys() & of_two.keys():
        assert (of_one[name].title, of_one[name].caption) == (of_two[name].title, of_two[name].caption)
    assert of_one["figure-5-word-classes"].basis != of_two["figure-5-word-classes"].basis
    assert of_two["figure-4-curves-from-80"].finding.endswith(" Only PA(0.9) is tested, in Table 3.")
    assert "test" not in of_one["figure-4-curves-from-80"].finding, "one model is not tested"


def test_curves_of_few_seeds_are_not_drawn_and_labels_of_tests_differ(of_two: dict[str, Artifact]) -> None:
    pairs = of_two["figure-6-class-pairs"]
    seeds = {row[0]: row[1] for row in pairs.tables[0].rows}
    few = [name for name, number in seeds.items() if isinstance(number, int) and number < MIN_SEEDS]
    assert few and all(f"{name} (" in pairs.not_drawn for name in few)
    assert (pairs.draw is None) is (len(few) == len(seeds))
    assert not of_two["figure-5-word-classes"].not_drawn
    (table,) = of_two["seeds-against-variants"].tables
    assert len({row[0] for row in table.rows}) == len(table.rows) > 1


def test_the_first_artifact_of_each_section_answers_its_heading(of_two: dict[str, Artifact]) -> None:
    assert " the highest PA(0.9), " in of_two["table-3"].finding
    assert "Mean accuracy" in of_two["seeds-against-variants"].finding
    classes = of_two["figure-5-word-classes"]
    p_values = [0.0 if str(row[3]).startswith("<") else float(str(row[3])) for row in classes.tables[1].rows]
    assert classes.finding.count("p = ") + classes.finding.count("p <") == sum(p < 0.05 for p in p_values)
    assert len(p_values) == 3 and "does not differ significantly between" in classes.finding
    assert classes.finding.endswith("The p-values are not adjusted.")
    assert "This is not tested." in of_two["majority-label"].finding
    drivers = of_two["error-drivers"]
    assert drivers.finding.startswith("Significant coefficients of right answers: ")
    assert any(row[0] == "all models" for row in drivers.tables[0].rows)
    assert len(set(drivers.tables[0].notes)) == len(drivers.tables[0].notes)
    left_out = [note for note in drivers.tables[0].notes if " is left out: " in note]
    assert len({note.partition(": ")[2] for note in left_out}) == len(left_out), "each predictor and reason once"


def hard_seeds(never: int, rarely: int) -> HardSeeds:
    seed: JsonObject = {
        "seed_id": "s",
        "premise": "p",
        "hypothesis": "h",
        "gold": "neutral",
        "votes": None,
        "answers": {},
    }
    seed |= {"variants": 20, "mean_accuracy": 0.0}
    texts = TextNames("question", "sentence_A")
    return HardSeeds(seeds=2222, never_right=(seed,) * never, rarely_right=(seed,) * rarely, texts=texts)


@pytest.mark.parametrize(("never", "rarely"), [(31, 32), (0, 1), (0, 0)])
def test_hard_seeds_are_counted(never: int, rarely: int) -> None:
    artifact = hard_seeds_artifact(hard_seeds(never, rarely))
    assert artifact.basis.startswith(f"{rarely} of 2,222 seeds; {never} ")
    assert [len(table.rows) for table in artifact.tables] == ([rarely] if rarely else [])
    for table in artifact.tables:
        assert [column.header for column in table.columns[1:3]] == ["Question", "Sentence_A"]


@pytest.mark.parametrize(
    ("snli_models", "mean_ratio_snli", "shown", "over"),
    [(("m0",), 1234.5, "1,234.5", "m0"), ((), None, "2,000.0", "all models")],
)
def test_the_mean_word_frequency_is_noted_with_its_models(
    snli_models: tuple[str, ...], mean_ratio_snli: float | None, shown: str, over: str
) -> None:
    model: JsonObject = {"model": "m0", "training_data": None, "wrong_seeds": 3, "seeds": 2, "pairs": 9}
    model["zero_pairs"] = 0
    model |= dict.fromkeys(STATISTICS, Average(value=2.0, interval=None))
    value = WordFrequency(
        corpus="snli",
        corpus_digest="d",
        corpus_tokens=9,
        models=(model,),
        mean_seeds=2.0,
        snli_models=snli_models,
        mean_ratio_snli=mean_ratio_snli,
        mean_ratio_all=2000.0,
    )
    [table] = word_frequency_artifact(value).tables
    [note] = [note for note in table.notes if shown in note]
    assert over in note


def test_a_table_without_tests_says_why() -> None:
    test = TestResult(
        test="a test",
        statistic=1.0,
        p_value=0.5,
        n=10,
        unit="seed",
        difference=0.1,
        interval=Interval(low=-1, high=1, level=0.95, method="t", unit="seed"),
        effect_size=0.1,
        effect="d",
    )
    empty, full = table_of_tests([]), table_of_tests([("nouns − verbs", test, None)])
    assert (len(empty.rows), len(full.rows)) == (0, 1)
    assert "two seeds" in " ".join(empty.notes)
    assert "two seeds" not in " ".join(full.notes)
