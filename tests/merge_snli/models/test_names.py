"""Test the display names of the models of one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.models.names import name_models


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("a/x/last", "b/x/last", "c/y/last", "runs/lr=0.1", "other"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["a/x/last"], {"last": "a/x/last"}),
        (["a/x/last", "./a/x/last"], {"last": "a/x/last"}),
        (["a/x/last", "c/y/last"], {"x/last": "a/x/last", "y/last": "c/y/last"}),
        (["a/x/last", "b/x/last", "c/y/last"], {"a/x/last": "a/x/last", "b/x/last": "b/x/last", "y/last": "c/y/last"}),
        (["first=a/x/last", "b/x/last"], {"first": "a/x/last", "last": "b/x/last"}),
        (["runs/lr=0.1", "runs/lr=0.2"], {"lr=0.1": "runs/lr=0.1", "runs/lr=0.2": "runs/lr=0.2"}),
        (["org/m@v1", "org/m@v2", "demo:nli-a", "org/m@v1"], {n: n for n in ("org/m@v1", "org/m@v2", "demo:nli-a")}),
    ],
)
def test_names(arguments: list[str], named: dict[str, str]) -> None:
    assert name_models(arguments) == named


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m=a/x/last", "m=other"], r"named m \(a/x/last and other\)"),
        (["other", "other=a/x/last"], r"named other \(other and a/x/last\)"),
        (["m=gone"], "'m=gone'"),
        (["=other"], "'=other'"),
    ],
)
def test_equal_names_and_missing_folders_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        name_models(arguments)
