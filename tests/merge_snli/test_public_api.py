"""The public API: its names exist, are imported lazily, and are no names of submodules."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import iter_modules

import pytest

import merge_snli


@pytest.mark.parametrize("name", merge_snli.__all__)
def test_each_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(merge_snli, name)
    assert callable(value)
    assert value.__doc__


def test_the_package_lists_its_public_names() -> None:
    assert {*merge_snli.__all__} <= {*dir(merge_snli)}


def test_no_public_name_is_a_submodule() -> None:
    """Importing a submodule of that name would replace it."""
    modules = {module.name for module in iter_modules(merge_snli.__path__)}
    assert {"scoring", "dataset"} <= modules
    assert not modules & {*merge_snli.__all__}


def test_importing_the_package_imports_no_public_name() -> None:
    code = "import sys, merge_snli; print([name for name in sys.modules if name.partition('.')[0] in PACKAGES])"
    code = code.replace("PACKAGES", "('merge_snli', 'generation', 'metrics')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['merge_snli.base', 'merge_snli.base.errors', 'merge_snli.base.typed', 'merge_snli']"
