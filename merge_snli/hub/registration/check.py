"""Check prepared caches: load everything by bare name in another process, with `datasets` and `evaluate` alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.hub.registration.prepare import METRIC_NAME, metric_folder

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset.stored import MergeDataset

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


def check_loading(dataset: MergeDataset, stage: Path, name: str) -> None:
    """Load every config and the metric by bare name from prepared caches.

    Args:
        dataset: The data set.
        stage: The folder whose subfolders `datasets` and `modules` are used as the caches. The libraries write nowhere
            else.
        name: The name of the data set.

    Raises:
        InputError: If loading fails; the message says how to load from the folder instead.
    """
    empty = stage / "empty"
    empty.mkdir()
    command = [sys.executable, "-c", PROGRAM, name, METRIC_NAME, json.dumps(dataset.record.data_rows)]
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
    if f"[Errno {errno.ENOSPC}]" in done.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if done.returncode != 0:
        message = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise InputError(
            f"datasets {version('datasets')} and evaluate {version('evaluate')} do not load the prepared caches "
            f"({message}), so nothing was registered: load from the folders instead, with "
            f"load_dataset({str(dataset.folder.resolve())!r}, {dataset.configs[1]!r}) and "
            f"evaluate.load({str(metric_folder())!r})"
        )
