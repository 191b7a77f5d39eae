"""A `datasets` builder for a MERGE data set, with the option `subsample`.

As a class it reads the folder of a run, with any version of `datasets`. The Hub's branch `script` ships this file
under the name of the repository, together with `schema.py` and the data, and `datasets` 3 runs it as a loading script.
So it imports no module of the package except `schema`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

from .schema import (
    ALL,
    ANNOTATION,
    ANNOTATION_COLUMNS,
    SEED,
    TEST,
    WORD_CLASSES,
    DataColumn,
    data_file,
    data_version,
    features_of,
    subsample_split,
)

DATA_SET: dict[str, Any] | None = None
"""The result of `describe` for the published data set; None if the builder reads `run.json`."""

ROWS_PER_BATCH = 10_000


def describe(run: dict[str, Any]) -> dict[str, Any]:
    """Return what the builder needs to know of a data set.

    Args:
        run: The JSON object of `run.json`.

    Returns:
        `labels` in the order of their numbers, and `versions`, `splits` and `columns` by config.
    """
    configs = dict(run["configs"])
    versions = dict.fromkeys(run["configs"], data_version(run["data"]["digest"]))
    if run.get(ANNOTATION):
        configs[ANNOTATION] = {"splits": [TEST], "columns": [asdict(column) for column in ANNOTATION_COLUMNS]}
        versions[ANNOTATION] = data_version(run[ANNOTATION]["digest"])
    return {
        "labels": list(run["label_names"]),
        "versions": versions,
        "splits": {name: list(config["splits"]) for name, config in configs.items()},
        "columns": {name: config["columns"] for name, config in configs.items()},
    }


@dataclass
class MergeConfig(datasets.BuilderConfig):  # type: ignore[misc]
    """A config of a data set, such as `all`, a word class, `seed` or `annotation`.

    Attributes:
        subsample: The subsample that becomes the split `test`; None for all splits.
    """

    subsample: int | None = None


class MergeSnli(datasets.ArrowBasedBuilder):  # type: ignore[misc]
    """Builder that yields the rows of the Parquet files in their order.

    Args:
        config_name: `all` (the default), a word class, `seed` or `annotation`.
        data_dir: The folder of a run; None for the data set beside this file.
        subsample: The number of the subsample that becomes the split `test`; None for all splits. Configs `seed`
            and `annotation` are the same for every subsample.

    Raises:
        ValueError: If the data set has no such config or subsample.
    """

    BUILDER_CONFIG_CLASS = MergeConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - declared like this by the base class
        MergeConfig(name=name) for name in (DATA_SET["splits"] if DATA_SET else (ALL, *WORD_CLASSES, SEED, ANNOTATION))
    ]
    DEFAULT_CONFIG_NAME = ALL

    def _info(self) -> datasets.DatasetInfo:
        """Return the columns of the config, and set its version."""
        described = self._described()
        self.config.version = described["versions"].get(self.config.name)
        columns = [DataColumn(**column) for column in described["columns"].get(self.config.name, ())]
        return datasets.DatasetInfo(features=features_of(columns, described["labels"]))

    def _described(self) -> dict[str, Any]:
        return DATA_SET or describe(json.loads((self._folder() / "run.json").read_text(encoding="utf-8")))

    def _folder(self) -> Path:
        """Return the folder of a data set that this file was not published with."""
        return Path(self.config.data_dir or Path(__file__).parent).expanduser().resolve()

    def _stored_splits(self, splits: dict[str, list[str]]) -> dict[str, str]:
        """Map each split of the builder to the stored split with its rows."""
        name = self.config.name
        subsample = self.config.subsample
        if name not in splits:
            raise ValueError(f"Unknown config {name!r}; available: {', '.join(splits)}.")
        if subsample is None:
            return {split: split for split in splits[name]}
        number = sum(split != TEST for split in splits.get(ALL, ()))
        if type(subsample) is not int or subsample not in range(number):
            available = f"subsamples from 0 to {number - 1}" if number else "no subsamples"
            raise ValueError(f"This data set has {available} and not {subsample!r}.")
        return {TEST: TEST if name in (SEED, ANNOTATION) else subsample_split(subsample)}

    def _split_generators(self, dl_manager: datasets.DownloadManager) -> list[datasets.SplitGenerator]:
        """Return the Parquet file of each split, downloaded if this file was published with the data."""
        stored = self._stored_splits(self._described()["splits"])
        names = {split: data_file(self.config.name, name) for split, name in stored.items()}
        local = {split: str(self._folder() / name) for split, name in names.items()}
        paths = dl_manager.download(names if DATA_SET else local)
        return [datasets.SplitGenerator(name=split, gen_kwargs={"path": path}) for split, path in paths.items()]

    def _generate_tables(self, path: str) -> Iterator[tuple[int, pa.Table]]:
        """Yield the rows of one Parquet file in batches."""
        schema = self.info.features.arrow_schema
        with open(path, "rb") as file:  # noqa: PTH123 - `datasets` patches `open` to read URLs
            for number, batch in enumerate(pq.ParquetFile(file).iter_batches(ROWS_PER_BATCH)):
                yield number, pa.Table.from_batches([batch]).cast(schema)


def builder_of(configs: Sequence[str]) -> type[MergeSnli]:
    """Return the builder for a data set with some configs, such as those of pairs in groups.

    Args:
        configs: The names of the configs.
    """
    return type("MergeSnli", (MergeSnli,), {"BUILDER_CONFIGS": [MergeConfig(name=name) for name in configs]})
