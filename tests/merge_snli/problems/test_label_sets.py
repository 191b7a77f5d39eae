"""Which sets of labels are those of NLI, which values stand for no label, and what is said of the others."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from generation.options import Options
from generation.run_inputs import read_inputs
from merge_snli.base.errors import as_flags
from merge_snli.base.progress import Progress
from merge_snli.dataset.label_names import labels_of_other_task
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.dataset.stored import find_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.score import score
from merge_snli.validation import validate
from tests.merge_snli.conftest import MakeDataset
from tests.merge_snli.problems.test_labels import classes, labels_in
from tests.merge_snli.problems.test_unclear_input import PAIRS, rows
from tests.oracles import always, missing_from, refused

# The labels of data sets, as their cards or files have them, in the order of entailment, neutral and contradiction.
DATA_SETS = {
    "FEVER": ("SUPPORTS", "NOT ENOUGH INFO", "REFUTES"),
    "Climate-FEVER": ("SUPPORTS", "NOT_ENOUGH_INFO", "REFUTES"),
    "the website of FEVER": ("Supported", "NotEnoughInfo", "Refuted"),
    "fever_gold_evidence": ("SUPPORT", "NEI", "REFUTE"),
    "scifact_entailment": ("SUPPORT", "NEI", "CONTRADICT"),
    "AVeriTeC": ("Supported", "Not Enough Evidence", "Refuted"),
    "ContractNLI": ("Entailment", "NotMentioned", "Contradiction"),
    "SICK": ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
    "ANLI": ("e", "n", "c"),
}
TWO_OF_THREE = {"SciClaimEval": ("Supported", "Refuted"), "VitaminC": ("SUPPORTS", "REFUTES")}
TWO_WAY = {"HoVer": ("SUPPORTED", "NOT_SUPPORTED"), "RTE": ("entailment", "not_entailment")}
# Read as NLI only if the columns of the texts have names of NLI.
ANSWERS = {
    "FOLIO": ("True", "Uncertain", "False"),
    "ProofWriter": ("True", "Unknown", "False"),
    "CommitmentBank": ("yes", "neither", "no"),
    "PubMedQA": ("yes", "maybe", "no"),
}


@pytest.mark.parametrize("names", DATA_SETS.values(), ids=DATA_SETS)
def test_labels_of_published_data_sets_are_those_of_nli(names: Sequence[str]) -> None:
    assert task_labels(names) == NLI_LABELS
    assert labels_in(rows(names)) == [*NLI_LABELS]
    assert task_labels(labels_in(classes(names, [0, 1, 2]))) == NLI_LABELS
    assert labels_in(rows(names[::-1])) == [*NLI_LABELS[::-1]]


@pytest.mark.parametrize("names", ANSWERS.values(), ids=ANSWERS)
def test_answers_are_labels_of_nli_only_beside_texts_of_nli(names: Sequence[str]) -> None:
    assert labels_in(rows(names)) == [*NLI_LABELS]
    of_classes = classes(names, [0, 1, 2])
    assert labels_in(of_classes) == [*NLI_LABELS]
    columns: dict[str, Any] = {"premise_column": "context", "hypothesis_column": "question"}
    named = tuple(f"{name}={label}" for name, label in zip(names, NLI_LABELS, strict=True))
    of_classes = of_classes.rename_columns({"premise": "context", "hypothesis": "question"})
    of_texts = [{"context": p, "question": h, "label": name} for (p, h), name in zip(PAIRS, names, strict=False)]
    for problems in (of_texts, of_classes):
        message = as_flags(refused("'context' and 'question'", labels_in, problems, **columns))
        assert not missing_from(message, "--data-labels=", f"{names[0]}=NAME")
        for name, (premise, _) in zip(names, PAIRS, strict=False):
            assert f"{name}: 1 row, such as {premise[:20]}" in message
        assert labels_in(problems, data_labels=named, **columns) == [*NLI_LABELS]


@pytest.mark.parametrize("names", TWO_OF_THREE.values(), ids=TWO_OF_THREE)
def test_two_of_the_three_labels_are_those_of_nli(names: Sequence[str]) -> None:
    assert labels_in(rows(names)) == ["entailment", "contradiction"]


@pytest.mark.parametrize("names", TWO_WAY.values(), ids=TWO_WAY)
def test_two_labels_may_be_entailment_and_not_entailment(names: Sequence[str]) -> None:
    assert task_labels(labels_in(rows(names))) == ("entailment", "not_entailment")


def test_classes_that_spell_the_same_label_are_joined() -> None:
    names = ("supported", "SUPPORTS", "nei", "refuted")
    assert labels_in(classes(names, [1, 0, 3, 2])) == ["entailment", "entailment", "contradiction", "neutral"]


NOTHING = ("-", "", "hidden", "Hidden", -1, -100, "-1", None, float("nan"), "NA", "null", "None", "nan", "N/A")


@pytest.mark.parametrize("value", NOTHING, ids=repr)
def test_values_that_stand_for_no_label_are_counted_and_named(
    value: object, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    labels = ["entailment", value, "neutral", "contradiction"]
    if isinstance(value, int | float):
        labels = [0, value, 2, 1]
    path = tmp_path / "p.csv"
    frame = pd.DataFrame(rows(labels), dtype=object)
    frame.to_csv(path, index=False)
    for problems in (path, frame, rows(labels)):
        caplog.clear()
        read = read_problems(ProblemOptions(problems=problems))
        assert read.with_label == 3
        assert read.without_label == 1
        assert not missing_from(caplog.text, "rows without a gold label", "'label'")


@pytest.mark.parametrize("name", ["-", "hidden", "NA", "-1"])
def test_names_of_classes_that_stand_for_no_label(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    data = classes((*NLI_LABELS, name), [0, 3, 2, 3])
    read = read_problems(ProblemOptions(problems=data))
    assert read.label_names == NLI_LABELS
    assert read.with_label == 2
    assert read.without_label == 2
    assert f"'{name}' (2)" in caplog.text


def test_lists_and_objects_as_labels_need_names() -> None:
    for label in (["a"], {"name": "a"}):
        message = as_flags(refused("", labels_in, rows([label, ["b"], label])))
        assert not missing_from(message, "2 rows", "1 row", "--data-labels")


OTHER = [("negative", "neutral", "positive"), ("agree", "disagree", "unrelated"), ("duplicate", "different")]


@pytest.mark.parametrize("names", OTHER, ids=" ".join)
def test_a_task_of_its_own_is_named_at_the_beginning(names: Sequence[str], caplog: pytest.LogCaptureFixture) -> None:
    options = Options(problems=rows(names), mlm=("demo:mlm-wordpiece",))
    inputs = read_inputs(options, Progress())
    assert inputs.problems.label_names == tuple(sorted(names))
    assert caplog.text.count("not those of NLI") == 1
    said = as_flags(labels_of_other_task(names))
    assert not missing_from(said, *names, *NLI_LABELS, f"--data-labels={names[0]}=LABEL,")
    caplog.clear()
    read_problems(ProblemOptions(problems=rows(names), data_labels=tuple(names)))
    assert "NLI" not in caplog.text


@pytest.mark.slow
def test_scores_and_validation_say_that_a_data_set_is_of_another_task(
    make_dataset: MakeDataset, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dataset = make_dataset(tmp_path / "other", seeds=3, label_names=("left", "right"))
    for act in (lambda: score(always("left"), dataset), lambda: validate(dataset)):
        caplog.clear()
        act()
        assert "the labels left, right are not those of NLI" in caplog.text
    caplog.clear()
    validate(find_dataset("demo:dataset"))
    assert "those of NLI" not in caplog.text
