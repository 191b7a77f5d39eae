"""Whole reproductions with bundled models: the demo, and the first problems of SNLI test."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from merge_snli.cli import main
from merge_snli.embedded import MASKED_LMS, NLI_MODELS, PREFIX
from merge_snli.paper.reproduction.merge import DEMO_PROBLEMS, OTHER_SETS, plan_reproduction
from merge_snli.paper.reproduction.run import reproduce
from merge_snli.papers.numbers import MERGE, read_paper
from tests.browser import chromium
from tests.conftest import DATA

pytestmark = pytest.mark.slow

ARTIFACTS = read_paper(MERGE).artifacts
SNLI_PROBLEMS = 300
# Not Figure 6: curves of fewer than 10 seeds are not drawn.
FIGURES = ("figure-4", "figure-5", "figure-7", "figure-8", "figure-9", "figure-11")


def cells_of(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    (found,) = [each["cells"] for each in document["artifacts"] if each["name"] == name]
    return list(found)


def test_demo_makes_every_artifact_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", "--demo", "--out", str(out)]) == 0
    assert str(out / "reproduction.html") in capsys.readouterr().out
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
    assert main(["reproduce", "--demo", "--out", str(out)]) == 0
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
