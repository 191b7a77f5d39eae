"""The paper's numbers in the package match the text of the paper."""

import re

import pytest

from merge_snli.models.paper_models import PAPER_MODELS, PAPER_NAMES
from merge_snli.papers.numbers import MERGE, PaperArtifact, read_paper
from tests.conftest import paper_text
from tests.oracles import missing_from

ARTIFACTS = read_paper(MERGE).artifacts

# How the paper's tables name the rows, where they do not use the project's names.
LETTERS = {"noun": "N", "verb": "V", "adj": "A"}
ROW_NAMES = {
    "table-2": {"noun": "N _{Var}", "verb": "V _{Var}", "adj": "A _{Var}", "all": "ALL_{Var}"},
    "table-4": {"noun": "Nouns", "verb": "Verbs", "adj": "Adjectives", "adv": "Adverbs"},
    "table-5": {name: hub_id for hub_id, name in PAPER_NAMES.items()},
    "table-8": {"OPT-1-3b-S": "OPT-1.3b-S"},
    "table-9": {"several": "Both"},
}


@pytest.fixture(scope="module")
def text() -> str:
    return paper_text("merge-paper-pdf.txt")


def printed_rows(text: str, artifact: PaperArtifact) -> dict[str, list[str]]:
    """Return the cells of the table's rows in the text, by the name of the row in the package."""
    names = ROW_NAMES.get(artifact.name, {})
    printed: dict[str, list[str]] = {}
    model = ""
    for line in text.splitlines():
        first, *cells = line.replace("Phone", "").split("\t")
        model = first.strip() or model
        if artifact.name == "table-6" and len(cells) == 5:
            letter = {letter: name for name, letter in LETTERS.items()}.get(cells[0])
            printed[f"{model} {letter}"] = cells[1:]
        for row in artifact.rows:
            n_cells = 3 if artifact.name == "table-5" else len(artifact.columns)
            is_row = first.strip() == names.get(row, row) or (artifact.name == "table-5" and first.endswith(names[row]))
            if is_row and len(cells) == n_cells:
                printed[row] = cells[1:] if artifact.name == "table-5" else cells
    return {row: cells for row, cells in printed.items() if row in artifact.rows}


@pytest.mark.parametrize("name", ["table-2", "table-3", "table-4", "table-5", "table-6", "table-8", "table-9"])
def test_every_cell_of_a_table_is_printed(text: str, name: str) -> None:
    artifact = ARTIFACTS[name]
    printed = printed_rows(text, artifact)
    assert printed.keys() == artifact.rows.keys()
    for row, cells in artifact.rows.items():
        assert [each.replace(",", "") for each in printed[row]] == [str(cell) for cell in cells], row


def test_every_row_of_table_10_is_printed(text: str) -> None:
    printed = re.findall(r"Gold label: (\w)\s+Correct label: (\w)\s+Annotations: E\((.)\) N\((.)\) C\((.)\)", text)
    letters = {"entailment": "E", "neutral": "N", "contradiction": "C"}
    rows = ARTIFACTS["table-10"].rows.values()
    assert [(letters[str(gold)], letters[str(right)], *map(str, votes)) for gold, right, *votes, _ in rows] == printed
    assert {rate for *_, rate in rows} == {0} and text.count("Avg rate: 0.00") == len(rows)


@pytest.mark.parametrize("artifact", [each for each in ARTIFACTS.values() if each.says], ids=lambda each: each.name)
def test_every_sentence_and_its_numbers_are_printed(text: str, artifact: PaperArtifact) -> None:
    signs = {"$": "", r"\approx": "≈", r"\cup": "∪", r"\geq": "≥", r"\Rightarrow": "⇒", r"\%": "%", "_{Var}": " Var"}
    for written, sign in signs.items():
        text = text.replace(written, sign)
    flat = " ".join(text.split()).replace(" ,", ",")
    assert not missing_from(flat, *artifact.says)
    numbers = [cell for cells in artifact.rows.values() for cell in cells if not isinstance(cell, str)]
    said = re.sub(r"(?<=\d),(?=\d)|(?<=\d)k", lambda sign: "000" if sign[0] == "k" else "", " ".join(artifact.says))
    assert [number for number in numbers if not re.search(rf"(?<![\d.]){number}(?![\d.]\d)", said)] == []


def test_rows_are_the_papers_models() -> None:
    assert [*ARTIFACTS["table-3"].rows] == [model.paper_name for model in PAPER_MODELS]
    assert {row: cells[0] for row, cells in ARTIFACTS["table-8"].rows.items()} == {
        model.paper_name: model.name for model in PAPER_MODELS
    }
    assert {*ARTIFACTS["table-5"].rows} == {*PAPER_NAMES.values()}


def test_every_artifact_has_numbers_sentences_or_a_reason() -> None:
    for artifact in ARTIFACTS.values():
        assert artifact.rows or artifact.says or artifact.not_computed
        assert all(len(cells) == len(artifact.columns) for cells in artifact.rows.values())
