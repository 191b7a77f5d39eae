"""Known data sets: each entry reads a small data set with the columns and labels that it describes."""

import re
from collections.abc import Iterator

import datasets
import pytest

from merge_snli.problems.known_datasets import KnownDataset, known_dataset, known_datasets
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS
from tests import ROOT
from tests.oracles import refused

# A column that is neither a text nor the label.
NOTE = "note"

PREMISE, HYPOTHESIS = "Two dogs run across the wet grass.", "Some animals run outside."


def data_like(known: KnownDataset) -> datasets.Dataset:
    """Return a data set like a known one, with a row for each of two labels."""
    values = dict.fromkeys(roles(known), "Why?") | {NOTE: "a note"}
    values |= {known.premise_column: PREMISE, known.hypothesis_column.split("+")[-1]: HYPOTHESIS}
    spelled = [entry.partition("=")[0] for entry in known.data_labels or known.labels]
    data = datasets.Dataset.from_list([values | {known.label_column: label} for label in spelled[:2]])
    if known.data_labels is None:
        data = data.cast_column(known.label_column, datasets.ClassLabel(names=list(known.labels)))
    return data


@pytest.mark.parametrize("known", known_datasets(), ids=lambda known: f"{known.hub_id}-{known.config}")
def test_a_known_data_set_needs_no_column_options(known: KnownDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load(path: str, name: str | None, *, split: str, revision: str | None) -> datasets.Dataset:
        asked.append((path, name, split, revision))
        return data_like(known)

    monkeypatch.setattr(datasets, "load_dataset", load)
    options = ProblemOptions(problems=known.hub_id, config=known.config, keep_column=(NOTE,))
    read = read_problems(options)
    assert asked == [(known.hub_id, known.config, known.splits[0], None)]
    assert options.split == known.splits[0]
    assert read.label_names == known.labels
    assert [problem.label for problem in read.problems] == [0, 1]
    first = read.problems[0]
    assert first.premise == PREMISE
    assert first.hypothesis == "Why? " * known.hypothesis_column.count("+") + HYPOTHESIS
    assert first.extra == ("a note",)


def roles(known: KnownDataset) -> set[str]:
    return {known.premise_column, *known.hypothesis_column.split("+"), known.label_column}


def test_the_entries_are_consistent() -> None:
    ids = [(known.hub_id, known.config) for known in known_datasets()]
    assert len(set(ids)) == len(ids)
    for known in known_datasets():
        assert len(roles(known)) >= 3
        assert known.attribution.endswith(".")
        for entry, label in zip(known.data_labels or (), known.labels, strict=known.data_labels is not None):
            assert entry.partition("=")[2] == label


def test_published_labels_have_the_right_names() -> None:
    published = {known.hub_id: known.data_labels for known in known_datasets() if known.data_labels is not None}
    assert published == {
        "allenai/scitail": ("entails=entailment", "neutral=not_entailment"),
        "google-research-datasets/paws": ("0=different", "1=paraphrase"),
        "google/boolq": ("False=no", "True=yes"),
        "tals/vitaminc": ("SUPPORTS=entailment", "NOT ENOUGH INFO=neutral", "REFUTES=contradiction"),
    }


ROW = re.compile(r"^\| `([\w-]+/[\w-]+)` \| (?:`(\w+)`)?(.*) \|$", re.MULTILINE)


def rows_of_pages() -> Iterator[tuple[str, str | None, list[str]]]:
    """Yield the Hub id, the config and the other cells of each known data set in the documentation."""
    for page in ("generate.md", "tasks.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        for hub_id, config, cells in ROW.findall(text):
            yield hub_id, config or None, [cell.strip() for cell in cells.replace("`", "").split("|")[1:]]


def test_the_pages_have_every_known_data_set() -> None:
    found = set()
    for hub_id, config, (*texts, split, labels) in rows_of_pages():
        known = known_dataset(hub_id, config)
        assert known is not None
        found.add(known)
        assert split == known.splits[0]
        assert (NLI_LABELS if labels.startswith("three") else tuple(labels.split(", "))) == known.labels
        assert texts in ([], [f"{known.premise_column}, {known.hypothesis_column}"])
    assert found == {*known_datasets()}


@pytest.mark.parametrize(
    ("name", "config", "found"),
    [
        ("allenai/scitail@0123abc", None, "tsv_format"),
        ("nyu-mll/glue", None, "mnli"),
        ("nyu-mll/glue", "mrpc", "mrpc"),
        ("facebook/xnli", "fr", "en"),
    ],
)
def test_an_entry_is_found_for_a_config_and_a_revision(name: str, config: str | None, found: str) -> None:
    known = known_dataset(name, config)
    assert known is not None
    assert known.config == found


@pytest.mark.parametrize(("name", "config"), [("someone/else", None), ("nyu-mll/glue", "stsb")])
def test_other_data_sets_and_configs_are_not_known(name: str, config: str | None) -> None:
    assert known_dataset(name, config) is None
    assert ProblemOptions(problems=name, config=config).split == "test"


def test_options_override_the_known_values() -> None:
    options = ProblemOptions(
        problems="nyu-mll/multi_nli", split="validation_mismatched", premise_column="text", data_labels=("a", "b")
    )
    assert options.split == "validation_mismatched"
    assert options.premise_column == "text"
    assert options.data_labels == ("a", "b")
    assert options.label_column == "label"
    assert ProblemOptions(problems="nyu-mll/multi_nli").split == "validation_matched"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RobZamp/sick", r"RobZamp/sick, split test.*loading script"),
        ("facebook/xnli", "facebook/xnli, config en, split test"),
    ],
)
def test_a_known_data_set_that_cannot_be_loaded_is_an_error_with_advice(name: str, message: str) -> None:
    refused(message, read_problems, ProblemOptions(problems=name))
