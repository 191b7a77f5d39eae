"""The ways of loading a MERGE data set that users have: with `datasets`, with data frames, and with a script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import pyarrow.parquet as pq
from datasets import config

from merge_snli.builder import MergeSnli
from merge_snli.dataset.script_branch import script_files
from merge_snli.dataset.stored import find_dataset
from merge_snli.hub.register import register
from tests import ROOT

Row = dict[str, Any]

# The Python of an environment with datasets 3.6.0, the last 3.x release, which supports loading scripts.
OLD_DATASETS = ROOT / "build" / "datasets-3" / "venv" / "bin" / "python"

COLUMNS = ("seed_id", "premise", "hypothesis", "label")


def every_row(rows: list[Row]) -> list[Row]:
    """Return all rows."""
    return rows


def some_columns(rows: list[Row]) -> list[Row]:
    """Return the rows reduced to `COLUMNS`."""
    return [{name: row[name] for name in COLUMNS} for row in rows]


def probable(rows: list[Row]) -> list[Row]:
    """Return the rows whose `log_odds` is above 1."""
    return [row for row in rows if row["log_odds"] > 1]


@dataclass(frozen=True)
class Line:
    """One way of loading.

    Attributes:
        name: Its name.
        folder: The working directory: `parent` of the data set, or `empty`.
        code: The user's code; it assigns the rows of config `noun`, split `subsample_3`, to `rows`.
        expected: Returns the part of these rows that the code loads.
        registered: Whether the data set is registered first.
    """

    name: str
    folder: str
    code: str
    expected: Callable[[list[Row]], list[Row]] = every_row
    registered: bool = False


# The ways that run in this process. `OLD_PROGRAM` runs with an older `datasets`.
LINES = (
    Line("folder by its path", "empty", "rows = load_dataset(folder, 'noun', split='subsample_3').to_list()"),
    Line(
        "bare name, beside the folder",
        "parent",
        "rows = load_dataset('merge_snli', 'noun', split='subsample_3').to_list()",
    ),
    Line(
        "streaming",
        "parent",
        "rows = list(load_dataset('merge_snli', 'noun', split='subsample_3', streaming=True))",
    ),
    Line(
        "columns=",
        "parent",
        f"rows = load_dataset('merge_snli', 'noun', split='subsample_3', columns={list(COLUMNS)}).to_list()",
        some_columns,
    ),
    Line(
        "filters=",
        "parent",
        "rows = load_dataset('merge_snli', 'noun', split='subsample_3', filters=[('log_odds', '>', 1.0)]).to_list()",
        probable,
    ),
    Line(
        "registered, bare name",
        "empty",
        "rows = load_dataset('merge_snli', 'noun', split='subsample_3').to_list()",
        registered=True,
    ),
    Line(
        "registered, streaming",
        "empty",
        "rows = list(load_dataset('merge_snli', 'noun', split='subsample_3', streaming=True))",
        registered=True,
    ),
    Line(
        "builder class, subsample=3",
        "empty",
        "builder = MergeSnli(config_name='noun', data_dir=folder, subsample=3)\n"
        "builder.download_and_prepare()\n"
        "rows = builder.as_dataset(split='test').to_list()",
    ),
    Line(
        "pandas", "parent", "rows = pandas.read_parquet('merge_snli/data/noun/subsample_3.parquet').to_dict('records')"
    ),
    Line("Polars", "parent", "rows = polars.read_parquet('merge_snli/data/noun/subsample_3.parquet').to_dicts()"),
    Line(
        "DuckDB",
        "parent",
        "rows = duckdb.sql(\"from 'merge_snli/data/noun/subsample_3.parquet'\").to_arrow_table().to_pylist()",
    ),
    Line("PyArrow", "parent", "rows = pq.read_table('merge_snli/data/noun/subsample_3.parquet').to_pylist()"),
)

# Loads every config with the loading script in a folder and prints the digest of the rows of each split.
OLD_PROGRAM = """
import datasets, hashlib, json, sys

folder, subsample = sys.argv[1], json.loads(sys.argv[2])
options = {} if subsample is None else {"subsample": subsample}
loaded = {}
for config in datasets.get_dataset_config_names(folder, trust_remote_code=True):
    splits = datasets.load_dataset(folder, config, trust_remote_code=True, **options)
    digests = {}
    for split, table in splits.items():
        rows = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in table)
        digests[split] = hashlib.sha256("\\n".join(rows).encode()).hexdigest()
    loaded[config] = digests
print(json.dumps({"version": datasets.__version__, "loaded": loaded}))
"""


def run_line(line: Line, folder: Path) -> list[Row]:
    """Load in one way, with empty caches and, if needed, with the data set registered.

    Args:
        line: The way of loading.
        folder: The data set's folder, named `merge_snli`.
    """
    import duckdb  # if it is imported before torch, its binding reports leaks when Python exits

    names = {"datasets": datasets, "duckdb": duckdb, "pandas": pandas, "polars": polars, "pq": pq}
    names |= {"load_dataset": datasets.load_dataset, "MergeSnli": MergeSnli, "folder": str(folder)}
    with empty_caches() as empty:
        if line.registered:
            register(str(folder))
        with working_in(folder.parent if line.folder == "parent" else empty):
            exec(line.code, names)
    rows: list[Row] = plain(names["rows"])
    return rows


@contextmanager
def empty_caches() -> Iterator[Path]:
    """Use new, empty caches of `datasets`, and yield an empty folder."""
    before = config.HF_DATASETS_CACHE, config.HF_MODULES_CACHE
    with tempfile.TemporaryDirectory() as home:
        config.HF_DATASETS_CACHE = Path(home, "datasets")
        config.HF_MODULES_CACHE = Path(home, "modules")
        (Path(home) / "empty").mkdir()
        try:
            yield Path(home) / "empty"
        finally:
            config.HF_DATASETS_CACHE, config.HF_MODULES_CACHE = before


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Change the working directory temporarily."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def plain(value: Any) -> Any:  # noqa: ANN401 - values of any type
    """Convert NumPy arrays and numbers to Python lists and numbers."""
    if isinstance(value, dict):
        return {name: plain(child) for name, child in value.items()}
    if isinstance(value, list):
        return [plain(child) for child in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def script_folder(folder: Path, at: Path) -> Path:
    """Write the files of the `script` branch of a published data set.

    Args:
        folder: The data set.
        at: An empty folder.

    Returns:
        The folder that contains the script; both are named `merge_snli`.
    """
    branch = at / "merge_snli"
    shutil.copytree(folder / "data", branch / "data")
    for name, content in script_files(find_dataset(str(folder))).items():
        (branch / name).write_bytes(content)
    return branch


def run_old(branch: Path, home: Path, subsample: int | None) -> dict[str, Any]:
    """Load every config with the loading script and datasets 3.6.0.

    Args:
        branch: The folder from `script_folder`.
        home: The folder for the library's caches.
        subsample: The subsample to load, None for all splits.

    Returns:
        The output of `OLD_PROGRAM`: the version, and per config the digests of the splits.
    """
    command = [str(OLD_DATASETS), "-c", OLD_PROGRAM, str(branch), json.dumps(subsample)]
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=home, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed
