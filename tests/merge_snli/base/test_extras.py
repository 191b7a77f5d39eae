"""Tests of the command that installs an extra: it names the packages that pyproject.toml has."""

import shlex
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from merge_snli.base.extras import install_command

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"
EXTRAS = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["adapters", "annotate", "cluster", "inspect"])
def test_the_command_names_the_packages_of_the_extra(extra: str) -> None:
    start, *packages = install_command(extra).partition("install ")[0::2]
    assert start == "pip "
    assert {*map(Requirement, shlex.split(packages[0]))} == {*map(Requirement, EXTRAS[extra])}
