"""Input that could be read in the wrong way: one message says what was found, and how to read it."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from generation.options import Options
from generation.run_inputs import RunInputs, read_inputs
from merge_snli.base.errors import as_flags
from merge_snli.base.progress import Progress
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests.oracles import missing_from, refused, write_rows, written

PAIRS = [
    ("A man plays a guitar, and sings.", "A man plays."),
    ("Two dogs run over the grass.", "The dogs sleep."),
    ("A woman buys fruit at the market.", "A woman is outside."),
    ("The boy reads a book in the garden.", "A boy writes a letter."),
]


def rows(labels: Iterable[object]) -> list[dict[str, Any]]:
    return [
        {"premise": p, "hypothesis": h, "label": label} for (p, h), label in zip(cycle(PAIRS), labels, strict=False)
    ]


def write(path: Path, labels: Iterable[object]) -> ProblemOptions:
    """Write problems with these labels."""
    return ProblemOptions(problems=write_rows(path, rows(labels)))


REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_read_as_it_is_says_what_is_wrong_and_what_to_do(tmp_path: Path, case: str) -> None:
    file = REFUSED[case]
    path = written(tmp_path / file["name"], file["content"].encode())
    options = file.get("options", {})
    message = as_flags(refused("", lambda: read_problems(ProblemOptions(problems=path, **options))))
    assert not missing_from(message, *file["message"])
    assert options or file["name"] in message


def test_more_labels_than_can_be_scored(tmp_path: Path) -> None:
    options = write(tmp_path / "p.jsonl", [f"topic {number}" for number in range(30)])
    message = as_flags(refused("more than 10 labels", read_problems, options))
    assert not missing_from(message, "topic 11", "--label-column", "--data-labels=SPELLING=NAME")


@pytest.mark.parametrize(
    ("labels", "shown"),
    [([0, 1, 0, 1], ["0: 2 rows", "1: 2 rows"]), ([1, 0.0, -1, 0], ["0: 2 rows", "1: 1 row"])],
)
def test_two_numbers_need_names_in_their_order(tmp_path: Path, labels: list[object], shown: list[str]) -> None:
    """Taken as entailment and not_entailment, the labels of PAWS, MRPC and QQP would be inverted."""
    message = as_flags(refused("", read_problems, write(tmp_path / "p.jsonl", labels)))
    texts = (
        "--data-labels=entailment,not_entailment if 0 is entailment",
        "--data-labels=not_entailment,entailment if 1 is",
        "Two dogs run over the grass. / The dogs sleep.",
    )
    assert not missing_from(message, *texts)
    assert re.findall(r"\d: \d rows?(?=, such as)", message) == shown
    assert ("-1=NAME" in message) == (-1 in labels)


def test_two_truth_values_of_nli_need_names(tmp_path: Path) -> None:
    message = as_flags(refused("", read_problems, write(tmp_path / "p.jsonl", [False, True, False, True])))
    assert "--data-labels=entailment,not_entailment" in message


def test_numbers_from_1_with_names_in_their_order_are_refused_with_the_names(tmp_path: Path) -> None:
    options = replace(write(tmp_path / "p.jsonl", [1, 2, 3]), data_labels=NLI_LABELS)
    message = as_flags(refused("line 3: unknown label '3'", read_problems, options))
    assert "begin with 1: --data-labels=1=entailment,2=neutral,3=contradiction" in message


def test_it_is_said_how_three_numbers_were_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    options = write(tmp_path / "p.jsonl", [-1, 2, 0, 2])
    assert [problem.label for problem in read_problems(options).problems] == [2, 0, 2]
    no_label, message = caplog.messages
    assert "'-1' (1)" in no_label
    assert message.startswith(f"{options.problems}: the labels are numbers, ")
    assert "0 = entailment (33%), 1 = neutral (0%), 2 = contradiction (67%)" in message
    caplog.clear()
    read_problems(replace(options, data_labels=("contradiction", "neutral", "entailment")))
    read_problems(write(tmp_path / "named.jsonl", ["entailment", "neutral", "c"]))
    assert "read as" not in caplog.text


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["paraphrase", "different", "paraphrase", "-1"], ("different", "paraphrase")),
        (["同義", "不同", "不同", "不同"], ("不同", "同義")),
        (["neutral", "against", "favor", "neutral"], ("against", "favor", "neutral")),
        (["a", "b", "c", "a"], ("a", "b", "c")),
        (["false", "mixed", "true", "true"], ("false", "mixed", "true")),
        (["e", "n", "c", "n"], NLI_LABELS),
    ],
)
def test_labels_of_any_task_come_from_the_data(tmp_path: Path, labels: list[str], expected: tuple[str, ...]) -> None:
    assert read_problems(write(tmp_path / "p.jsonl", labels)).label_names == expected


@pytest.mark.parametrize(("answers", "names"), [([False, True], ("False", "True")), (["no", "yes"], ("no", "yes"))])
def test_answers_to_questions_are_labels(tmp_path: Path, answers: list[object], names: tuple[str, ...]) -> None:
    asked = [{"passage": p, "question": h, "answer": label} for (p, h), label in zip(PAIRS, answers, strict=False)]
    read = read_problems(ProblemOptions(problems=write_rows(tmp_path / "p.jsonl", asked)))
    assert read.label_names == names
    assert read.problems[0].premise == PAIRS[0][0]
    assert read.problems[0].label == 0


def test_columns_can_be_joined(tmp_path: Path) -> None:
    row = {"paragraph": "A man plays.", "question": "Is it so?", "answer": "He sings.", "label": "a"}
    path = write_rows(tmp_path / "p.jsonl", [row, row | {"label": "b"}])
    options = ProblemOptions(problems=path, premise_column="paragraph", hypothesis_column="question+answer")
    assert read_problems(options).problems[0].hypothesis == "Is it so? He sings."
    other = replace(options, hypothesis_column="question+reason")
    refused(r"no column 'reason' .*hypothesis_column$", read_problems, other)


def inputs_of(options: ProblemOptions, **others: Any) -> RunInputs:  # noqa: ANN401 - values of any option
    """Read the inputs of a run."""
    run = Options(problems=options.problems, mlm=("demo:mlm-bpe",), **others)
    return read_inputs(run, Progress(quiet=True))


def test_a_task_of_world_knowledge_is_a_warning_before_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    claims = [{"evidence": p, "claim": h, "label": "SUPPORTS"} for p, h in PAIRS]
    claims[0]["label"] = "REFUTES"
    inputs_of(ProblemOptions(problems=write_rows(tmp_path / "p.jsonl", claims)))
    (message,) = [message for message in caplog.messages if "no_relations" in message]
    assert "annotate" in message
    caplog.clear()
    inputs_of(write(tmp_path / "nli.jsonl", ["entailment", "neutral", "contradiction", "neutral"]))
    assert caplog.messages == []


def test_invalid_rows_that_are_left_out_are_counted_in_the_record(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = write(tmp_path / "p.jsonl", ["entailment", "neutral", "contradiction", "neutral"])
    assert "invalid_rows" not in inputs_of(options, skip_invalid=True).as_json()
    with (tmp_path / "p.jsonl").open("a") as file:
        file.write('{"premise": "", "hypothesis": "A man.", "label": "neutral"}\n')
    assert inputs_of(options, skip_invalid=True).as_json()["invalid_rows"] == 1
    assert not missing_from(caplog.text, "1 invalid row: ", "line 5")


def test_labels_in_another_script_are_a_warning_before_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    options = write(tmp_path / "p.jsonl", ["蕴含", "中立", "矛盾", "中立"])
    assert inputs_of(options).problems.label_names == ("中立", "矛盾", "蕴含")
    (message,) = caplog.messages
    assert not missing_from(message, "p.jsonl", "中立, 矛盾, 蕴含", "data_labels")
    caplog.clear()
    read = inputs_of(options, data_labels=("蕴含=entailment", "中立=neutral", "矛盾=contradiction"))
    assert read.problems.label_names == ("entailment", "neutral", "contradiction")
    assert caplog.messages == []
