"""A small Simple Pair, made once for all tests of a worker."""

from typing import Any

import pytest

from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="session")
def simple_pair(tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    """Simple Pair with 250 premises per family or template, in a folder named `simple_pair`."""
    return make_simple_pair(tmp_path_factory.mktemp("templates") / "simple_pair", SimplePairOptions(premises=250))


@pytest.fixture(scope="session")
def rows(simple_pair: MergeDataset) -> Rows:
    """The rows of each config of `simple_pair`, with the names of their labels."""
    return rows_of(simple_pair)


def rows_of(dataset: MergeDataset) -> Rows:
    """Return the rows of each config, with the names of their labels."""
    names = dataset.record.label_names
    return {
        name: [row | {"label": names[row["label"]]} for row in read_split(dataset, name, config.split).to_pylist()]
        for name, config in dataset.record.configs.items()
    }
