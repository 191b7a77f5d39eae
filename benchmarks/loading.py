"""Time every way of loading a MERGE data set and count its rows.

    python -m benchmarks.loading [--dataset merge_snli] [--rounds 5]

Each way starts with empty caches. Importing libraries and registering the data set are not timed. The table shows the
median of the rounds. `tests/merge_snli/test_loading.py` compares the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]

OLD_DATASETS = Path(__file__).parents[1] / "build" / "datasets-3" / "venv" / "bin" / "python"
"""The Python of an environment with datasets 3.6.0, the last 3.x release, which supports loading scripts."""

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
        name: The name in the table.
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
"""The ways that run in this process. `OLD_PROGRAM` runs with an older `datasets`."""

OLD_PROGRAM = """
import datasets, hashlib, json, sys, time

folder, subsample = sys.argv[1], json.loads(sys.argv[2])
options = {} if subsample is None else {"subsample": subsample}
loaded = {}
for config in datasets.get_dataset_config_names(folder, trust_remote_code=True):
    start = time.perf_counter()
    splits = datasets.load_dataset(folder, config, trust_remote_code=True, **options)
    digests = {}
    for split, table in splits.items():
        rows = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in table)
        digests[split] = hashlib.sha256("\\n".join(rows).encode()).hexdigest()
    loaded[config] = {"digests": digests, "seconds": time.perf_counter() - start}
print(json.dumps({"version": datasets.__version__, "loaded": loaded}))
"""
"""Loads every config with the loading script in a folder and prints the digest of the rows of each split."""


def run_line(line: Line, folder: Path) -> tuple[list[Row], float]:
    """Load in one way, with empty caches and, if needed, with the data set registered.

    Args:
        line: The way of loading.
        folder: The data set's folder, named `merge_snli`.

    Returns:
        The rows, and the seconds that loading took.
    """
    import datasets
    import duckdb
    import pandas
    import polars
    import pyarrow.parquet as pq
    from datasets import load_dataset

    from merge_snli.builder import MergeSnli
    from merge_snli.hub.register import register

    names = {"datasets": datasets, "duckdb": duckdb, "pandas": pandas, "polars": polars, "pq": pq}
    names |= {"load_dataset": load_dataset, "MergeSnli": MergeSnli, "folder": str(folder)}
    with empty_caches() as empty:
        if line.registered:
            register(str(folder))
        with working_in(folder.parent if line.folder == "parent" else empty):
            start = time.perf_counter()
            exec(line.code, names)
            seconds = time.perf_counter() - start
    rows: Any = plain(names["rows"])
    return rows, seconds


@contextmanager
def empty_caches() -> Iterator[Path]:
    """Use new, empty caches of `datasets`, and yield an empty folder."""
    from datasets import config

    before = config.HF_DATASETS_CACHE, config.HF_MODULES_CACHE
    with tempfile.TemporaryDirectory() as home:
        config.HF_DATASETS_CACHE, config.HF_MODULES_CACHE = Path(home, "datasets"), Path(home, "modules")
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


def plain(value: object) -> object:
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
    from merge_snli.dataset.script_branch import script_files
    from merge_snli.dataset.stored import find_dataset

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
        The output of `OLD_PROGRAM`: the version, and per config the digests of the splits and the seconds.
    """
    command = [str(OLD_DATASETS), "-c", OLD_PROGRAM, str(branch), json.dumps(subsample)]
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=home, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def main() -> None:
    """Time every way of loading and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--dataset", type=Path, default=Path("merge_snli"), help="a folder named merge_snli (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
    folder = arguments.dataset.resolve()
    _quiet()
    run_line(LINES[0], folder)
    sys.stdout.write(f"{'config noun, split subsample_3 of ' + folder.name:40}{'rows':>8}{'seconds':>10}\n")
    for line in LINES:
        done = [run_line(line, folder) for _ in range(arguments.rounds)]
        sys.stdout.write(f"{line.name:40}{len(done[0][0]):8,}{statistics.median(taken for _, taken in done):10.3f}\n")
        sys.stdout.flush()
    _time_old(folder, arguments.rounds)


def _quiet() -> None:
    import datasets

    datasets.disable_progress_bars()
    datasets.logging.set_verbosity_error()


def _time_old(folder: Path, rounds: int) -> None:
    if not OLD_DATASETS.is_file():
        sys.stdout.write(f"datasets 3.6.0 skipped: {OLD_DATASETS} does not exist (run make datasets-3)\n")
        return
    seconds = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as at:
            result = run_old(script_folder(folder, Path(at)), Path(at), subsample=3)
            seconds.append(result["loaded"]["noun"]["seconds"])
    name = f"datasets {result['version']}, script, subsample=3"
    sys.stdout.write(f"{name:40}{'':8}{statistics.median(seconds):10.3f}\n")


if __name__ == "__main__":
    main()
