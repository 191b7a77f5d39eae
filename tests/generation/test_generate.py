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
from tests.records import bundled

MLM = "demo:mlm-wordpiece"


def problems() -> list[dict[str, str]]:
    return [json.loads(line) for line in bundled("demo:problems").read_text(encoding="utf-8").splitlines()[:6]]


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


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("demo:problems", merge.Options(mlm=(MLM,))), {"preset": "strict"}, "either options"),
        (("demo:problems",), {}, "give masked LMs as mlm"),
        (("demo:problems",), {"preset": "strict"}, "'strict' names none"),
        (("demo:problems",), {"preset": "nothing"}, "preset is 'nothing'"),
        (("demo:problems",), {"inflaton": 10}, "unknown option inflaton: did you mean inflation"),
        ((None,), {"mlm": MLM}, "no problems are given"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        merge.generate(*arguments, **options, out=tmp_path / "out")
    assert not list(tmp_path.iterdir())
