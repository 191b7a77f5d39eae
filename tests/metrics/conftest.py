"""Fixtures of the metric's tests, which run offline with a temporary cache."""

import atexit
import os
import tempfile
from typing import Any

import pytest

from tests import ROOT

_cache = tempfile.TemporaryDirectory(prefix="merge-evaluate-")
atexit.register(_cache.cleanup)

# evaluate reads these when it is first imported, before any fixture runs.
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_MODULES_CACHE", f"{_cache.name}/modules")
os.environ.setdefault("HF_METRICS_CACHE", f"{_cache.name}/metrics")

FOLDER = ROOT / "metrics" / "pattern_accuracy"


@pytest.fixture(scope="session")
def module_class() -> Any:  # noqa: ANN401  (evaluate has no types)
    import evaluate

    return type(evaluate.load(str(FOLDER)))


@pytest.fixture
def module(module_class: Any) -> Any:  # noqa: ANN401
    return module_class()
