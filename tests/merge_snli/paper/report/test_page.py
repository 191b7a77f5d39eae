"""Tests of the folder, page, figures and tables of a report: complete, escaped, replaced whole, in Chromium."""

import csv
import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from merge_snli.base.files import JsonObject, read_json
from merge_snli.base.progress import Progress
from merge_snli.comparison.corpus import count_corpus, open_corpus, tagger_of
from merge_snli.comparison.html_page import shared_style
from merge_snli.comparison.line_chart import COLORS, Line, image, line_figure
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.statistics_tables import table_of_tests
from merge_snli.dataset.texts import TextNames
from merge_snli.paper.hard_seeds import HardSeeds
from merge_snli.paper.majority import majority
from merge_snli.paper.report import write
from merge_snli.paper.report.artifact import Artifact
from merge_snli.paper.report.curve_artifacts import MIN_SEEDS
from merge_snli.paper.report.report import Report, json_value, make_report
from merge_snli.paper.report.sections import SECTIONS, Settings
from merge_snli.paper.report.table_artifacts import hard_seeds_artifact, majority_artifact
from merge_snli.paper.report.word_artifacts import word_frequency_artifact
from merge_snli.paper.report.write import check_report_folder, inline_svg, write_report
from merge_snli.paper.word_frequency import WordFrequency, word_frequency
from merge_snli.statistics import paired_t_test
from tests.browser import DESK, PHONE, Page, background, errors_of, opened
from tests.merge_snli.leaderboard.test_page import Parsed
from tests.merge_snli.paper.report.conftest import MARKUP
from tests.oracles import refused
from tests.records import files_in
from tests.systems import unprivileged

