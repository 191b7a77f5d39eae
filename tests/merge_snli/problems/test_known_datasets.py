"""Known sources: each row of the table reads a small data set of the shape that it describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import pytest

from generation.options import Options
from merge_snli.errors import InputError
from merge_snli.problems.known_datasets import KNOWN_DATASETS, KnownDataset, known_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems

PAIRS = (
    ("Two dogs run across the wet grass.", "Some animals run outside.", 0),
    ("Two dogs run across the wet grass.", "The dogs sleep on a sofa.", 1),
)


def save(source: KnownDataset, folder: Path) -> None:
    """Write a data set of the shape of a known source, with a pair of each label, as the Hub would hold it."""
    values = {name: [f"{name} {row}" for row in range(len(PAIRS))] for name in source.columns}
    values[source.premise_column] = [premise for premise, _, _ in PAIRS]
    values[source.hypothesis_column] = [hypothesis for _, hypothesis, _ in PAIRS]
    features = {name: datasets.Value("string") for name in source.columns}
    labels: list[Any] = [label for _, _, label in PAIRS]
    if source.label_names is None:
        features[source.label_column] = datasets.ClassLabel(names=list(source.labels))
    else:
        labels = [source.label_names[label].partition("=")[0] for label in labels]
    values[source.label_column] = labels
    data = datasets.Dataset.from_dict(values, features=datasets.Features(features))
    config = source.config or "default"
    for split in source.splits:
        (folder / config).mkdir(parents=True, exist_ok=True)
        data.to_parquet(folder / config / f"{split}.parquet")
    files = "".join(f"  - split: {split}\n    path: {config}/{split}.parquet\n" for split in source.splits)
    other = "- config_name: another\n  data_files: another.parquet\n" if source.config else ""
    card = f"---\nconfigs:\n- config_name: {config}\n  data_files:\n{files}{other}---\n"
    (folder / "README.md").write_text(card, encoding="utf-8")


@pytest.mark.parametrize("source", KNOWN_DATASETS, ids=lambda source: source.hub_id)
def test_a_known_source_needs_no_column_options(
    source: KnownDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(source, tmp_path / "repository")
    load = datasets.load_dataset

    def from_the_folder(path: str, name: str | None, *, split: str, revision: str | None) -> Any:  # noqa: ANN401 - a data set
        assert (path, revision) == (source.hub_id, None)
        return load(str(tmp_path / "repository"), name, split=split, cache_dir=str(tmp_path / "cache"))

    monkeypatch.setattr(datasets, "load_dataset", from_the_folder)
    extra = next((name for name in source.columns if name not in roles(source)), None)
    options = ProblemOptions(problems=source.hub_id, keep_column=() if extra is None else (extra,))
    assert options.split == source.splits[0]
    read = read_problems(options)
    assert read.label_names == source.labels
    assert [(each.premise, each.hypothesis, each.label) for each in read.problems] == list(PAIRS)
    assert [each.extra for each in read.problems] == [() if extra is None else (f"{extra} {row}",) for row in range(2)]


def roles(source: KnownDataset) -> set[str]:
    return {source.premise_column, source.hypothesis_column, source.label_column, "premise", "hypothesis", "label"}


def test_the_table_is_whole() -> None:
    ids = [source.hub_id for source in KNOWN_DATASETS]
    assert len(set(ids)) == len(ids)
    for source in KNOWN_DATASETS:
        assert {source.premise_column, source.hypothesis_column, source.label_column} <= set(source.columns)
        assert len(set(source.columns)) == len(source.columns)
        assert source.attribution.endswith(".")
        if source.label_names is not None:
            assert tuple(name.partition("=")[2] for name in source.label_names) == source.labels


def test_what_the_table_says_of_the_odd_ones() -> None:
    fever, scitail = known_dataset("pietrolesci/nli_fever"), known_dataset("allenai/scitail")
    assert fever is not None
    assert scitail is not None
    assert (fever.premise_column, fever.hypothesis_column, fever.splits[0]) == ("hypothesis", "premise", "dev")
    assert (scitail.config, scitail.labels) == ("tsv_format", ("entailment", "not_entailment"))
    assert known_dataset("someone/else") is None
    assert known_dataset("allenai/scitail@0123abc") == scitail


def test_what_the_user_says_comes_first() -> None:
    options = Options(
        problems="nyu-mll/multi_nli",
        mlm=("m",),
        split="validation_mismatched",
        premise_column="hypothesis",
        label_names=("a", "b"),
    )
    assert (options.split, options.premise_column, options.label_column) == (
        "validation_mismatched",
        "hypothesis",
        "label",
    )
    assert options.label_names == ("a", "b")
    assert Options(problems="nyu-mll/multi_nli", mlm=("m",)).split == "validation_matched"
    assert Options(problems="someone/else", mlm=("m",)).split == "test"


def test_a_source_that_cannot_be_loaded_says_what_is_known_of_it() -> None:
    with pytest.raises(InputError, match=r"RobZamp/sick, split test.*loading script"):
        read_problems(ProblemOptions(problems="RobZamp/sick"))
    with pytest.raises(InputError, match="facebook/xnli, config en, split test"):
        read_problems(ProblemOptions(problems="facebook/xnli"))
