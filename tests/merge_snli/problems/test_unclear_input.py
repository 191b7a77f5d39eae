"""Input that could be read in the wrong way: one message says what was found, and how to read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generation.options import Options
from generation.run import read_inputs
from merge_snli.base.errors import InputError, as_flags
from merge_snli.base.progress import Progress
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems

PAIRS = [
    ("A man plays a guitar, and sings.", "A man plays."),
    ("Two dogs run over the grass.", "The dogs sleep."),
    ("A woman buys fruit at the market.", "A woman is outside."),
    ("The boy reads a book in the garden.", "A boy writes a letter."),
]


def write(path: Path, labels: list[object]) -> ProblemOptions:
    rows = [{"premise": p, "hypothesis": h, "label": label} for (p, h), label in zip(PAIRS, labels, strict=False)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ProblemOptions(problems=path)


FILES = {
    "no header": (
        "p.csv",
        "A man plays a guitar.,A man plays.,entailment\nA dog runs.,A dog sleeps.,neutral\n",
        ["'premise', 'hypothesis', 'label'", "A man plays a guitar.", "first line", "premise,hypothesis,label"],
    ),
    "tabs": (
        "p.csv",
        "premise\thypothesis\tlabel\nA man plays, and sings.\tA man plays.\tentailment\n",
        ["line 1", "tabs", "--delimiter=tab"],
    ),
    "commas": ("p.tsv", "premise,hypothesis,label\nA man,A man,neutral\n", ["line 1", "','", "--delimiter=,"]),
    "three columns": (
        "p.tsv",
        "Quality\t#1 String\t#2 String\n1\tA man plays.\tA man sings.\n",
        ["'premise', 'hypothesis', 'label'", "Quality, #1 String, #2 String", "--premise-column, --hypothesis-column"],
    ),
    "scores": (
        "p.tsv",
        "sentence1\tsentence2\tlabel\nA man plays.\tA man sings.\t1.000\nA dog.\tA cat.\t5.000\n",
        ["line 3", "'5.000'", "graded score", "--label-column"],
    ),
    "fractions": (
        "p.csv",
        "premise,hypothesis,label\nA man plays.,A man sings.,3.8\n",
        ["line 2", "'3.8'", "graded score"],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_as_it_is_says_how_at_once(tmp_path: Path, case: str) -> None:
    name, content, expected = FILES[case]
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as error:
        read_problems(ProblemOptions(problems=tmp_path / name))
    message = as_flags(error.value)
    assert [text for text in (name, *expected) if text not in message] == []


@pytest.mark.parametrize("labels", [[0, 1, 0, 1], ["1", "0.0", "-1", "0"], [False, True, False, True]])
def test_two_numbers_need_names_in_their_order(tmp_path: Path, labels: list[object]) -> None:
    """Taken as entailment and not_entailment, the labels of PAWS, MRPC and QQP would be inverted."""
    with pytest.raises(InputError) as error:
        read_problems(write(tmp_path / "p.jsonl", labels))
    message = as_flags(error.value)
    assert "--data-labels=entailment,not_entailment" in message
    if isinstance(labels[0], bool):
        return
    assert "--data-labels=entailment,not_entailment if 0 is entailment" in message
    assert "--data-labels=not_entailment,entailment if 1 is" in message
    shown = message.splitlines()[1:]
    assert [line.split()[0] for line in shown] == (["0:", "0:", "1:", "1:"] if labels[0] == 0 else ["0:", "0:", "1:"])
    assert "Two dogs run over the grass. / The dogs sleep." in message


def test_it_is_said_how_three_numbers_were_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "p.jsonl"
    read = read_problems(write(path, [-1, 2, 0, 2]))
    assert [problem.label for problem in read.problems] == [2, 0, 2]
    (message,) = caplog.messages
    assert message.startswith(f"{path}: the labels are numbers, ")
    assert "0 = entailment (33%), 1 = neutral (0%), 2 = contradiction (67%)" in message
    caplog.clear()
    names = ("contradiction", "neutral", "entailment")
    read_problems(ProblemOptions(problems=path, data_labels=names))
    read_problems(write(tmp_path / "named.jsonl", ["entailment", "neutral", "c"]))
    assert caplog.messages == []


def test_labels_that_score_refuses_are_a_warning_before_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "p.jsonl", [0, 1, 1, 0])
    options = Options(
        problems=tmp_path / "p.jsonl", mlm=("demo:mlm-bpe",), data_labels=("different", "paraphrase"), label_column=""
    )
    assert read_inputs(options, Progress(quiet=True)).problems.label_names == ("different", "paraphrase")
    (message,) = caplog.messages
    assert "score will refuse the labels different, paraphrase" in message
    assert "not_entailment" in message
