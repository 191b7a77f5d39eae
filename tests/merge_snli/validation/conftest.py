"""Fixtures: masked LMs with scripted suggestions, and a small data set generated with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.merge_snli.validation.random_runs import random_run, save_masked_lms

VALID_RUN = 2
"""Random seed of the run: two classes, two masked LMs, three subsamples, a kept column, the default filters."""


@pytest.fixture(scope="session")
def masked_lms(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return save_masked_lms(tmp_path_factory.mktemp("mlms"))


@pytest.fixture(scope="session")
def valid_set(masked_lms: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_run(VALID_RUN, tmp_path_factory.mktemp("valid"), masked_lms)
