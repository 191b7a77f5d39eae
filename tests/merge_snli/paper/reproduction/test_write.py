"""Reproductions: their files and verdicts from made-up numbers, the plan and the paper's numbers, and whole runs."""

import json
import re
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, analyze, score
from merge_snli.answers.opening import open_config
from merge_snli.base.errors import as_flags
from merge_snli.base.files import read_json
from merge_snli.cli import command_parser
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.embedded import FOLDER, NLI_MODELS, PREFIX
from merge_snli.models.shapes import shapes
from merge_snli.pairs.lexicon import SHIPPED as LEXICON
from merge_snli.paper.reproduction.estimate import estimate
from merge_snli.paper.reproduction.merge import DEMO_PROBLEMS, OTHER_SETS, PLAIN, Reproduction, plan_reproduction
from merge_snli.paper.reproduction.numbers import HIGHER, better_than_one, score_numbers, table_3_cells
from merge_snli.paper.reproduction.run import check_requirements, missing_packages, reproduce
from merge_snli.paper.reproduction.simple_pair import COLUMNS, plan_simple_pair, template_of
from merge_snli.paper.reproduction.verdict import (
    DIFFERS,
    EQUAL,
    INSIDE,
    NOT_COMPARABLE,
    NOT_COMPUTED,
    OUTSIDE,
    OurNumber,
    Ours,
    check_cell,
    compare,
)
from merge_snli.paper.reproduction.write import grid
from merge_snli.paper.table_3 import table_3
from merge_snli.papers.numbers import MERGE, SIMPLE_PAIR, PaperCell, read_paper
from tests.browser import chromium
from tests.commands import Command
from tests.oracles import BUNDLED, by_length, by_premise, known, missing_from, refused, write_rows, written
from tests.records import copy_bundled

ARTIFACTS = read_paper(MERGE).artifacts


SVG = '<?xml version="1.0"?><svg viewBox="0 0 10 10"><g id="a"><path style="fill: #0072b2"/></g></svg>'


@pytest.fixture
def demo(tmp_path: Path) -> Reproduction:
    return plan_reproduction(tmp_path / "out", demo=True)


