"""Everything here runs without the Hub and with a cache of its own."""

import atexit
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

_cache = tempfile.TemporaryDirectory(prefix="merge-evaluate-")
atexit.register(_cache.cleanup)

# Read when evaluate is first imported, so that a fixture would come too late.
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_MODULES_CACHE", f"{_cache.name}/modules")
os.environ.setdefault("HF_METRICS_CACHE", f"{_cache.name}/metrics")

FOLDER = Path(__file__).parents[2] / "metrics" / "pattern_accuracy"


@pytest.fixture(scope="session")
def module_class() -> Any:  # noqa: ANN401  (evaluate has no types)
    import evaluate

    return type(evaluate.load(str(FOLDER)))


@pytest.fixture
def module(module_class: Any) -> Any:  # noqa: ANN401
    return module_class()
