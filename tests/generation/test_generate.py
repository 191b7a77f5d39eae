"""`generate` in Python: problems first, then options or a preset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import generation
import merge_snli as merge
from generation.options import options_of_run
from merge_snli.base.errors import InputError
from merge_snli.embedded import embedded_path

MLM = "demo:mlm-wordpiece"


def problems() -> list[dict[str, str]]:
    path = embedded_path("demo:problems")
    assert path is not None
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:6]]


def test_options_and_single_options_give_the_same_data(tmp_path: Path) -> None:
    given = merge.Options(mlm=(MLM,), inflation=2, id_column="id")
    first = merge.generate(problems(), given, out=tmp_path / "first", quiet=True)
    second = generation.generate(problems(), mlm=MLM, inflation=2, id_column="id", out=tmp_path / "second", quiet=True)
    assert first.digest == second.digest
    assert given.problems is None


def test_single_options_override_the_preset(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"mlm": (MLM,), "min_mlms": 1, "max_rank": None, "inflation": 1}
    data = merge.generate(problems(), preset="strict", out=tmp_path / "out", quiet=True, **changes)
    options = options_of_run(data.record.options)
    assert (options.mlm, options.same_tag, options.max_rank, options.inflation) == ((MLM,), True, None, 1)


def test_options_together_with_a_preset_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="either options"):
        merge.generate("demo:problems", merge.Options(mlm=(MLM,)), preset="strict", out=tmp_path / "out")
    with pytest.raises(InputError, match="give masked LMs as mlm"):
        merge.generate("demo:problems", out=tmp_path / "out")
    with pytest.raises(InputError, match="'strict' names none"):
        merge.generate("demo:problems", preset="strict", out=tmp_path / "out")
    with pytest.raises(InputError, match="preset is 'nothing'"):
        merge.generate("demo:problems", preset="nothing", out=tmp_path / "out")
    with pytest.raises(InputError, match="unknown option inflaton: did you mean inflation"):
        merge.generate("demo:problems", inflaton=10, out=tmp_path / "out")
    with pytest.raises(InputError, match="no problems are given"):
        merge.generate(None, mlm=MLM, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())
