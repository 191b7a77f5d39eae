"""Find and open the whole data that a result is on."""

from collections.abc import Iterable

from merge_snli.answers.data import ScoredData
from merge_snli.answers.opening import open_config
from merge_snli.answers.reading import read_config
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.results.records import DatasetRecord


def find_whole(record: DatasetRecord, datasets: Iterable[MergeDataset]) -> ScoredData | None:
    """Open the whole data that a result is on, from the first data set that has it; None if none has.

    Args:
        record: What the result records about its data.
        datasets: The data sets.

    Raises:
        InputError: If the data cannot be read.
    """
    for dataset in datasets:
        may_have = dataset.digest == record.whole or not dataset.record.has_seeds
        if may_have and record.config in dataset.record.test_configs:
            data = read_config(dataset, str(record.config))
            if data.digest == record.whole:
                return data
    return None


def open_whole(data: object, record: DatasetRecord) -> ScoredData:
    """Return the whole data that a result is on.

    Args:
        data: The data, or what `merge_snli.score` takes as its data set.
        record: What the result records about it.

    Raises:
        InputError: If the data cannot be read, or the result is on other data.
    """
    if not isinstance(data, ScoredData):
        data = open_config(data, record.config, group_column=record.group_column if record.config is None else None)
    if (record.whole, record.config) != (data.digest, data.config):
        raise InputError(
            f"a result is on {record.title}, config {record.config} ({record.whole[:8]}), not on {data.full_name} "
            f"({data.digest[:8]})"
        )
    return data
