"""Input that could be read in the wrong way: one message says what was found, and how to read it."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from generation.options import Options
from generation.run_inputs import read_inputs
from merge_snli.base.errors import as_flags
from merge_snli.base.progress import Progress
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from, refused

PAIRS = [
    ("A man plays a guitar, and sings.", "A man plays."),
    ("Two dogs run over the grass.", "The dogs sleep."),
    ("A woman buys fruit at the market.", "A woman is outside."),
    ("The boy reads a book in the garden.", "A boy writes a letter."),
]


def jsonl(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def labeled(*labels: object) -> str:
    """Return JSON lines of problems with these labels."""
    return jsonl(
        {"premise": premise, "hypothesis": hypothesis, "label": label}
        for (premise, hypothesis), label in zip(cycle(PAIRS), labels, strict=False)
    )


def write(path: Path, labels: list[object]) -> ProblemOptions:
    path.write_text(labeled(*labels))
    return ProblemOptions(problems=path)


FILES = {
    "no header": (
        "p.csv",
        "A man plays a guitar.,A man plays.,entailment\nA dog runs.,A dog sleeps.,neutral\n",
        ["'premise', 'hypothesis', 'label'", "A man plays a guitar.", "first line", "premise,hypothesis,label"],
    ),
    "tabs": (
        "p.csv",
        "premise\thypothesis,which\tlabel\nA man plays, and sings.\tA man plays.\tentailment\n",
        ["line 1 has no column 'hypothesis'", "hypothesis,which"],
    ),
    "commas": ("p.tsv", "premise,hypothesis,label\nA man,A man,neutral\n", ["line 1", "','", "--delimiter=,"]),
    "three columns": (
        "p.tsv",
        "Quality\t#1 String\t#2 String\n1\tA man plays.\tA man sings.\n",
        [
            "line 1 has no column 'premise', 'hypothesis', 'label'",
            "Quality, #1 String, #2 String",
            "--premise-column, --hypothesis-column",
        ],
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
    "graded scores": (
        "p.jsonl",
        labeled(*range(6)),
        ["graded", "5"],
    ),
    "30 labels": (
        "p.jsonl",
        labeled(*(f"topic {number}" for number in range(30))),
        ["more than 10 labels", "topic 11", "--label-column", "--data-labels=SPELLING=NAME"],
    ),
    "tabs and commas": (
        "p.csv",
        "premise\tx,hypothesis\tlabel,z\nA,B,C\n",
        ["has tabs between its columns", "--delimiter=tab"],
    ),
    "no ending": ("problems", "premise,hypothesis,label\n", ["the file name has no ending"]),
    "one text": (
        "p.jsonl",
        jsonl([{"text": "A film that I liked.", "label": label} for label in ("good", "bad")]),
        ["one text", "'text'", "--premise-column"],
    ),
    "one label": (
        "p.jsonl",
        labeled("paraphrase", "paraphrase"),
        ["only the label 'paraphrase'", "--data-labels"],
    ),
    "a typing error": (
        "p.jsonl",
        labeled("entailment", "neutral", "contradicton", "neutral"),
        ["line 3: unknown label 'contradicton'"],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_as_it_is_says_how_at_once(tmp_path: Path, case: str) -> None:
    name, content, expected = FILES[case]
    (tmp_path / name).write_text(content)
    message = as_flags(refused("", read_problems, ProblemOptions(problems=tmp_path / name)))
    assert not missing_from(message, name, *expected)


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        ([0, 1, 0, 1], ["0: 2 rows", "1: 2 rows"]),
        ([1, 0.0, -1, 0], ["0: 2 rows", "1: 1 row"]),
        ([False, True, False, True], None),
    ],
)
def test_two_numbers_need_names_in_their_order(tmp_path: Path, labels: list[object], shown: list[str] | None) -> None:
    """Taken as entailment and not_entailment, the labels of PAWS, MRPC and QQP would be inverted."""
    message = as_flags(refused("", read_problems, write(tmp_path / "p.jsonl", labels)))
    texts = (
        "--data-labels=entailment,not_entailment if 0 is entailment",
        "--data-labels=not_entailment,entailment if 1 is",
        "Two dogs run over the grass. / The dogs sleep.",
    )
    assert "--data-labels=entailment,not_entailment" in message
    if shown is not None:
        assert not missing_from(message, *texts)
        assert re.findall(r"\d: \d rows?(?=, such as)", message) == shown


def test_numbers_from_1_with_names_in_their_order_are_refused_with_the_names(tmp_path: Path) -> None:
    options = replace(write(tmp_path / "p.jsonl", [1, 2, 3]), data_labels=NLI_LABELS)
    message = as_flags(refused("", read_problems, options))
    assert "line 3: unknown label '3'" in message
    assert "begin with 1: --data-labels=1=entailment,2=neutral,3=contradiction" in message


def test_it_is_said_how_three_numbers_were_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "p.jsonl"
    assert [problem.label for problem in read_problems(write(path, [-1, 2, 0, 2])).problems] == [2, 0, 2]
    no_label, message = caplog.messages
    assert "'-1' (1)" in no_label
    assert message.startswith(f"{path}: the labels are numbers, ")
    assert "0 = entailment (33%), 1 = neutral (0%), 2 = contradiction (67%)" in message
    caplog.clear()
    read_problems(ProblemOptions(problems=path, data_labels=("contradiction", "neutral", "entailment")))
    read_problems(write(tmp_path / "named.jsonl", ["entailment", "neutral", "c"]))
    assert "read as" not in caplog.text


OTHER_TASKS: dict[str, tuple[list[object], tuple[str, ...]]] = {
    "paraphrases": (["paraphrase", "different", "paraphrase", "-1"], ("different", "paraphrase")),
    "another script": (["同義", "不同", "不同", "不同"], ("不同", "同義")),
    "stances": (["neutral", "against", "favor", "neutral"], ("against", "favor", "neutral")),
    "options": (["a", "b", "c", "a"], ("a", "b", "c")),
    "three answers": (["false", "mixed", "true", "true"], ("false", "mixed", "true")),
    "letters of NLI": (["e", "n", "c", "n"], NLI_LABELS),
}


@pytest.mark.parametrize("case", OTHER_TASKS)
def test_labels_of_any_task_come_from_the_data(tmp_path: Path, case: str) -> None:
    labels, expected = OTHER_TASKS[case]
    assert read_problems(write(tmp_path / "p.jsonl", labels)).label_names == expected


@pytest.mark.parametrize("answers", [[False, True, False, True], ["no", "yes", "no", "yes"]])
def test_answers_to_questions_are_labels(tmp_path: Path, answers: list[object]) -> None:
    rows = [{"passage": p, "question": h, "answer": label} for (p, h), label in zip(PAIRS, answers, strict=True)]
    (tmp_path / "p.jsonl").write_text(jsonl(rows))
    read = read_problems(ProblemOptions(problems=tmp_path / "p.jsonl"))
    assert read.label_names == (("False", "True") if answers[0] is False else ("no", "yes"))
    assert (read.problems[0].premise, read.problems[0].label) == (PAIRS[0][0], 0)


def test_columns_can_be_joined(tmp_path: Path) -> None:
    rows = [{"paragraph": p, "question": "Is it so?", "answer": h, "label": h[:1]} for p, h in PAIRS]
    (tmp_path / "p.jsonl").write_text(jsonl(rows))
    options = ProblemOptions(
        problems=tmp_path / "p.jsonl", premise_column="paragraph", hypothesis_column="question+answer"
    )
    assert [problem.hypothesis for problem in read_problems(options).problems] == [f"Is it so? {h}" for _, h in PAIRS]
    refused(
        r"no column 'reason' .*hypothesis_column$", read_problems, replace(options, hypothesis_column="question+reason")
    )


def test_a_task_of_world_knowledge_is_a_warning_before_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = labeled("SUPPORTS", "SUPPORTS", "REFUTES").replace("premise", "evidence").replace("hypothesis", "claim")
    (tmp_path / "p.jsonl").write_text(text)
    read_inputs(Options(problems=tmp_path / "p.jsonl", mlm=("demo:mlm-bpe",)), Progress(quiet=True))
    assert [message for message in caplog.messages if "no_relations" in message and "annotate" in message]
    caplog.clear()
    write(tmp_path / "nli.jsonl", ["entailment", "neutral", "contradiction", "neutral"])
    read_inputs(Options(problems=tmp_path / "nli.jsonl", mlm=("demo:mlm-bpe",)), Progress(quiet=True))
    assert caplog.messages == []


def test_invalid_rows_that_are_left_out_are_counted_in_the_record(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = Options(problems=tmp_path / "p.jsonl", mlm=("demo:mlm-bpe",), skip_invalid=True)
    write(tmp_path / "p.jsonl", ["entailment", "neutral", "contradiction", "neutral"])
    assert "invalid_rows" not in read_inputs(options, Progress(quiet=True)).as_json()
    with (tmp_path / "p.jsonl").open("a") as file:
        file.write('{"premise": "", "hypothesis": "A man.", "label": "neutral"}\n')
    assert read_inputs(options, Progress(quiet=True)).as_json()["invalid_rows"] == 1
    assert [message for message in caplog.messages if "1 invalid row: " in message and "line 5" in message]


def test_labels_in_another_script_are_a_warning_before_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    labels: list[object] = ["蕴含", "中立", "矛盾", "中立"]
    write(tmp_path / "p.jsonl", labels)
    options = Options(problems=tmp_path / "p.jsonl", mlm=("demo:mlm-bpe",))
    read = read_inputs(options, Progress(quiet=True))
    assert read.problems.label_names == ("中立", "矛盾", "蕴含")
    (message,) = caplog.messages
    assert not missing_from(message, "p.jsonl", "中立, 矛盾, 蕴含", "data_labels")
    caplog.clear()
    names = ("蕴含=entailment", "中立=neutral", "矛盾=contradiction")
    read = read_inputs(replace(options, data_labels=names), Progress(quiet=True))
    assert read.problems.label_names == ("entailment", "neutral", "contradiction")
    assert caplog.messages == []
