"""The verdict follows from the paper's number, ours and our interval alone."""

from __future__ import annotations

import pytest

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
from merge_snli.papers.numbers import MERGE, PaperCell, read_paper

ARTIFACTS = read_paper(MERGE).artifacts


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
