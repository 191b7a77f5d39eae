"""The files of a reproduction from made-up numbers, and what the run checks before it starts."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError, as_flags
from merge_snli.cli import command_parser, main
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.embedded import FOLDER
from merge_snli.paper.reproduction.estimate import estimate, shapes
from merge_snli.paper.reproduction.merge import OTHER_SETS, PLAIN, Reproduction, plan_reproduction
from merge_snli.paper.reproduction.run import check_requirements, missing_packages, reproduce
from merge_snli.paper.reproduction.verdict import OurNumber, Ours, compare
from merge_snli.paper.reproduction.write import grid
from merge_snli.papers.numbers import MERGE, read_paper

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
    markdown = (demo.out / "reproduction.md").read_text(encoding="utf-8")
    assert "| BERT-B-S | 90.5 / 90.0 ✓ | 89.6 / – |" in markdown
    assert "Not scored." in markdown
    page = (demo.out / "reproduction.html").read_text(encoding="utf-8")
    assert "org/&lt;model&gt; on plain: it has no weights" in page
    assert 'title="-0.5, inside our 95% interval, interval 89.2 to 91.0"' in page
    for text in (page, markdown):
        assert re.search(r"\b1 of \d+ cells can be compared: 1 inside our 95% interval\.", text)
    for text in (page, markdown):
        assert "--preset paper-bart" in text and "--size 100 --per class" in text
    assert 'id="figure-5-a"' in page and "var(--line-0)" in page
    for artifact in read_paper(MERGE).artifacts.values():
        assert f'id="{artifact.name}"' in page and artifact.title.replace("'", "&#39;") in page


def test_steps_are_those_that_the_artifacts_need(tmp_path: Path) -> None:
    def names(*only: str) -> list[str]:
        return [name for name, _ in plan_reproduction(tmp_path, only=only, demo=True).steps()]

    assert names("table-4") == [f"data set {PLAIN}", "reproduction"]
    assert names("table-3") == [f"data set {PLAIN}", f"scores on {PLAIN}", "reproduction"]
    every = [f"data set {PLAIN}", *(f"data set {name}" for name in OTHER_SETS)]
    assert names("figure-8")[:7] == [*every, f"scores on {PLAIN}"]
    assert names("figure-8") == names()
    assert names("figure-3") == ["reproduction"]


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
    ],
)
def test_bad_options(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = [] if "missing" in message else ["--out", str(tmp_path / "out")]
    assert main(["reproduce", *arguments, *out]) == 2
    assert message in capsys.readouterr().err


def test_other_files_are_not_written_beside(demo: Reproduction) -> None:
    demo.out.mkdir()
    (demo.out / "thesis.tex").touch()
    with pytest.raises(InputError, match=r"thesis\.tex"):
        reproduce(demo)


def test_data_sets_of_another_run_are_not_replaced(demo: Reproduction) -> None:
    folder = demo.folder(PLAIN)
    folder.parent.mkdir(parents=True)
    shutil.copytree(FOLDER.parent / "data", folder / "data")
    for file in ("run.json", "README.md"):
        shutil.copy(FOLDER.parent / file, folder / file)
    before = (folder / "run.json").read_bytes()
    with pytest.raises(InputError) as error:
        demo.make_data(PLAIN)
    assert "limit" in str(error.value) and "--overwrite" in as_flags(error.value)
    assert (folder / "run.json").read_bytes() == before


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
    commands = [line for artifact in read_paper(MERGE).artifacts.values() for line in artifact.commands]
    assert len(commands) == 4
    for line in commands:
        command_parser([line.split()[1]]).parse_args(line.split()[1:])


def test_an_empty_choice_is_not_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--only", "", "--dry-run"]) == 2
    assert "--only names nothing" in capsys.readouterr().err


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
    (artifact,) = (one for one in read_paper(MERGE).artifacts.values() if one.name == "table-3")
    document = compare(artifact, Ours(cells={("BERT-B-S", "source"): OurNumber(value=value, interval=interval)}))
    assert grid(document)["BERT-B-S"][0]["mark"] == mark


def test_without_a_comparison_the_reason_stands_in_the_finding(demo: Reproduction) -> None:
    demo.write({}, not_comparable="bundled models")
    page = (demo.out / "reproduction.html").read_text(encoding="utf-8")
    assert re.search(r"0 of \d+ cells can be compared: bundled models\.", page)
