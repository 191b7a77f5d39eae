"""Public names, options and formats change deliberately: they are compared with a stored list."""

import functools
import re

import pytest

from merge_snli.base.files import read_json
from merge_snli.language_models.questions import Scope, read_questions
from tests import ROOT
from tests.public_interface import FILE, public_interface

PAGE = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
STORED = read_json(FILE)
current = functools.cache(public_interface)


@pytest.mark.parametrize("part", STORED)
def test_what_is_public_is_as_stored(part: str) -> None:
    advice = "if this is meant, read docs/stability.md, then run: python -m tests.public_interface"
    assert current()[part] == STORED[part], advice


def test_nothing_public_is_missing_in_the_list() -> None:
    assert current().keys() == STORED.keys()
    assert "--dataset" in STORED["commands"]["score"]
    assert "out" in "".join(STORED["names"]["generate"])


def test_the_page_has_every_name_and_the_version_of_every_format() -> None:
    assert [name for name in STORED["names"] if f"`{name}`" not in PAGE] == []
    columns = {*STORED["columns"]["answers"], *STORED["columns"]["sheets"]}
    assert [name for name in columns if f"`{name}`" not in PAGE] == []
    rows = re.findall(r"^\| (.+?) \| ([^|]+) \|", PAGE, re.MULTILINE)
    assert {name: str(version) for name, version in STORED["formats"].items()}.items() <= dict(rows).items()


def test_questions_in_logs_have_the_listed_columns() -> None:
    asked = read_questions("demo:dataset", Scope(subsample="all", limit_seeds=2))
    assert [*asked.record] == STORED["columns"]["logs, of the task"]
    found = {name for question in asked.questions for use in question.uses for name in use}
    assert {"seed_id", "variant_id", "subsamples"} <= found
    assert found <= {*STORED["columns"]["logs, of a question"]}
