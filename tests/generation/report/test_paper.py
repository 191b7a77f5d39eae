"""The paper's figures in the code match the text of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from generation.report.paper import SEVERAL, TABLE_2, TABLE_4, TABLE_6, TABLE_9
from merge_snli.models.paper_models import PAPER_NAMES, family

TEXT = Path(__file__).parents[4] / "shared" / "seeds" / "merge-paper-pdf.txt"
LETTERS = {"noun": "N", "verb": "V", "adj": "A"}
HUB_IDS = {name: hub_id for hub_id, name in PAPER_NAMES.items()}


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, ...]]:
    if not TEXT.is_file():
        pytest.skip(f"the paper's text {TEXT.name} was not found")
    return [tuple(line.split("\t")) for line in TEXT.read_text(encoding="utf-8").splitlines() if "\t" in line]


def numbers(cells: Iterable[str | float]) -> tuple[float, ...]:
    return tuple(float(cell) for cell in cells)


def test_table_2(rows: list[tuple[str, ...]]) -> None:
    found = {row[0].partition("_")[0].strip(): row[1:] for row in rows if len(row) == 7}
    for name, row in TABLE_2.items():
        assert numbers(found[LETTERS.get(name, "ALL")]) == numbers(row)


def test_table_4(rows: list[tuple[str, ...]]) -> None:
    names = {"noun": "Nouns", "verb": "Verbs", "adj": "Adjectives", "adv": "Adverbs"}
    for name, row in TABLE_4.items():
        assert [numbers(each[1:]) for each in rows if each[0] == names[name] and len(each) == 5] == [numbers(row)]


def test_table_6(rows: list[tuple[str, ...]]) -> None:
    found: dict[tuple[str, str], tuple[float, ...]] = {}
    model = ""
    for row in rows:
        if len(row) == 6 and row[1] in {"A", "N", "V"}:
            model = row[0] or model
            found[model, row[1]] = numbers(row[2:])
    assert {(name, LETTERS[word_class]): tuple(row) for (name, word_class), row in TABLE_6.items()} == found


def test_table_9_and_what_its_columns_mean(rows: list[tuple[str, ...]]) -> None:
    found = {row[0]: numbers(row[1:]) for row in rows if len(row) == 3 and row[0] in {*HUB_IDS, "Both"}}
    found[SEVERAL] = found.pop("Both")
    assert found == dict(TABLE_9)
    assert round(sum(average for average, _ in TABLE_9.values()), 1) == 51_460 == 20 * (1_808 + 506 + 259)
    for name, (_, others) in TABLE_9.items():
        of_others = (
            average
            for other, (average, _) in TABLE_9.items()
            if other != SEVERAL and (name == SEVERAL or HUB_IDS[other] not in family(HUB_IDS[name]))
        )
        assert round(sum(of_others), 1) == others, "Avg Other is the sum of those of other families"