STYLE = (files("merge_snli.paper.report") / "page" / "report.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(report_folder: Path) -> str:
    return (report_folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(page: str) -> Parsed:
    return Parsed(page)


def test_every_analysis_is_shown_or_has_a_reason_and_names_are_escaped(parsed: Parsed, page: str) -> None:
    text = page.replace("&#39;", "'")
    for section in SECTIONS:
        assert section.title in text
    assert "Figure 7 needs" in text
    assert "give --corpus." in text
    assert "Figure 8 needs" in text
    assert MARKUP not in page
    assert any(MARKUP in text for text in parsed.text)


def values_of(parsed: Parsed, *names: str) -> list[str]:
    """Return the values of the attributes of these names."""
    return [value for _, name, value in parsed.attributes if name in names]


def test_the_page_makes_no_request(parsed: Parsed, page: str) -> None:
    assert "script" not in parsed.tags
    assert values_of(parsed, "src", "srcset", "data", "action") == []
    links = {link for link in values_of(parsed, "href", "xlink:href") if not link.startswith("#")}
    assert links == {"data:,", "https://arxiv.org/abs/2510.24295"}
    assert not re.search(r"url\((?!#)|@import", page)
    assert ("meta", "http-equiv", "Content-Security-Policy") in parsed.attributes


def test_links_ids_and_headings_of_the_page(parsed: Parsed) -> None:
    ids = values_of(parsed, "id")
    assert len(ids) == len(set(ids))
    for link in values_of(parsed, "href", "xlink:href"):
        if link.startswith("#"):
            assert link[1:] in ids
    levels = [int(tag[1]) for tag in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    for before, after in pairwise(levels):
        assert after <= before + 1


def stems_of(folder: Path, *extensions: str) -> set[str]:
    """Return the names of the files of a folder without their extensions; each has all of these."""
    names = {path.name for path in folder.iterdir()}
    stems = {name.rpartition(".")[0] for name in names}
    assert names == {f"{stem}.{extension}" for stem in stems for extension in extensions}
    return stems


def test_every_figure_is_drawn_for_both_widths(parsed: Parsed, report_folder: Path) -> None:
    figures = [value for tag, name, value in parsed.attributes if (tag, name) == ("svg", "aria-label")]
    stems = stems_of(report_folder / "figures", "png", "svg")
    assert len(figures) == 2 * len(stems)
    assert len(set(figures)) == len(stems)
    assert "Pattern accuracy by word class, mean over models" in figures


def test_the_colors_of_lines_are_those_of_the_leaderboard_and_variables_are_defined(page: str) -> None:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    assert re.findall(r"--line-\d: (#[0-9a-f]{6});", light) == [*COLORS]
    script = (files("merge_snli.leaderboard") / "page" / "chart.js").read_text(encoding="utf-8")
    colors = script.split("dark:")[1].split("]")[0]
    assert re.findall(r"--line-\d: (#[0-9a-f]{6});", dark) == re.findall(r'"(#[0-9a-f]{6})"', colors)
    defined = re.findall(r"(--[\w-]+):", shared_style() + STYLE)
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= set(defined)


def test_the_share_of_the_constant_label_is_noted(scored: ScoredDataset) -> None:
    value = replace(majority(scored), constant_share=0.495)
    [table] = majority_artifact(value).tables
    assert "49.5%" in " ".join(table.notes)


def test_an_inline_figure_has_no_color_of_its_own() -> None:
    lines = [Line(f"model {style}", [0.5, 0.4], [0.4, 0.3], [0.6, 0.5], style) for style in range(len(COLORS) + 1)]
    figure = line_figure(lines, (0.9, 1.0), title="<b>title</b>", marked=0.9, start=0.9)
    element = inline_svg(image(figure, "svg", text_as="none").decode(), key="key", label='a "label"')
    assert element.startswith("<svg viewBox=")
    assert 'aria-label="a &quot;label&quot;"' in element
    assert not re.search(r"#[0-9a-f]{6}", element)
    assert "&lt;b&gt;title" in element
    ids = re.findall(r'id="([^"]*)"', element)
    used = re.findall(r"url\(#([^)]*)\)", element)
    assert used
    assert set(used) <= set(ids)
    for name in ids:
        assert name.startswith("key-")
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


def brightness(color: str) -> int:
    """Return the sum of the three numbers of `rgb(…)`."""
    return sum(map(int, color[4:-1].split(",")))


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
        paper = brightness(background(browser))
        text = brightness(ink)
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
    numbers = read_json(report_folder / "report.json")
    [part] = numbers["data_sets"]
    assert part["digest"] == scored.data.stored.digest
    assert part["config"] == "all"
    assert part["models"] == ["by 3", MARKUP]
    analyses = part["analyses"]
    assert [*analyses] == [section.name for section in SECTIONS]
    assert "--fine-tuned-from" in analyses["fine_tuned"]["not_computed"]
    assert "not_computed" in numbers["across_data_sets"]["filter_sets"]
    curves = {curve["models"][0]: curve["mean"] for curve in analyses["model_curves"]["curves"]}
    assert len(curves) == 2
    for model in scored.models:
        assert curves[model.name] == pytest.approx(model.result.scores.curve.mean)


def test_tables_have_three_forms(report_folder: Path) -> None:
    tables = report_folder / "tables"
    stems_of(tables, "csv", "md", "tex")
    [curves] = tables.glob("*-figure-11-curves.csv")
    rows = [*csv.DictReader(curves.read_text(encoding="utf-8").splitlines())]
    assert {row[""] for row in rows} == {"by 3", MARKUP}
    for row in rows:
        assert float(row["PA(0.9)"]) >= float(row["PA(1)"])


def test_equal_reports_have_equal_bytes_and_a_report_is_replaced(written: Path, report: Report) -> None:
    assert read_json(written / "report.json") == report.as_dict()
    before = files_in(written.parent)
    (written / "figures" / "old.svg").write_text("old")
    write_report(report, written, Progress(quiet=True))
    assert files_in(written.parent) == before
    assert [*written.parent.iterdir()] == [written]


def test_a_failure_leaves_the_old_report(written: Path, report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files_in(written.parent)

    def fail(*_: Any) -> str:  # noqa: ANN401
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write, "render_page", fail)
    refused("full", write_report, report, written, Progress(quiet=True))
    assert files_in(written.parent) == before
    assert [*written.parent.iterdir()] == [written]


@unprivileged
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refused("not writable", check_report_folder, tmp_path / "report")


def test_folders_with_other_files_and_files_are_refused(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("years of work")
    refused(r"thesis\.tex", check_report_folder, tmp_path)
    refused("is a file", check_report_folder, thesis)
    refused("is a file", check_report_folder, thesis / "report")


def test_reasons_and_infinite_numbers_as_json() -> None:
    assert json_value(NotComputable("why")) == {"not_computed": "why"}
    assert json_value([float("inf"), float("nan"), 1.5, None, True]) == [None, None, 1.5, None, True]


def artifacts(scored: ScoredDataset) -> dict[str, Artifact]:
    """Return the artifacts of every analysis that can be computed, by name."""
    found = {}
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
    both = of_one.keys() & of_two.keys()
    assert both >= {"table-3", "figure-5-word-classes", "error-drivers"}
    for name in both:
        assert of_one[name].title == of_two[name].title
        assert of_one[name].caption == of_two[name].caption
    assert of_one["figure-5-word-classes"].basis != of_two["figure-5-word-classes"].basis
    assert of_two["figure-4-curves-from-80"].finding.endswith(" Only PA(0.9) is tested, in Table 3.")
    assert "test" not in of_one["figure-4-curves-from-80"].finding, "one model is not tested"


def test_curves_of_few_seeds_are_not_drawn_and_labels_of_tests_differ(of_two: dict[str, Artifact]) -> None:
    pairs = of_two["figure-6-class-pairs"]
    rows = pairs.tables[0].rows
    few = [row[0] for row in rows if isinstance(row[1], int) and row[1] < MIN_SEEDS]
    assert few
    for name in few:
        assert f"{name} (" in pairs.not_drawn
    assert (pairs.draw is None) == (len(few) == len(rows))
    assert not of_two["figure-5-word-classes"].not_drawn
    (table,) = of_two["seeds-against-variants"].tables
    labels = [row[0] for row in table.rows]
    assert len(labels) > 1
    assert len(set(labels)) == len(labels)


def test_the_first_artifact_of_each_section_answers_its_heading(of_two: dict[str, Artifact]) -> None:
    assert " the highest PA(0.9), " in of_two["table-3"].finding
    assert "Mean accuracy" in of_two["seeds-against-variants"].finding
    assert "This is not tested." in of_two["majority-label"].finding


def test_the_finding_on_word_classes_names_the_significant_differences(of_two: dict[str, Artifact]) -> None:
    classes = of_two["figure-5-word-classes"]
    p_values = [str(row[3]) for row in classes.tables[1].rows]
    significant = [p for p in p_values if p.startswith("<") or float(p) < 0.05]
    assert len(p_values) == 3
    assert len(re.findall("p [=<]", classes.finding)) == len(significant)
    assert "does not differ significantly between" in classes.finding
    assert classes.finding.endswith("The p-values are not adjusted.")


def test_notes_on_error_drivers_are_given_once(of_two: dict[str, Artifact]) -> None:
    drivers = of_two["error-drivers"]
    assert drivers.finding.startswith("Significant coefficients of right answers: ")
    table = drivers.tables[0]
    assert "all models" in [row[0] for row in table.rows]
    assert len(set(table.notes)) == len(table.notes)
    left_out = [note.partition(": ")[2] for note in table.notes if " is left out: " in note]
    assert len(set(left_out)) == len(left_out), "each predictor and reason once"


def hard_seeds(never: int, rarely: int) -> HardSeeds:
    seed: JsonObject = dict.fromkeys(("seed_id", "premise", "hypothesis"), "a")
    seed |= {"gold": "neutral", "votes": None, "answers": {}, "variants": 20, "mean_accuracy": 0.0}
    texts = TextNames("question", "sentence_A")
    return HardSeeds(seeds=2222, never_right=(seed,) * never, rarely_right=(seed,) * rarely, texts=texts)


@pytest.mark.parametrize(("never", "rarely"), [(31, 32), (0, 1)])
def test_hard_seeds_are_counted(never: int, rarely: int) -> None:
    artifact = hard_seeds_artifact(hard_seeds(never, rarely))
    assert artifact.basis.startswith(f"{rarely} of 2,222 seeds; {never} ")
    [table] = artifact.tables
    assert len(table.rows) == rarely
    assert [column.header for column in table.columns[1:3]] == ["Question", "Sentence_A"]


def test_without_hard_seeds_there_is_no_table() -> None:
    artifact = hard_seeds_artifact(hard_seeds(0, 0))
    assert artifact.basis.startswith("0 of 2,222 seeds; 0 ")
    assert not artifact.tables


def test_the_mean_word_frequency_is_noted_with_its_models(scored: ScoredDataset) -> None:
    counts = count_corpus(open_corpus("demo:problems"), tagger_of(scored.data.stored.record))
    frequency = replace(word_frequency(scored, counts), mean_ratio_all=2000.0)
    without = replace(frequency, snli_models=(), mean_ratio_snli=None)
    assert "all models" in frequency_note(without, "2,000.0")
    on_snli = replace(frequency, snli_models=("m0",), mean_ratio_snli=1234.5)
    assert "m0" in frequency_note(on_snli, "1,234.5")


def frequency_note(value: WordFrequency, shown: str) -> str:
    """Return the note that shows a number."""
    [table] = word_frequency_artifact(value).tables
    [note] = [note for note in table.notes if shown in note]
    return note


def test_a_table_without_tests_says_why() -> None:
    test = paired_t_test([0.9, 0.7], [0.5, 0.6])
    empty = table_of_tests([])
    assert not empty.rows
    assert "two seeds" in " ".join(empty.notes)
    full = table_of_tests([("nouns − verbs", test, None)])
    assert len(full.rows) == 1
    assert "two seeds" not in " ".join(full.notes)
