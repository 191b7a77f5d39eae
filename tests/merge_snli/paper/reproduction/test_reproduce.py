"""Whole reproductions with bundled models: the demo, and the first problems of SNLI test."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli import Result, analyze, score
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS, PREFIX
from merge_snli.models.labels import Pair
from merge_snli.paper.reproduction.merge import DEMO_PROBLEMS, OTHER_SETS, plan_reproduction
from merge_snli.paper.reproduction.numbers import score_numbers, table_3_cells
from merge_snli.paper.reproduction.run import reproduce
from merge_snli.paper.reproduction.verdict import compare
from merge_snli.paper.table_3 import table_3
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.scoring.opening import open_config
from tests.browser import chromium
from tests.commands import Command
from tests.conftest import DATA
from tests.oracles import known

pytestmark = pytest.mark.slow


ARTIFACTS = read_paper(MERGE).artifacts


SNLI_PROBLEMS = 300


# Not Figure 6: curves of fewer than 10 seeds are not drawn.
FIGURES = ("figure-4", "figure-5", "figure-7", "figure-8", "figure-9", "figure-11")


def cells_of(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    (found,) = [each["cells"] for each in document["artifacts"] if each["name"] == name]
    return list(found)


def test_demo_makes_every_artifact_and_resumes(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "out"
    assert str(out / "reproduction.html") in command("reproduce", "--demo", "--out", out).out
    content = (out / "reproduction.json").read_bytes()
    document = json.loads(content)
    assert document["failed"] == {}
    assert [each["name"] for each in document["artifacts"]] == [*ARTIFACTS]
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
    report = json.loads((out / "report" / "report.json").read_text(encoding="utf-8"))
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


def test_first_problems_of_snli_test_with_bundled_models(tmp_path: Path) -> None:
    problems = DATA / "snli" / "test.jsonl"
    if not problems.is_file():
        pytest.skip(f"{problems} was not found")
    planned = plan_reproduction(
        tmp_path / "out",
        problems=str(problems),
        limit=SNLI_PROBLEMS,
        only=["table-2", "table-3", "table-4", "table-10"],
    )
    masked_lms, models = (tuple(PREFIX + name for name in names) for names in (MASKED_LMS, NLI_MODELS))
    options = replace(planned.options, mlm=masked_lms)
    run = replace(planned, options=options, masked_lms=masked_lms, models={name: name for name in models})
    document = reproduce(run)
    assert document["not_comparable"] == f"only the first {SNLI_PROBLEMS} problems"
    assert document["failed"] == {}
    assert not (run.out / "data" / next(iter(OTHER_SETS))).exists()
    seeds = {cell["row"]: cell["ours"] for cell in cells_of(document, "table-2") if cell["column"] == "seeds"}
    assert 0 < seeds["noun"] <= seeds["all"] <= SNLI_PROBLEMS
    verdicts = Counter(cell["verdict"] for each in document["artifacts"] for cell in each["cells"])
    assert [*verdicts] == ["not comparable"]
    (source,) = [
        cell["ours"]
        for cell in cells_of(document, "table-3")
        if (cell["row"], cell["column"]) == ("demo:nli-a", "source")
    ]
    assert 50 < source < 100


SHIPPED = FOLDER.parent


MODELS = {"BERT-B-S": "textattack/bert-base-uncased-snli", "RoBERTa-B-S": "pepa/roberta-base-snli"}


def by_length(pairs: list[Pair]) -> list[int]:
    return [len(premise) % 3 for premise, _ in pairs]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Two functions that pass for models of the paper; the second has another way to be wrong."""
    functions = (by_length, lambda pairs: [len(hypothesis) % 5 % 3 for _, hypothesis in pairs])
    scored = [
        score(function, SHIPPED, config="adj", name=name) for name, function in zip(MODELS, functions, strict=True)
    ]
    return [
        replace(result, model=replace(result.model, name=name))
        for result, name in zip(scored, MODELS.values(), strict=True)
    ]


def test_a_changed_score_changes_its_verdict(results: list[Result], tmp_path: Path) -> None:
    artifact = read_paper(MERGE).artifacts["table-3"]
    ours = score_numbers(analyze(results, [SHIPPED]), results, tmp_path)
    scores = results[0].scores
    cells = ours["table-3"].cells
    assert scores.qt is not None and scores.intervals is not None and scores.intervals.qt is not None
    assert cells["BERT-B-S", "QT"].value == pytest.approx(100 * scores.qt)
    assert cells["BERT-B-S", "QT"].interval == pytest.approx([100 * end for end in scores.intervals.qt])
    assert cells["BERT-B-S", "MT"].interval is None
    assert {row for row, _ in cells} == {*MODELS}
    before = {(cell["row"], cell["column"]): cell["verdict"] for cell in compare(artifact, ours["table-3"])["cells"]}
    lower = replace(scores.pattern_accuracy, mean=known(scores.seed_accuracy) - 0.049)
    changed = replace(results[0], scores=replace(scores, pattern_accuracy=lower, qt=-0.049))
    scored = scored_dataset(open_config(SHIPPED, "adj"), [changed, results[1]])
    found = replace(ours["table-3"], cells=table_3_cells(table_3(scored)))
    after = {(cell["row"], cell["column"]): cell["verdict"] for cell in compare(artifact, found)["cells"]}
    different = {key: (verdict, after[key]) for key, verdict in before.items() if after[key] != verdict}
    assert different == {("BERT-B-S", "QT"): (before["BERT-B-S", "QT"], "equal")}
    assert ours["table-8"].cells["RoBERTa-B-S", "model card"].value == MODELS["RoBERTa-B-S"]
    assert ours["section-5.1"].cells["BERT-B-S − RoBERTa-B-S", "significantly higher"].value in ("yes", "no")
    drawn = {name: each.files for name, each in ours.items() if each.files}
    assert {"figure-4", "figure-11"} <= {*drawn} <= {"figure-4", "figure-7", "figure-11"}
    assert all((tmp_path / file).is_file() for files in drawn.values() for file in files)
    for name in ("figure-5", "figure-6", "figure-8"):
        assert name.replace("-", " ").capitalize() in ours[name].reason
