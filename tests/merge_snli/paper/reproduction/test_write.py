"""The files of a reproduction from made-up numbers, what the run checks before it starts, and verdicts."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError, as_flags
from merge_snli.cli import command_parser
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.embedded import FOLDER
from merge_snli.paper.reproduction.estimate import estimate, shapes
from merge_snli.paper.reproduction.merge import OTHER_SETS, PLAIN, Reproduction, plan_reproduction
from merge_snli.paper.reproduction.run import check_requirements, missing_packages, reproduce
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
from merge_snli.papers.numbers import MERGE, PaperCell, read_paper
from tests.commands import Command
from tests.oracles import refused

ARTIFACTS = read_paper(MERGE).artifacts
SVG = '<?xml version="1.0"?><svg viewBox="0 0 10 10"><g id="a"><path style="fill: #0072b2"/></g></svg>'


@pytest.fixture
def demo(tmp_path: Path) -> Reproduction:
    return plan_reproduction(tmp_path / "out", demo=True)


def test_page_and_markdown_show_what_the_json_file_has(demo: Reproduction) -> None:
    figure = demo.out / "figures" / "figure-5.svg"
    figure.parent.mkdir(parents=True)
    figure.write_text(SVG, encoding="utf-8")
    demo.failed["org/<model> on plain"] = "it has no weights"
    found = OurNumber(value=90.0, interval=(89.25, 91.0))
    ours = {
        "table-3": Ours(cells={("BERT-B-S", "source"): found}, reason="not scored"),
        "figure-5": Ours(files=("figures/figure-5.svg",)),
    }
    demo.write(ours, not_comparable="")
    document = json.loads((demo.out / "reproduction.json").read_text(encoding="utf-8"))
    (table_3,) = [each for each in document["artifacts"] if each["name"] == "table-3"]
    assert table_3["cells"][0] == {
        "row": "BERT-B-S",
        "column": "source",
        "paper": 90.5,
        "ours": 90.0,
        "interval": [89.25, 91.0],
        "difference": -0.5,
        "verdict": "inside our 95% interval",
        "reason": "",
    }
    page, markdown = ((demo.out / f"reproduction.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    in_markdown = ["| BERT-B-S | 90.5 / 90.0 ✓ | 89.6 / – |", "Not scored."]
    in_page = [
        "org/&lt;model&gt; on plain: it has no weights",
        'title="-0.5, inside our 95% interval, interval 89.2 to 91.0"',
        'id="figure-5-a"',
        "var(--line-0)",
    ]
    for artifact in ARTIFACTS.values():
        in_page += [f'id="{artifact.name}"', artifact.title.replace("'", "&#39;")]
    for text, shown in ((page, in_page), (markdown, in_markdown)):
        assert re.search(r"\b1 of \d+ cells can be compared: 1 inside our 95% interval\.", text)
        both = ["--preset paper-bart", "--size 100 --per class"]
        assert [part for part in (*shown, *both) if part not in text] == []
    demo.write({}, not_comparable="bundled models")
    page = (demo.out / "reproduction.html").read_text(encoding="utf-8")
    assert re.search(r"0 of \d+ cells can be compared: bundled models\.", page), "the reason is in the finding"


@pytest.mark.parametrize(
    ("only", "steps"),
    [
        (["table-4"], [f"data set {PLAIN}", "reproduction"]),
        (["table-3"], [f"data set {PLAIN}", f"scores on {PLAIN}", "reproduction"]),
        (["figure-3"], ["reproduction"]),
    ],
)
def test_steps_are_those_that_the_artifacts_need(tmp_path: Path, only: list[str], steps: list[str]) -> None:
    assert [name for name, _ in plan_reproduction(tmp_path, only=only, demo=True).steps()] == steps
    every, of_figure_8 = (
        [name for name, _ in plan_reproduction(tmp_path, only=names, demo=True).steps()] for names in ((), ["figure-8"])
    )
    assert every == of_figure_8
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
    row = {"sentence1": "A dog runs.", "sentence2": "A dog moves.", "gold_label": "entailment"}
    labels = ["entailment", "entailment", "neutral", "", "entailment"]
    for extra, kept in (({}, ()), ({ANNOTATOR_LABELS: labels}, (ANNOTATOR_LABELS,))):
        path = tmp_path / "snli_test.jsonl"
        path.write_text(json.dumps(row | extra) + "\n", encoding="utf-8")
        assert plan_reproduction(tmp_path / "out", problems=str(path)).options.keep_column == kept


def test_what_is_missing_is_said_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    run = plan_reproduction(out, only=["table-3", "figure-10"])
    monkeypatch.setattr("merge_snli.paper.reproduction.run.find_spec", lambda name: None)
    with pytest.raises(InputError) as error:
        reproduce(run)
    message = str(error.value)
    assert "BERT-L-S" in message and "peft>=" in message and "openpyxl>=" in message
    assert not out.exists()
    assert missing_packages(plan_reproduction(out, only=["table-2"], demo=True))[0].startswith("matplotlib")


def test_every_model_that_needs_pickle_weights_is_named(demo: Reproduction, tmp_path: Path) -> None:
    models = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("config.json", "vocab.txt"):
            (folder / file).write_text("{}", encoding="utf-8")
        models.append(str(folder))
    with pytest.raises(InputError) as error:
        check_requirements(replace(demo, models={name: name for name in models}))
    assert as_flags(error.value).count("--allow-pickle") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--demo"], "--out is missing"),
        (["--demo", "--only", "table-33"], "--only has 'table-33'"),
        (["snli", "--demo"], "--demo has its own problems: remove PROBLEMS"),
        (["--demo", "--corpus", "snli"], "--demo has its own problems: remove --corpus"),
        (["--only", "", "--dry-run"], "--only names nothing"),
    ],
)
def test_bad_options(arguments: list[str], message: str, tmp_path: Path, command: Command) -> None:
    out = [] if "missing" in message else ["--out", str(tmp_path / "out")]
    assert message in command("reproduce", *arguments, *out, code=2).err


def test_data_sets_of_another_run_and_other_files_are_not_replaced(demo: Reproduction) -> None:
    folder = demo.folder(PLAIN)
    shutil.copytree(FOLDER.parent / "data", folder / "data")
    for file in ("run.json", "README.md"):
        shutil.copy(FOLDER.parent / file, folder / file)
    before = (folder / "run.json").read_bytes()
    with pytest.raises(InputError) as error:
        demo.make_data(PLAIN)
    assert "limit" in str(error.value) and "--overwrite" in as_flags(error.value)
    assert (folder / "run.json").read_bytes() == before
    shutil.rmtree(demo.out)
    demo.out.mkdir()
    (demo.out / "thesis.tex").touch()
    refused(r"thesis\.tex", reproduce, demo)


def test_estimates_know_every_model(tmp_path: Path) -> None:
    paper = plan_reproduction(tmp_path)
    assert {*paper.models, *paper.options.mlm} < {*shapes()}
    assert paper.pairs(9_824) == round(2_222 * 77.4) + 380_000 * 3 + 190_000 * 2 + 9_824
    assert plan_reproduction(tmp_path, only=["table-3"]).pairs(4_912) == (round(2_222 * 77.4) + 9_824) // 2
    for name in ("mlm-wordpiece", "mlm-bpe", "nli-a", "nli-b"):
        config = json.loads((FOLDER / name / "config.json").read_text(encoding="utf-8"))
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
    document = compare(
        ARTIFACTS["table-3"], Ours(cells={("BERT-B-S", "source"): OurNumber(value=value, interval=interval)})
    )
    assert grid(document)["BERT-B-S"][0]["mark"] == mark


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
    cell = check_cell("a", "b", paper, found, precision=precision)
    assert (cell["verdict"], cell["difference"]) == (verdict, None if difference is None else pytest.approx(difference))
    assert bool(cell["reason"]) == (verdict in (NOT_COMPARABLE, NOT_COMPUTED))
    other = check_cell("a", "b", paper, found, precision=precision, not_comparable="a demo")
    assert (other["verdict"], other["reason"], other["difference"]) == (NOT_COMPARABLE, "a demo", None)


def test_a_number_with_an_undecided_unit_has_no_verdict() -> None:
    artifact = ARTIFACTS["section-5.5"]
    [(row, reason)] = artifact.undecided.items()
    cells = {(each, "value"): OurNumber(value=values[0]) for each, values in artifact.rows.items()}
    verdicts = {
        cell["row"]: (cell["verdict"], cell["reason"]) for cell in compare(artifact, Ours(cells=cells))["cells"]
    }
    assert verdicts.pop(row) == (NOT_COMPARABLE, reason)
    assert {*verdicts.values()} == {(EQUAL, "")}


def test_one_changed_score_changes_one_verdict() -> None:
    artifact = ARTIFACTS["table-3"]
    printed = {
        (row, column): OurNumber(value=cell, interval=(float(cell) - 0.5, float(cell) + 0.5))
        for row, cells in artifact.rows.items()
        for column, cell in zip(artifact.columns, cells, strict=True)
    }
    changed = ("XLNet-L-SMFA", "variants")
    for shift, verdict in ((0.0, EQUAL), (-0.3, INSIDE), (-0.8, OUTSIDE)):
        value = float(artifact.rows[changed[0]][2]) + shift
        ours = printed | {changed: OurNumber(value=value, interval=(value - 0.5, value + 0.5))}
        cells = compare(artifact, Ours(cells=ours))["cells"]
        verdicts = {(cell["row"], cell["column"]): cell["verdict"] for cell in cells}
        assert verdicts.pop(changed) == verdict
        assert {*verdicts.values()} == {EQUAL} and len(verdicts) == 13 * 5 - 1


def test_every_cell_is_there_and_says_why_it_is_not_computed() -> None:
    for artifact in ARTIFACTS.values():
        document = compare(artifact, Ours(reason="the models were not scored"))
        cells = {(cell["row"], cell["column"]) for cell in document["cells"]}
        assert cells == {(row, column) for row in artifact.rows for column in artifact.columns}
        assert {cell["verdict"] for cell in document["cells"]} <= {NOT_COMPUTED}
        assert cells or document["not_computed"]


def test_our_rows_that_the_paper_does_not_have_are_shown() -> None:
    ours = Ours(cells={("my-model", "seeds"): OurNumber(value=80.0), ("my-model", "other"): OurNumber(value=1)})
    shown = [cell for cell in compare(ARTIFACTS["table-3"], ours)["cells"] if cell["row"] == "my-model"]
    assert [(cell["column"], cell["ours"], cell["verdict"]) for cell in shown] == [("seeds", 80.0, NOT_COMPARABLE)]
