"""Prepare the folders to move to the caches, one per config and one for the metric, and check that they load."""

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file, sha256_of_json
from merge_snli.base.progress import without_library_bars
from merge_snli.dataset.stored import MergeDataset
from merge_snli.schema import data_version

# The default name to load a data set by.
NAME = "merge_snli"

METRIC_NAME = "pattern_accuracy"
# The folder of the metric's modules in the cache of `evaluate`.
METRICS = Path("evaluate_modules", "metrics", f"evaluate-metric--{METRIC_NAME}")

# Python files of the metric's folder that its module does not import.
NOT_IMPORTED = frozenset({"__init__.py", "app.py"})

PROGRAM = """
import json, sys
sys.modules["transformers"] = None  # evaluate would import it, and torch, without need
import datasets, evaluate

name, metric, rows = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
for config, splits in [*rows.items(), (None, next(iter(rows.values())))]:
    loaded = datasets.load_dataset(name, config)
    found = {split: table.num_rows for split, table in loaded.items()}
    if found != splits:
        sys.exit(f"config {config} has {found} rows instead of {splits}")
scores = evaluate.load(metric, cache_dir=".").compute(
    predictions=[0, 1], references=[0, 0], groups=["seed", "seed"], thresholds=0.5
)
if scores["pattern_accuracy"] != 1.0:
    sys.exit(f"the metric gives {scores}")
"""


def prepare_dataset(dataset: MergeDataset, cache: Path, name: str) -> tuple[Path, ...]:
    """Write each config in the cache format of `datasets`, after checking the digests of the data files.

    Args:
        dataset: The data set.
        cache: The folder to use as the cache.
        name: The name to load it by.

    Returns:
        The folder of each config, relative to `cache`.
    """
    for file, digest in dataset.record.files.items():
        path = dataset.folder / file
        if not path.is_file() or sha256_of_file(path) != digest:
            raise InputError(f"{path} is missing or was changed: download or generate the data set again")
    with without_library_bars():
        folders = tuple(_prepare_config(dataset, config, cache, name) for config in dataset.record.rows)
    # The libraries load the latest of the cached versions of a name. So the first config (`all`) is the default config,
    # as in the data set's folder.
    now = time.time()
    for folder in folders:
        os.utime(cache / folder, (now, now))
    os.utime(cache / folders[0], (now, now + 1))
    return folders


def _prepare_config(dataset: MergeDataset, config: str, cache: Path, name: str) -> Path:
    from datasets.exceptions import DatasetGenerationError

    from merge_snli.builder import builder_of

    # The hash differs by config: if it were the same, loading without a config would fail.
    cache_hash = f"registered-{dataset.digest[:16]}-{config}"
    folder = Path(name, config, data_version(dataset.digest), cache_hash)
    builder = builder_of(tuple(dataset.record.rows))(
        config_name=config, data_dir=str(dataset.folder), dataset_name=name, cache_dir=str(cache / ".unused")
    )
    try:
        builder.download_and_prepare(output_dir=str(cache / folder))
    except DatasetGenerationError as error:
        raise (error.__cause__ if isinstance(error.__cause__, OSError) else error) from None  # such as a full disk
    (cache / folder.with_name(f"{folder.name}_builder.lock")).unlink(missing_ok=True)
    return folder


def metric_folder() -> Path:
    """Return the folder of the metric's module."""
    return Path(str(files(f"metrics.{METRIC_NAME}")))


def prepare_metric(cache: Path) -> Path:
    """Copy the metric's modules in the cache format of `evaluate`.

    Args:
        cache: The folder to use as the cache of modules.

    Returns:
        The metric's folder, relative to `cache`.
    """
    sources = [path for path in sorted(metric_folder().glob("*.py")) if path.name not in NOT_IMPORTED]
    contents = {path.name: path.read_text(encoding="utf-8") for path in sources}
    folder = METRICS / sha256_of_json(contents)
    (cache / folder).mkdir(parents=True)
    for name, content in (contents | {"__init__.py": ""}).items():
        (cache / folder / name).write_text(content, encoding="utf-8")
    return folder


def check_loading(dataset: MergeDataset, stage: Path, name: str) -> None:
    """Load every config and the metric by bare name from prepared caches; if that fails, say how to load the folders.

    Args:
        dataset: The data set.
        stage: The folder whose subfolders `datasets` and `modules` are used as the caches. The libraries write nowhere
            else.
        name: The name of the data set.
    """
    empty = stage / "empty"
    empty.mkdir()
    command = [sys.executable, "-c", PROGRAM, name, METRIC_NAME, json.dumps(dataset.record.rows)]
    variables = {
        "HF_HOME": str(stage / "home"),
        "HF_DATASETS_CACHE": str(stage / "datasets"),
        "HF_MODULES_CACHE": str(stage / "modules"),
        "HF_EVALUATE_CACHE": str(stage / "home" / "evaluate"),
        "HF_HUB_OFFLINE": "1",
        "HF_EVALUATE_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        command, cwd=empty, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        message = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise InputError(
            f"datasets {version('datasets')} and evaluate {version('evaluate')} do not load the prepared caches "
            f"({message}), so nothing was registered: load from the folders instead, with "
            f"load_dataset({str(dataset.folder.resolve())!r}, {dataset.configs[1]!r}) and "
            f"evaluate.load({str(metric_folder())!r})"
        )
