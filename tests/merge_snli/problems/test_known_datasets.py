"""Known data sets: each entry reads a small data set with the columns and labels that it describes."""

import re
from pathlib import Path
from typing import Any

import datasets
import pytest

from generation.options import Options
from merge_snli.problems.known_datasets import KnownDataset, known_dataset, known_datasets
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests.oracles import refused

# A column that is neither a text nor the label.
NOTE = "note"

PAIRS = (
    ("Two dogs run across the wet grass.", "Some animals run outside.", 0),
    ("Two dogs run across the wet grass.", "The dogs sleep on a sofa.", 1),
)


def save(known: KnownDataset, folder: Path) -> None:
    """Write a data set like a known one to a folder like a Hub repository, with one pair per label."""
    names = [*roles(known), NOTE]
    values = {name: [f"{name} {row}" for row in range(len(PAIRS))] for name in names}
    values[known.premise_column] = [premise for premise, _, _ in PAIRS]
    *before, last = known.hypothesis_column.split("+")
    values[last] = [hypothesis for _, hypothesis, _ in PAIRS]
    values |= {name: ["Why?"] * len(PAIRS) for name in before}
    features = {name: datasets.Value("string") for name in names}
    labels: list[Any] = [label for _, _, label in PAIRS]
    if known.data_labels is None:
        features[known.label_column] = datasets.ClassLabel(names=list(known.labels))
    else:
        labels = [known.data_labels[label].partition("=")[0] for label in labels]
    values[known.label_column] = labels
    data = datasets.Dataset.from_dict(values, features=datasets.Features(features))
    config = known.config or "default"
    for split in known.splits:
        (folder / config).mkdir(parents=True, exist_ok=True)
        data.to_parquet(folder / config / f"{split}.parquet")
    files = "".join(f"  - split: {split}\n    path: {config}/{split}.parquet\n" for split in known.splits)
    other = "- config_name: another\n  data_files: another.parquet\n" if known.config else ""
    card = f"---\nconfigs:\n- config_name: {config}\n  data_files:\n{files}{other}---\n"
    (folder / "README.md").write_text(card, encoding="utf-8")


@pytest.mark.parametrize("known", known_datasets(), ids=lambda known: f"{known.hub_id}-{known.config}")
def test_a_known_data_set_needs_no_column_options(
    known: KnownDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(known, tmp_path / "repository")
    load = datasets.load_dataset

    def load_from_folder(path: str, name: str | None, *, split: str, revision: str | None) -> Any:  # noqa: ANN401 - a data set
        assert (path, revision) == (known.hub_id, None)
        return load(str(tmp_path / "repository"), name, split=split, cache_dir=str(tmp_path / "cache"))

    monkeypatch.setattr(datasets, "load_dataset", load_from_folder)
    options = ProblemOptions(problems=known.hub_id, config=known.config, keep_column=(NOTE,))
    assert options.split == known.splits[0]
    read = read_problems(options)
    assert read.label_names == known.labels
    joined = "Why? " * known.hypothesis_column.count("+")
    expected = [(premise, joined + hypothesis, label) for premise, hypothesis, label in PAIRS]
    assert [(problem.premise, problem.hypothesis, problem.label) for problem in read.problems] == expected
    assert [problem.extra for problem in read.problems] == [(f"{NOTE} {row}",) for row in range(2)]


def roles(known: KnownDataset) -> set[str]:
    return {known.premise_column, *known.hypothesis_column.split("+"), known.label_column}


def test_the_entries_are_consistent() -> None:
    ids = [(known.hub_id, known.config) for known in known_datasets()]
    assert len(set(ids)) == len(ids)
    for known in known_datasets():
        assert len(roles(known)) >= 3 and known.attribution.endswith(".")
        if known.data_labels is not None:
            assert tuple(name.partition("=")[2] for name in known.data_labels) == known.labels


def test_published_labels_have_the_right_names() -> None:
    assert {known.hub_id: known.data_labels for known in known_datasets() if known.data_labels is not None} == {
        "allenai/scitail": ("entails=entailment", "neutral=not_entailment"),
        "google-research-datasets/paws": ("0=different", "1=paraphrase"),
        "google/boolq": ("False=no", "True=yes"),
        "tals/vitaminc": ("SUPPORTS=entailment", "NOT ENOUGH INFO=neutral", "REFUTES=contradiction"),
    }


def test_the_pages_have_every_known_data_set() -> None:
    rows: dict[tuple[str, str], tuple[list[str], str, str]] = {}
    for page in ("generate.md", "tasks.md"):
        text = (Path(__file__).parents[3] / "docs" / page).read_text(encoding="utf-8")
        for line in re.findall(r"^\| (`[\w-]+/[\w-]+` \|.*) \|$", text, re.MULTILINE):
            name, config, *texts, split, labels = (cell.strip() for cell in line.replace("`", "").split("|"))
            rows[name, config.split(" ")[0]] = (texts, split, labels)
    assert rows.keys() == {(known.hub_id, known.config or "") for known in known_datasets()}
    for known in known_datasets():
        texts, split, labels = rows[known.hub_id, known.config or ""]
        assert split == known.splits[0]
        assert (NLI_LABELS if labels.startswith("three") else tuple(labels.split(", "))) == known.labels, known.hub_id
        assert texts in ([], [f"{known.premise_column}, {known.hypothesis_column}"])


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        (
            "pietrolesci/nli_fever",
            None,
            {"premise_column": "hypothesis", "hypothesis_column": "premise", "splits": ("dev", "train")},
        ),
        ("allenai/scitail", None, {"config": "tsv_format", "labels": ("entailment", "not_entailment")}),
        ("allenai/scitail@0123abc", None, {"config": "tsv_format", "labels": ("entailment", "not_entailment")}),
        ("nyu-mll/glue", None, {"config": "mnli"}),
        ("nyu-mll/glue", "mrpc", {"config": "mrpc"}),
    ],
)
def test_known_data_sets_with_unusual_columns_or_labels(
    name: str, config: str | None, expected: dict[str, object]
) -> None:
    known = vars(known_dataset(name, config))
    assert {field: known[field] for field in expected} == expected


def test_configs_and_revisions_of_known_data_sets() -> None:
    assert [known_dataset(*given) for given in (("someone/else",), ("nyu-mll/glue", "stsb"))] == [None, None]
    assert known_dataset("facebook/xnli", "fr") == known_dataset("facebook/xnli")


def test_options_override_the_known_values() -> None:
    given: dict[str, Any] = {"split": "validation_mismatched", "premise_column": "text", "data_labels": ("a", "b")}
    options = Options(problems="nyu-mll/multi_nli", mlm=("m",), **given)
    assert {name: getattr(options, name) for name in (*given, "label_column")} == given | {"label_column": "label"}
    splits = {"nyu-mll/multi_nli": "validation_matched", "someone/else": "test"}
    assert {name: Options(problems=name, mlm=("m",)).split for name in splits} == splits


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RobZamp/sick", r"RobZamp/sick, split test.*loading script"),
        ("facebook/xnli", "facebook/xnli, config en, split test"),
    ],
)
def test_a_known_data_set_that_cannot_be_loaded_is_an_error_with_advice(name: str, message: str) -> None:
    refused(message, read_problems, ProblemOptions(problems=name))
