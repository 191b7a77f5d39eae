"""Score models of tasks whose labels are not those of NLI: by name, by number, and from a table of predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.scoring.check import differences
from merge_snli.scoring.imports import read_predictions, score_answers
from merge_snli.scoring.reading import read_groups
from merge_snli.scoring.score import score
from merge_snli.scoring.store import to_json

WORDS = ("horse", "dog", "cat")
ROWS = [
    {"sentence1": f"A {word} follows a man.", "sentence2": second.format(word), "label": label, "verb": verb}
    for word in WORDS
    for second, label, verb in (
        ("A man is followed by a {}.", "paraphrase", "follow"),
        ("A man follows a {}.", "different", "follow"),
        ("A {} is near a man.", "Unclear", "be"),
    )
]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def by_words(pairs: list[Pair]) -> list[str | int]:
    """Answer with names in other capitals and, for the last kind of pair, with a number; wrong for cats."""
    found = [next((row["label"] for row in ROWS if (row["sentence1"], row["sentence2"]) == pair), "") for pair in pairs]
    answers: list[str | int] = [0 if label == "Unclear" else label.upper() for label in found]
    return ["different" if "cat" in pair[0] else answer for pair, answer in zip(pairs, answers, strict=True)]


def test_labels_of_another_task_are_scored_by_their_names(rows: Path) -> None:
    result = score(by_words, str(rows), group_column="verb")
    assert result.dataset.labels == result.compared_labels == ("Unclear", "different", "paraphrase")
    assert result.sample_accuracy == pytest.approx(7 / 9)
    assert result.scores.predicted["paraphrase"] == {"Unclear": 0, "different": 1, "paraphrase": 2}
    assert {*result.scores.predicted} == {"Unclear", "different", "paraphrase"}
    data = read_groups(ProblemOptions(problems=rows), group_column="verb")
    assert list(differences(result, data)) == []
    assert "entailment" not in json.dumps(to_json(result))


def test_a_label_that_the_task_does_not_have_is_refused(rows: Path) -> None:
    with pytest.raises(InputError, match=r"returned 'entailment' .* one of Unclear, different, paraphrase or a number"):
        score(lambda pairs: ["entailment"] * len(pairs), str(rows), group_column="verb", name="f")


@pytest.mark.parametrize("form", ["labels", "scores"])
def test_predictions_in_a_table_have_the_labels_of_the_task(rows: Path, tmp_path: Path, form: str) -> None:
    data = read_groups(ProblemOptions(problems=rows), group_column="verb")
    names = data.label_names
    table = [
        {"premise": row["sentence1"], "hypothesis": row["sentence2"]}
        | ({"label": row["label"]} if form == "labels" else {name: float(name == row["label"]) for name in names})
        for row in ROWS
    ]
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in table))
    assert score_answers(read_predictions([path], data, model="m"), data).sample_accuracy == 1
    path.write_text(path.read_text().replace("Unclear", "entailment"))
    with pytest.raises(InputError):
        read_predictions([path], data, model="m")
