"""What the labels of a source stand for: the position in a ClassLabel, a number or a text, as its type says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pyarrow as pa
import pytest

from merge_snli.base.errors import as_flags
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests.merge_snli.problems.test_unclear_input import rows
from tests.oracles import missing_from, refused, write_rows


def classes(names: Sequence[str], numbers: Sequence[int | None]) -> datasets.Dataset:
    data = datasets.Dataset.from_list(rows(numbers))
    return data.cast_column("label", datasets.ClassLabel(names=list(names)))


def labels_in(problems: object, **options: Any) -> list[str]:  # noqa: ANN401 - values of any option
    read = read_problems(ProblemOptions(problems=problems, **options))
    return [read.label_names[problem.label] for problem in read.problems]


NAMED = ["contradiction", "entailment", "neutral"]


def forms(data: datasets.Dataset, folder: Path) -> list[object]:
    """Return a data set in memory, as a Parquet file, as a folder of files and as a saved folder."""
    (folder / "files").mkdir()
    file = folder / "files" / "test.parquet"
    data.to_parquet(file)
    datasets.DatasetDict(test=data).save_to_disk(folder / "saved")
    return [data, file, file.parent, folder / "saved"]


@pytest.mark.parametrize("digits", ["1,2,3", "-1,0,1", "0,1,2", "0,1,-1", "3,2,1"])
def test_the_number_of_a_class_is_its_position_whatever_its_name(digits: str, tmp_path: Path) -> None:
    names = tuple(digits.split(","))
    spelled = tuple(map("=".join, zip(names, NLI_LABELS, strict=True)))
    for problems in forms(classes(names, [2, 0, 1, None]), tmp_path):
        for named in (spelled, spelled[::-1], NLI_LABELS):
            assert labels_in(problems, data_labels=named) == NAMED
        assert labels_in(problems, data_labels=names) == [names[2], names[0], names[1]]


def test_a_row_without_a_label_is_not_of_the_class_called_minus_one() -> None:
    data = classes(("-1", "0", "1"), [0, 2, -1, 1])
    named = ("-1=contradiction", "0=neutral", "1=entailment")
    assert labels_in(data, data_labels=named) == ["contradiction", "entailment", "neutral"]


@pytest.mark.parametrize("names", ["0,1,-1", "1,2,3", "LABEL_0,LABEL_1,LABEL_2"])
def test_classes_whose_names_say_nothing_need_names(names: str) -> None:
    split = names.split(",")
    message = as_flags(refused("'label'", labels_in, classes(split, [2, 0, 1, 1])))
    form = names.replace(",", "=NAME,")
    assert not missing_from(message, f"--data-labels={form}=NAME", f"{split[2]}: 1 row, such as A man plays a guitar")


def test_the_texts_of_rows_without_a_label_are_not_checked_for_examples() -> None:
    data = classes(("LABEL_0", "LABEL_1"), [0, 1])
    unlabeled = datasets.Dataset.from_list([{"premise": "", "hypothesis": "A man plays.", "label": -1}])
    every = datasets.concatenate_datasets([unlabeled.cast(data.features), data])
    refused("LABEL_1: 1 row", labels_in, every)


def test_a_class_that_stands_for_no_label_is_none() -> None:
    named = classes(("-", *NLI_LABELS), [0, 1, 3, -1])
    assert labels_in(named) == ["entailment", "contradiction"]
    assert read_problems(ProblemOptions(problems=named)).label_names == NLI_LABELS
    encoded = classes(("-1", "0", "1", "2"), [0, 1, 3, 2])
    spelled = ("0=entailment", "1=neutral", "2=contradiction")
    assert labels_in(encoded, data_labels=spelled) == ["entailment", "contradiction", "neutral"]
    assert labels_in(encoded, data_labels=("none", *NLI_LABELS)) == ["none", "entailment", "contradiction", "neutral"]


def entered(names: str, entries: str) -> list[str]:
    """Return the labels of one row of each class, for data labels separated by spaces."""
    split = names.split()
    data = classes(split, range(len(split)))
    return labels_in(data, data_labels=tuple(entries.split()))


def test_names_that_contradict_the_order_of_the_classes_are_refused() -> None:
    order = "data_labels.*0 = contradiction, 1 = entailment, 2 = neutral"
    refused(order, entered, "contradiction entailment neutral", "entailment neutral contradiction")
    refused("data_labels.*0 = c, 1 = e, 2 = n", entered, "c e n", "entailment neutral contradiction")
    refused("data_labels.*0 = 1, 1 = 2, 2 = 3", entered, "1 2 3", "3 2 1")
    shifted = "data_labels.*0 = -1, 1 = 0, 2 = 1, 3 = 2"
    refused(shifted, entered, "-1 0 1 2", "entailment neutral contradiction")
    refused("data_labels.*0 = -1, 1 = 0, 2 = 1", entered, "-1 0 1", "0=a 1=b 2=c")


def test_classes_can_be_named_by_their_names_and_positions() -> None:
    spelled = "neutral=neutral contradiction=contradiction entailment=e"
    assert entered("contradiction entailment neutral", spelled) == ["contradiction", "e", "neutral"]
    named = ["different", "paraphrase"]
    assert entered("not_equivalent equivalent", "different paraphrase") == named
    assert entered("not_equivalent equivalent", "0=different 1=paraphrase") == named
    order = "entailment neutral contradiction"
    assert entered(order, order) == order.split()


def test_a_class_without_a_name_is_refused_where_it_is_used() -> None:
    entries = ("a=x", "b=y")
    assert labels_in(classes(("a", "b", "c"), [1, 0]), data_labels=entries) == ["y", "x"]
    refused("row 2: unknown label 'c' .*expected a, b", labels_in, classes("abc", [1, 2]), data_labels=entries)


def test_files_with_other_classes_are_refused_also_with_names(tmp_path: Path) -> None:
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    classes(("1", "2"), [0, 1]).to_parquet(files[0])
    classes(("2", "1"), [0, 1]).to_parquet(files[1])
    refused("read them one by one", labels_in, files, data_labels=("1=x", "2=y"))


def write_csv(path: Path, labels: Sequence[object]) -> Path:
    pd.DataFrame(rows(labels)).to_csv(path, index=False)
    return path


def tables(labels: Sequence[object], folder: Path) -> list[object]:
    """Return the same problems as files and in memory."""
    frame = pd.DataFrame(rows(labels))
    frame.to_parquet(folder / "p.parquet")
    files = [write_csv(folder / "p.csv", labels), write_rows(folder / "p.jsonl", rows(labels)), folder / "p.parquet"]
    return [*files, frame, pa.Table.from_pandas(frame), frame.to_dict("records")]


@pytest.mark.parametrize("labels", [[2, 0, 1, -1], [2.0, 0.0, None, 1.0]], ids=["numbers", "decimals"])
def test_numbers_are_the_same_in_every_source(labels: list[object], tmp_path: Path) -> None:
    categories = pd.DataFrame(rows(labels)).assign(label=pd.Categorical(labels))
    for problems in (*tables(labels, tmp_path), categories):
        assert labels_in(problems) == NAMED
        assert labels_in(problems, data_labels=("0=x", "1=y", "2=z")) == ["z", "x", "y"]


def test_minus_one_can_be_named() -> None:
    assert labels_in(rows([2, 0, 1, -1]), data_labels=("-1=w", "0=x", "1=y", "2=z")) == ["z", "x", "y", "w"]
    assert labels_in(rows([-1, 0, 1, 1]), data_labels=("-1=a", "0=b", "1=c")) == ["a", "b", "c", "c"]


@pytest.mark.parametrize("prefix", ["", "LABEL_"])
def test_texts_that_are_digits_are_texts_if_the_source_has_types(prefix: str, tmp_path: Path) -> None:
    first = f"{prefix}1"
    second = f"{prefix}0"
    third = f"{prefix}2"
    spelled = (f"{first}=x", f"{second}=y", f"{third}=z")
    for problems in tables([first, second, third, first], tmp_path)[1:]:
        message = as_flags(refused("such as Two dogs", labels_in, problems))
        assert not missing_from(message, f"{first}=NAME", f"{first}: 2 rows, such as A man plays")
        assert labels_in(problems, data_labels=spelled) == ["x", "y", "z", "x"]
        refused(f"unknown label '{first}'", labels_in, problems, data_labels=NLI_LABELS)


def test_a_column_without_types_has_numbers_only_if_all_are(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", ["entailment", 2, 1, "neutral"])
    refused("line 3: unknown label '2'.*texts", labels_in, path)
    spelled = ("entailment=e", "2=c", "1=n", "neutral=n")
    assert labels_in(path, data_labels=spelled) == ["e", "c", "n", "n"]
    assert labels_in(write_csv(tmp_path / "q.csv", [2, "", 1, "-"])) == ["contradiction", "neutral"]


def test_the_order_of_files_does_not_change_what_their_numbers_mean(tmp_path: Path) -> None:
    texts = write_csv(tmp_path / "a.csv", ["entailment", "neutral", "contradiction"])
    numbers = write_csv(tmp_path / "b.csv", [0, 1, 2])
    for files in ([texts, numbers], [numbers, texts]):
        refused("b.csv line 2: unknown label '0'", labels_in, files)
