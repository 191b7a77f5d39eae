"""Our numbers on models against the results that they come from, and a changed score that changes its verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from merge_snli import Result, score
from merge_snli.comparison.scored_dataset import scored_dataset
from merge_snli.embedded import FOLDER
from merge_snli.models.labels import Pair
from merge_snli.paper.report.analyze import analyze
from merge_snli.paper.reproduction.numbers import score_numbers, table_3_cells
from merge_snli.paper.reproduction.verdict import compare
from merge_snli.paper.table_3 import table_3
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.scoring.opening import open_config

pytestmark = pytest.mark.slow

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
    report = analyze(results, [SHIPPED])
    ours = score_numbers(report, results, tmp_path)
    scores = results[0].scores
    cells = ours["table-3"].cells
    assert scores.qt is not None and scores.intervals is not None and scores.intervals.qt is not None
    assert cells["BERT-B-S", "QT"].value == pytest.approx(100 * scores.qt)
    assert cells["BERT-B-S", "QT"].interval == pytest.approx([100 * end for end in scores.intervals.qt])
    assert cells["BERT-B-S", "MT"].interval is None
    assert {row for row, _ in cells} == {*MODELS}
    before = {(cell["row"], cell["column"]): cell["verdict"] for cell in compare(artifact, ours["table-3"])["cells"]}
    assert scores.seed_accuracy is not None
    lower = replace(scores.pattern_accuracy, mean=scores.seed_accuracy - 0.049)
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
