"""Find a data set in a folder or on the Hub, and read its Parquet files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import REASON, InputError, explained
from merge_snli.base.files import is_path, sha256_of_file
from merge_snli.base.hub_ids import fetch, split_revision
from merge_snli.base.table import Column, Table
from merge_snli.embedded import PREFIX
from merge_snli.schema import TEST, data_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from merge_snli.dataset.record import Record

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

    Attributes:
        name: The folder or Hub id as the user typed it, without the revision.
        folder: The folder of `README.md`, `data/` and `run.json`.
        revision: The commit on the Hub; None for a local folder.
        record: The content of `run.json`.
    """

    name: str
    folder: Path
    revision: str | None
    record: Record = field(repr=False)

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
        return tuple(
            config
            for config, splits in self.record.data_rows.items()
            if any((self.folder / data_file(config, split)).is_file() for split in splits)
        )

    def to_pandas(self, config: str, split: str = TEST) -> pd.DataFrame:
        """Return one split of one config as a pandas data frame, with labels by name.

        Args:
            config: One of `configs`, or `annotation`.
            split: `test`; `subsample_K` for a subsample, `train` for pairs to train on.

        Raises:
            InputError: If the config or split does not exist, or the file is not the one that the run wrote.
        """
        table = read_split(self, config, split)
        frame: pd.DataFrame = table.to_pandas()
        if "label" in frame:
            frame["label"] = frame["label"].map(dict(enumerate(self.record.label_names)))
        return frame

    def _repr_html_(self) -> str:
        """Return the number of rows of each config and split as an HTML table for a notebook."""
        rows = tuple(
            (config, split, number) for config, splits in self.record.rows.items() for split, number in splits.items()
        )
        columns = (Column("config", "left"), Column("split", "left"), Column("rows"))
        return Table(title=self.record.title, columns=columns, rows=rows).html()


def find_dataset(name: str, *, revision: str | None = None) -> MergeDataset:
    """Open a data set; download it from the Hub if `name` is not a folder.

    Args:
        name: A folder, `demo:dataset` for the bundled one, the Hub id of a data set, or `ORG/NAME@REVISION`.
        revision: Branch, tag or commit on the Hub; overrides the one in `name`.

    Raises:
        InputError: If there is no such data set, it cannot be downloaded, or its `run.json` is missing or invalid.
    """
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
        return data
    if not Path(data).is_dir():
        raise InputError(f"{data} does not exist: pass the folder of a data set")
    return find_dataset(data)


def is_dataset(name: str) -> bool:
    """Return whether a name is that of a data set with the record of its run, and not of other data.

    Args:
        name: A folder, or a Hub id as in `find_dataset`, of which the record is downloaded.
    """
    if Path(name).exists():
        return (Path(name) / RUN_FILE).is_file()
    if name == BUNDLED:
        return True
    if is_path(name):
        return False
    repo_id, revision = split_revision(name)
    folder = fetch(
        repo_id,
        repo_type="dataset",
        revision=revision,
        patterns=[RUN_FILE],
        alternative="a file or folder",
    )
    return (folder / RUN_FILE).is_file()


def _from_folder(name: str, folder: Path, revision: str | None) -> MergeDataset:
    from merge_snli.dataset.record import read_record

    return MergeDataset(name, folder, revision, read_record(folder / RUN_FILE))


def read_split(dataset: MergeDataset, config: str, split: str = TEST) -> pa.Table:
    """Read one split of one config.

    Args:
        dataset: The data set.
        config: One of `configs`, or `annotation`.
        split: `test`; `subsample_K` for a subsample, `train` for pairs to train on.

    Returns:
        The rows, with the columns of the record.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = dataset.folder / data_file(config, split)
    if not path.is_file():
        available = ", ".join(dataset.configs) or "none"
        raise InputError(f"{dataset.folder} has no split {split} of config {config}; available configs: {available}")
    recorded = dataset.record.files.get(data_file(config, split))
    if recorded is not None and sha256_of_file(path) != recorded:
        raise InputError(f"{path} has changed since the run wrote it: download or generate the data set again")
    with explained((pa.ArrowException, OSError), f"{path} cannot be read as Parquet: {REASON}"):
        return pq.read_table(path)