def test_page_and_markdown_show_what_the_json_file_has(demo: Reproduction) -> None:
    written(demo.out / "figures" / "figure-5.svg", SVG)
    demo.failed["org/<model> on plain"] = "it has no weights"
    found = OurNumber(value=90.0, interval=(89.25, 91.0))
    ours = {
        "table-3": Ours(cells={("BERT-B-S", "source"): found}, reason="not scored"),
        "figure-5": Ours(files=("figures/figure-5.svg",)),
    }
    demo.write(ours, not_comparable="")
    document = read_json(demo.out / "reproduction.json")
    cell = cells_of(document, "table-3")[0]
    assert (cell["row"], cell["column"]) == ("BERT-B-S", "source")
    assert (cell["paper"], cell["ours"], cell["interval"]) == (90.5, 90.0, [89.25, 91.0])
    assert (cell["verdict"], cell["difference"], cell["reason"]) == ("inside our 95% interval", -0.5, "")
    page, markdown = ((demo.out / f"reproduction.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    for text in (page, markdown):
        assert re.search(r"\b1 of \d+ cells can be compared: 1 inside our 95% interval\.", text)
        assert not missing_from(text, "--preset paper-bart", "--size 100 --per class")
    assert not missing_from(markdown, "| BERT-B-S | 90.5 / 90.0 ✓ | 89.6 / – |", "Not scored.")
    assert not missing_from(page, 'id="figure-5-a"', "var(--line-0)", "org/&lt;model&gt; on plain: it has no weights")
    assert 'title="-0.5, inside our 95% interval, interval 89.2 to 91.0"' in page
    for artifact in ARTIFACTS.values():
        assert not missing_from(page, f'id="{artifact.name}"', artifact.title.replace("'", "&#39;"))
    demo.write({}, not_comparable="bundled models")
    page = (demo.out / "reproduction.html").read_text(encoding="utf-8")
    assert re.search(r"0 of \d+ cells can be compared: bundled models\.", page), "the reason is in the finding"


def steps_for(out: Path, only: Sequence[str] = ()) -> list[str]:
    return [name for name, _ in plan_reproduction(out, only=only, demo=True).steps()]


@pytest.mark.parametrize(
    ("only", "steps"),
    [
        (["table-4"], [f"data set {PLAIN}", "reproduction"]),
        (["table-3"], [f"data set {PLAIN}", f"scores on {PLAIN}", "reproduction"]),
        (["figure-3"], ["reproduction"]),
    ],
)
def test_steps_are_those_that_the_artifacts_need(tmp_path: Path, only: list[str], steps: list[str]) -> None:
    assert steps_for(tmp_path, only) == steps


def test_figure_8_needs_every_step(tmp_path: Path) -> None:
    every = steps_for(tmp_path)
    assert steps_for(tmp_path, ["figure-8"]) == every
    assert every[:7] == [*(f"data set {name}" for name in (PLAIN, *OTHER_SETS)), f"scores on {PLAIN}"]


def test_an_artifact_that_needs_nothing_costs_nothing(tmp_path: Path) -> None:
    run = plan_reproduction(tmp_path, only=["figure-3"])
    assert (run.masked_lms, run.scored_models, missing_packages(run)) == ((), (), [])
    table = estimate(run)
    assert [row[0] for row in table.rows] == ["other steps"]
    assert "0.0 GB to download" in table.notes[0]


def test_sets_of_section_5_4_have_the_seeds_of_the_plain_one(demo: Reproduction) -> None:
    assert demo.set_options(PLAIN) == demo.options
    for name, options in OTHER_SETS.items():
        assert demo.set_options(name) == replace(demo.options, **options, seeds_from=str(demo.folder(PLAIN)))


def test_annotators_labels_are_kept_if_the_problems_have_them(tmp_path: Path) -> None:
    row: dict[str, Any] = {"sentence1": "A dog runs.", "sentence2": "A dog moves.", "gold_label": "entailment"}
    path = write_rows(tmp_path / "snli_test.jsonl", [row])
    assert plan_reproduction(tmp_path / "out", problems=str(path)).options.keep_column == ()
    row[ANNOTATOR_LABELS] = ["entailment", "entailment", "neutral", "", "entailment"]
    write_rows(path, [row])
    assert plan_reproduction(tmp_path / "out", problems=str(path)).options.keep_column == (ANNOTATOR_LABELS,)


def test_what_is_missing_is_said_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    run = plan_reproduction(out, only=["table-3", "figure-10"])
    monkeypatch.setattr("merge_snli.paper.reproduction.run.find_spec", lambda name: None)
    assert not missing_from(str(refused("", reproduce, run)), "BERT-L-S", "peft>=", "openpyxl>=")
    assert not out.exists()


def test_every_model_that_needs_pickle_weights_is_named(demo: Reproduction, tmp_path: Path) -> None:
    models = {}
    for name in ("first", "second"):
        folder = written(tmp_path / name / "config.json", "{}").parent
        written(folder / "vocab.txt", "{}")
        models[str(folder)] = str(folder)
    error = refused("", check_requirements, replace(demo, models=models))
    assert as_flags(error).count("--allow-pickle") == 2


def test_data_sets_of_another_run_and_other_files_are_not_replaced(demo: Reproduction) -> None:
    folder = demo.folder(PLAIN)
    copy_bundled(folder)
    before = (folder / "run.json").read_bytes()
    error = refused("", demo.make_data, PLAIN)
    assert "limit" in str(error) and "--overwrite" in as_flags(error)
    assert (folder / "run.json").read_bytes() == before
    shutil.rmtree(demo.out)
    written(demo.out / "thesis.tex", "")
    refused(r"thesis\.tex", reproduce, demo)


def test_estimates_know_every_model(tmp_path: Path) -> None:
    paper = plan_reproduction(tmp_path)
    assert {*paper.models, *paper.options.mlm} < {*shapes()}
    assert paper.pairs(9_824) == round(2_222 * 77.4) + 380_000 * 3 + 190_000 * 2 + 9_824
    assert plan_reproduction(tmp_path, only=["table-3"]).pairs(4_912) == (round(2_222 * 77.4) + 9_824) // 2
    for name in ("mlm-wordpiece", "mlm-bpe", "nli-a", "nli-b"):
        config = read_json(FOLDER / name / "config.json")
        keys = ("num_hidden_layers", "hidden_size", "intermediate_size", "vocab_size")
        assert [*shapes()[f"demo:{name}"].values()][:4] == [config[key] for key in keys]


def test_the_commands_for_what_is_not_computed_are_accepted() -> None:
    commands = [line for artifact in ARTIFACTS.values() for line in artifact.commands]
    assert len(commands) == 4
    for line in commands:
        command_parser([line.split()[1]]).parse_args(line.split()[1:])


@pytest.mark.parametrize(
    ("value", "interval", "mark"),
    [
        (90.52, (80.0, 95.0), "="),
        (88.0, (85.0, 91.0), "✓"),
        (88.0, (87.0, 89.0), "▼"),
        (93.0, (92.0, 94.0), "▲"),
        (88.0, None, "≠"),
        (None, None, ""),
    ],
)
def test_marks_say_what_the_verdict_is(value: float | None, interval: tuple[float, float] | None, mark: str) -> None:
    cells = {("BERT-B-S", "source"): OurNumber(value=value, interval=interval)}
    assert grid(compare(ARTIFACTS["table-3"], Ours(cells=cells)))["BERT-B-S"][0]["mark"] == mark


@pytest.mark.parametrize(
    ("paper", "found", "precision", "verdict", "difference"),
    [
        (90.5, OurNumber(value=90.46), None, EQUAL, -0.04),
        (90.5, OurNumber(value=90.44), None, DIFFERS, -0.06),
        (90.5, OurNumber(value=90.0, interval=(89.0, 91.0)), None, INSIDE, -0.5),
        (90.5, OurNumber(value=89.0, interval=(88.0, 90.0)), None, OUTSIDE, -1.5),
        (-4.9, OurNumber(value=-4.88, interval=(-4.89, -4.87)), None, EQUAL, 0.02),
        (5781, OurNumber(value=5780.6), None, EQUAL, -0.4),
        (190_000, OurNumber(value=193_000), 10_000, EQUAL, 3_000),
        (190_000, OurNumber(value=196_000), 10_000, DIFFERS, 6_000),
        ("yes", OurNumber(value="yes"), None, EQUAL, None),
        ("yes", OurNumber(value="no"), None, DIFFERS, None),
        (90.5, OurNumber(value=float("nan")), None, NOT_COMPUTED, None),
        (90.5, None, None, NOT_COMPUTED, None),
        (None, OurNumber(value=1), None, NOT_COMPARABLE, None),
    ],
)
def test_verdict(
    paper: PaperCell | None, found: OurNumber | None, precision: float | None, verdict: str, difference: float | None
) -> None:
    cell = check_cell(paper, found, precision=precision)
    assert cell["verdict"] == verdict
    assert cell["difference"] == pytest.approx(difference)
    assert bool(cell["reason"]) == (verdict in (NOT_COMPARABLE, NOT_COMPUTED))
    other = check_cell(paper, found, precision=precision, not_comparable="a demo")
    assert (other["verdict"], other["reason"], other["difference"]) == (NOT_COMPARABLE, "a demo", None)


def test_a_number_that_the_paper_lacks_has_the_precision_of_its_column() -> None:
    """MT is in whole percents in the paper, also beside a model that it does not have."""
    cells = {("ours", "MT"): OurNumber(value=90.0), ("ours", "QT"): OurNumber(value=-4.25, interval=(-5.0, -1.0))}
    rows = grid(compare(ARTIFACTS["table-3"], Ours(cells=cells)))
    shown = {cell["column"]: cell["ours"] for cell in rows["ours"]}
    assert (shown["MT"], shown["QT"]) == ("90", "-4.2")
    assert {cell["paper"] for cell in rows["BERT-B-S"]} == {"90.5", "89.6", "88.9", "-4.9", "59"}


@pytest.mark.parametrize(("base", "large", "verdict"), [("yes", "no", "yes"), ("no", "no", "no"), ("yes", "yes", "no")])
def test_the_smaller_roberta_is_better_than_one_bert(base: str, large: str, verdict: str) -> None:
    cells = {
        ("RoBERTa-B-S − BERT-B-S", HIGHER): OurNumber(value=base),
        ("RoBERTa-B-S − BERT-L-S", HIGHER): OurNumber(value=large),
    }
    [((row, _), number)] = better_than_one(cells).items()
    assert row in ARTIFACTS["section-5.1"].rows
    assert number.value == verdict
    assert better_than_one({}) == {}


def test_a_number_with_an_undecided_unit_has_no_verdict() -> None:
    artifact = ARTIFACTS["section-5.5"]
    [(row, reason)] = artifact.undecided.items()
    cells = {(each, "value"): OurNumber(value=values[0]) for each, values in artifact.rows.items()}
    for cell in compare(artifact, Ours(cells=cells))["cells"]:
        expected = (NOT_COMPARABLE, reason) if cell["row"] == row else (EQUAL, "")
        assert (cell["verdict"], cell["reason"]) == expected


def test_every_cell_is_there_and_says_why_it_is_not_computed() -> None:
    for artifact in ARTIFACTS.values():
        document = compare(artifact, Ours(reason="the models were not scored"))
        cells = {(cell["row"], cell["column"]) for cell in document["cells"]}
        assert cells == {*product(artifact.rows, artifact.columns)}
        for cell in document["cells"]:
            assert cell["verdict"] == NOT_COMPUTED
        assert cells or document["not_computed"]


def test_our_rows_that_the_paper_does_not_have_are_shown() -> None:
    ours = Ours(cells={("my-model", "seeds"): OurNumber(value=80.0), ("my-model", "other"): OurNumber(value=1)})
    [cell] = [cell for cell in compare(ARTIFACTS["table-3"], ours)["cells"] if cell["row"] == "my-model"]
    assert (cell["column"], cell["ours"], cell["verdict"]) == ("seeds", 80.0, NOT_COMPARABLE)


SIMPLE_PAPER = read_paper(SIMPLE_PAIR)


def test_rows_and_columns_are_known() -> None:
    models = ("BERT-b", "BERT-l", "RoBERTa-b", "RoBERTa-l", "DeBERTa-b", "DeBERTa-l")
    expected = {f"{model}-{data}" for model, data in product(models, ("MNLI", "aug-MNLI", "SNLI", "aug-SNLI"))}
    rows: set[str] = set()
    columns: set[str] = set()
    for artifact in SIMPLE_PAPER.artifacts.values():
        rows.update(artifact.rows)
        columns.update(artifact.columns)
    assert rows == expected
    assert {*SIMPLE_PAPER.models} < rows and {*SIMPLE_PAPER.models.values()} < {*shapes()}
    templates = tomllib.loads((LEXICON / "templates.toml").read_text(encoding="utf-8"))
    conjunctions = {name for name, template in templates.items() if template["config"] == "conjunction"}
    assert {template_of(column) for column in columns - {*COLUMNS}} == conjunctions


def test_number_of_pairs_is_the_papers(tmp_path: Path) -> None:
    _, _, pairs, seconds = plan_simple_pair(tmp_path).work()
    assert pairs == 56_000 + 28_000 + 128_000 + 12_000 and seconds > 30
    assert plan_simple_pair(tmp_path, only=["table-5"], limit=100).work()[2] == 300


def test_dry_run(command: Command) -> None:
    printed = command("reproduce", "--paper", "simple-pair", "--demo", "--dry-run").out
    assert "nli-a" in printed and f"{plan_simple_pair(Path(), demo=True).work()[2]:,}" in printed
    assert not re.search(r"other steps .* 0\.0 s", printed)


@pytest.mark.slow
def test_demo_has_every_cell_and_resumes(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out"
    options = ["--demo", "--out", out, "--models", "BERT-b-SNLI=demo:nli-b"]
    command("reproduce", "--paper", "simple-pair", *options)
    content = (out / "reproduction.json").read_bytes()
    document = json.loads(content)
    assert document["failed"] == {}
    page = (out / "reproduction.html").read_text(encoding="utf-8")
    for each, artifact in zip(document["artifacts"], SIMPLE_PAPER.artifacts.values(), strict=True):
        cells = {(cell["row"], cell["column"]): cell["ours"] for cell in each["cells"]}
        assert {*product(artifact.rows, artifact.columns)} <= {*cells}
        for column in artifact.columns:
            assert 0 <= cells["demo:nli-a", column] <= 100
            if "BERT-b-SNLI" in artifact.rows:
                assert cells["BERT-b-SNLI", column] == cells["demo:nli-b", column]
                assert cells["BERT-l-SNLI", column] is None
        assert bool(artifact.columns) != bool(each["not_computed"])
        assert artifact.title in page
    assert "not the authors&#39; word lists" in page
    command("reproduce", "--paper", "simple-pair", *options)
    assert (out / "reproduction.json").read_bytes() == content


# Not Figure 6: curves of fewer than 10 seeds are not drawn.
FIGURES = ("figure-4", "figure-5", "figure-7", "figure-8", "figure-9", "figure-11")


def cells_of(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    (found,) = [each["cells"] for each in document["artifacts"] if each["name"] == name]
    return list(found)


@pytest.mark.slow
def test_demo_makes_every_artifact_and_resumes(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out"
    assert str(out / "reproduction.html") in command("reproduce", "--demo", "--out", out).out
    content = (out / "reproduction.json").read_bytes()
    document = json.loads(content)
    assert (document["failed"], [each["name"] for each in document["artifacts"]]) == ({}, [*ARTIFACTS])
    assert {cell["verdict"] for each in document["artifacts"] for cell in each["cells"]} == {"not comparable"}
    for each in document["artifacts"]:
        printed = {(row, column) for row in ARTIFACTS[each["name"]].rows for column in ARTIFACTS[each["name"]].columns}
        assert printed <= {(cell["row"], cell["column"]) for cell in each["cells"]}
        assert bool(each["figure"]) == (each["name"] in FIGURES)
    ours = {cell["row"] for cell in cells_of(document, "table-3") if cell["ours"] is not None}
    assert ours == {PREFIX + name for name in NLI_MODELS}
    (problems,) = [cell["ours"] for cell in cells_of(document, "table-4")[:1]]
    assert 0 < problems <= DEMO_PROBLEMS
    assert all(cell["ours"] for cell in cells_of(document, "figure-8"))
    assert {path.stem for path in (out / "sheets").glob("*.xlsx")} == {"annotator-1", "annotator-2"}
    report = read_json(out / "report" / "report.json")
    (row,) = [each for each in report["data_sets"][0]["analyses"]["table_3"]["rows"] if each["model"] == "demo:nli-a"]
    (cell,) = [cell for cell in cells_of(document, "table-3") if (cell["row"], cell["column"]) == ("demo:nli-a", "QT")]
    assert cell["ours"] == pytest.approx(100 * row["qt"])
    command("reproduce", "--demo", "--out", out)
    assert (out / "reproduction.json").read_bytes() == content
    with chromium("--window-size=500,900") as browser:
        browser.get((out / "reproduction.html").as_uri())
        assert not browser.get_log("browser")
        width = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert browser.execute_script(width)
        assert browser.execute_script("return document.querySelectorAll('section[id]').length") == len(ARTIFACTS)


OUR_MODELS = {"BERT-B-S": "textattack/bert-base-uncased-snli", "RoBERTa-B-S": "pepa/roberta-base-snli"}


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Two functions that pass for models of the paper; the second has another way to be wrong."""
    scored = []
    for function, (short, name) in zip((by_length, by_premise(5)), OUR_MODELS.items(), strict=True):
        result = score(function, BUNDLED, config="adj", name=short)
        scored.append(replace(result, model=replace(result.model, name=name)))
    return scored


@pytest.mark.slow
def test_a_changed_score_changes_its_verdict(results: list[Result], tmp_path: Path) -> None:
    def verdicts(ours: Ours) -> dict[tuple[str, str], str]:
        return {(cell["row"], cell["column"]): cell["verdict"] for cell in compare(ARTIFACTS["table-3"], ours)["cells"]}

    ours = score_numbers(analyze(results, [BUNDLED]), results, tmp_path)
    scores = results[0].scores
    cells = ours["table-3"].cells
    assert cells["BERT-B-S", "QT"].value == pytest.approx(100 * known(scores.qt))
    low, high = known(known(scores.intervals).qt)
    assert cells["BERT-B-S", "QT"].interval == pytest.approx([100 * low, 100 * high])
    assert cells["BERT-B-S", "MT"].interval is None
    assert {row for row, _ in cells} == {*OUR_MODELS}
    lower = replace(scores.pattern_accuracy, mean=known(scores.seed_accuracy) - 0.049)
    changed = replace(results[0], scores=replace(scores, pattern_accuracy=lower, qt=-0.049))
    scored = scored_dataset(open_config(BUNDLED, "adj"), [changed, results[1]])
    before = verdicts(ours["table-3"])
    after = verdicts(replace(ours["table-3"], cells=table_3_cells(table_3(scored))))
    assert [key for key in before if after[key] != before[key]] == [("BERT-B-S", "QT")]
    assert after["BERT-B-S", "QT"] == EQUAL
    assert ours["table-8"].cells["RoBERTa-B-S", "model card"].value == OUR_MODELS["RoBERTa-B-S"]
    assert ours["section-5.1"].cells["BERT-B-S − RoBERTa-B-S", "significantly higher"].value in ("yes", "no")
    drawn = {name: each.files for name, each in ours.items() if each.files}
    assert {"figure-4", "figure-11"} <= {*drawn} <= {"figure-4", "figure-7", "figure-11"}
    for file in chain.from_iterable(drawn.values()):
        assert (tmp_path / file).is_file()
    for name in ("figure-5", "figure-6", "figure-8"):
        assert name.replace("-", " ").capitalize() in ours[name].reason
