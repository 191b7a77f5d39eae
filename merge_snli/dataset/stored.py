"""Data sets on disk: find and read one."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import is_path, sha256_of_file
from merge_snli.base.hub_ids import fetch, split_revision
from merge_snli.base.limits import open_parquet
from merge_snli.base.table import Column, Table
from merge_snli.embedded import PREFIX
from merge_snli.schema import TEST, data_file, data_version

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from merge_snli.dataset.loaded import LoadedRows
    from merge_snli.dataset.record import Record

logger = logging.getLogger(__name__)

# The record of the run: options, versions, digests and counts.
RUN_FILE = "run.json"

CARD_FILE = "README.md"

# The name of the bundled data set in any folder.
BUNDLED = PREFIX + "dataset"

# The folder of the bundled data set, which is that of the package.
FOLDER = Path(__file__).parents[1]


@dataclass(frozen=True)
class MergeDataset:
    """A data set on disk: sentence pairs in groups, with subsamples and seeds if its record says so.

    What `datasets` loaded is one, too: of the folder that has its rows, or without a folder if none is found.

    Attributes:
        name: The folder or Hub id as the user typed it, without the revision.
        folder: The folder of `README.md`, `data/` and `run.json`.
        revision: The commit on the Hub; None for a local folder.
        record: The content of `run.json`.
        loaded: The rows that `datasets` loaded; None for a whole data set.
    """

    name: str
    folder: Path
    revision: str | None
    record: Record = field(repr=False)
    loaded: LoadedRows | None = field(default=None, repr=False)

    @property
    def is_stored(self) -> bool:
        """Whether it has a folder, and is not only rows in memory."""
        return self.loaded is None or bool(self.record.files)

    @property
    def digest(self) -> str:
        """The sha256 of the data files, as recorded by the run."""
        return self.record.data.digest

    @property
    def public_name(self) -> str:
        """The Hub id, `demo:dataset`, or the name of the folder without its path."""
        if self.folder.resolve() == FOLDER.resolve():
            return BUNDLED
        return self.folder.resolve().name if self.revision is None else self.name

    @property
    def configs(self) -> tuple[str, ...]:
        """The configs that have a file, in their order."""
        if not self.is_stored:
            return tuple(self.record.configs)
        found = []
        for name, config in self.record.configs.items():
            if any((self.folder / data_file(name, split)).is_file() for split in config.splits):
                found.append(name)
        return tuple(found)

    def to_pandas(self, config: str, split: str = TEST) -> pd.DataFrame:
        """Return one split of one config as a pandas data frame, with labels by name.

        Args:
            config: One of `configs`, or `annotation`.
            split: `test`; `subsample_K` for a subsample, `train` for pairs to train on.

        Raises:
            InputError: If the config or split does not exist, or the file is not the one that the run wrote.
        """
        frame: pd.DataFrame = read_split(self, config, split).to_pandas()
        if "label" in frame:
            frame["label"] = frame["label"].map(dict(enumerate(self.record.label_names)))
        return frame

    def _repr_html_(self) -> str:
        """Return the number of rows of each config and split as an HTML table for a notebook."""
        rows = []
        for config, splits in self.record.rows.items():
            for split, number in splits.items():
                rows.append((config, split, number))
        columns = (Column("config", "left"), Column("split", "left"), Column("rows"))
        return Table(title=self.record.title, columns=columns, rows=rows).html()


def find_dataset(name: object, *, revision: str | None = None) -> MergeDataset:
    """Open a data set; download it from the Hub if `name` is not a folder.

    Args:
        name: A folder, `demo:dataset` for the bundled one, the Hub id of a data set, or `ORG/NAME@REVISION`; or what
            `load_dataset` returned for a config of one.
        revision: Branch, tag or commit on the Hub; overrides the one in `name`.

    Raises:
        InputError: If there is no such data set, it cannot be downloaded, or its `run.json` is missing or invalid.
    """
    if isinstance(name, MergeDataset):
        return name
    if not isinstance(name, str | Path):
        return _of_loaded(name)
    name = str(name)
    if not name.strip() or "\0" in name:
        raise InputError(f"⟦name⟧ is {name!r}: give a folder or Hub id")
    if Path(name).is_dir():
        return _from_folder(name, Path(name), None)
    if name == BUNDLED:
        return _from_folder(name, FOLDER, None)
    if name.startswith(PREFIX):
        raise InputError(f"{name} is not a bundled data set: pass {BUNDLED}")
    if Path(name).is_file():
        raise InputError(f"{name} is not a data set: it is a file; pass the folder of the data set")
    if is_path(name):
        raise InputError(f"no data set at {name}: the folder does not exist")
    repo_id, revision_in_name = split_revision(name)
    folder = fetch(
        repo_id,
        repo_type="dataset",
        revision=revision or revision_in_name,
        patterns=[CARD_FILE, RUN_FILE, "data/*.parquet"],
        alternative=f"the folder of a finished run, or {BUNDLED}",
    )
    return _from_folder(repo_id, folder, folder.name)


def find_local(data: MergeDataset | str) -> MergeDataset:
    """Return a data set in a folder of this machine."""
    if isinstance(data, MergeDataset):
        if not data.is_stored:
            raise InputError(f"{data.name} has no folder, only rows in memory: give the folder of the data set")
        return data
    if not Path(data).is_dir() and data != BUNDLED:
        raise InputError(f"{data} does not exist: pass the folder of a data set")
    return find_dataset(data)


def is_dataset(name: str) -> bool:
    """Return whether a name is that of a data set with the record of its run, and not of other data.

    Args:
        name: A folder, or a Hub id as in `find_dataset`, of which the record is downloaded.
    """
    folder = FOLDER if name == BUNDLED and not Path(name).exists() else Path(name)
    if not (folder.exists() or is_path(name)):
        repo_id, revision = split_revision(name)
        folder = fetch(
            repo_id, repo_type="dataset", revision=revision, patterns=[RUN_FILE], alternative="a file or folder"
        )
    return (folder / RUN_FILE).is_file()


def _from_folder(name: str, folder: Path, revision: str | None) -> MergeDataset:
    from merge_snli.dataset.record_file import read_record

    return MergeDataset(name, folder, revision, read_record(folder / RUN_FILE))


def _of_loaded(given: object) -> MergeDataset:
    """Return the data set that loaded rows are of: that of the folder or repository that has them, if one is found."""
    from merge_snli.dataset.loaded import read_loaded

    loaded = read_loaded(given)
    found = _with_rows(loaded)
    if found is not None:
        return replace(found, loaded=loaded)
    logger.warning(
        "the folder of %s, config %s, is not known, so results on it stand beside no others: give the folder or Hub id",
        loaded.name,
        loaded.config,
    )
    return MergeDataset(loaded.name, Path(loaded.name), None, loaded.record(), loaded)


def _with_rows(loaded: LoadedRows) -> MergeDataset | None:
    """Return the data set that has some rows: the bundled one, one below the working directory, or one on the Hub."""
    folders = [FOLDER, Path(loaded.name)]
    folders += [path.parent for path in sorted(Path().glob(f"*/{loaded.name}/{RUN_FILE}"))]
    names = [BUNDLED if folder == FOLDER else str(folder) for folder in folders if (folder / RUN_FILE).is_file()]
    if loaded.hub_id is not None:
        names.append(loaded.hub_id)
    for name in names:
        with suppress(InputError):
            found = find_dataset(name)
            if data_version(found.digest) == loaded.version and loaded.are_of(read_split(found, loaded.config)):
                return found
    return None


def as_datasets(datasets: str | Path | MergeDataset | Iterable[MergeDataset | str | Path]) -> tuple[MergeDataset, ...]:
    """Return data sets, or find those of folders and Hub ids; a single one need not be in a list."""
    several = [datasets] if isinstance(datasets, str | Path | MergeDataset | Mapping) else datasets
    return tuple(map(find_dataset, several))


def read_split(dataset: MergeDataset, config: str, split: str = TEST, *, repeated: Sequence[str] = ()) -> pa.Table:
    """Read one split of one config.

    Args:
        dataset: The data set.
        config: One of `configs`, or `annotation`.
        split: `test`; `subsample_K` for a subsample, `train` for pairs to train on.
        repeated: Columns of texts that repeat, to be read as dictionary arrays.

    Returns:
        The rows, with the columns of the record.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = data_file(config, split)
    path = dataset.folder / file
    recorded = dataset.record.files.get(file)
    if dataset.loaded is not None and not dataset.is_stored and (config, split) == (dataset.loaded.config, TEST):
        return dataset.loaded.table
    if not path.is_file():
        if recorded is not None:
            raise InputError(f"{path} is missing: download or generate the data set again")
        available = ", ".join(dataset.configs) or "none"
        raise InputError(f"{dataset.folder} has no split {split} of config {config}; available configs: {available}")
    if recorded is not None and sha256_of_file(path) != recorded:
        raise InputError(f"{path} has changed since the run wrote it: download or generate the data set again")
    errors = (pa.ArrowException, OSError)
    with explained(errors, f"{path} cannot be read as Parquet: ⟦reason⟧"):
        texts = [name for name in pq.read_schema(path).names if name in repeated]
        with open_parquet(path, read_dictionary=texts) as parquet:
            return parquet.read()
