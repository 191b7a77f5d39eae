"""The options of `score` are defined once: every one has an argument, is a keyword in Python, and is checked."""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from merge_snli import score
from merge_snli.base.errors import InputError, flag
from merge_snli.base.option import Option, described, option_types
from merge_snli.cli import score as command
from merge_snli.cli.arguments import given
from merge_snli.models.labels import Pair
from merge_snli.scoring.options import IN_PYTHON, ScoreOptions

PARSED = {name: option for name, option in described(ScoreOptions) if option.group not in (IN_PYTHON, "")}

VALUES = {"min_agreement": "4/5", "model_labels": "neutral,entailment"}
"""Arguments for options for which not every text or number will do."""


def read(*arguments: str) -> ScoreOptions:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    parsed = parser.parse_args(["model", "--dataset", "data", "--out", "results", *arguments])
    return ScoreOptions(**given(parsed, ScoreOptions))


def arguments_of(name: str, option: Option) -> Sequence[str]:
    """Return an argument that sets an option to another value than its default."""
    of_type = option_types(ScoreOptions)[name]
    other = option.choices[-1] if option.choices else "2" if of_type is int else "xx"
    return [flag(name)] if of_type is bool else [flag(name), VALUES.get(name, other)]


def test_every_option_has_an_argument_of_the_same_name() -> None:
    options = read(*(text for name, option in PARSED.items() for text in arguments_of(name, option)))
    assert [name for name in PARSED if getattr(options, name) == getattr(ScoreOptions(), name)] == []
    assert (options.min_agreement, options.model_labels) == (4 / 5, ("neutral", "entailment"))
    assert read() == ScoreOptions()


def test_every_option_is_a_keyword_of_score() -> None:
    found = signature(score).parameters
    assert list(found)[3:] == [field.name for field in fields(ScoreOptions)]
    assert all(found[name].default == option.default for name, option in described(ScoreOptions))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"limit_seeds": 0}, "limit_seeds is 0"),
        ({"subsample": -1}, "subsample is -1"),
        ({"min_agreement": 1.5}, "min_agreement is 1.5"),
        ({"dtype": "float8"}, "float8"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"model_labels": "neutral"}, "neutral"),
        ({"by": 3}, "by is 3"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_before_anything_is_read(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named):
        score("missing", Path("missing"), **options)


def never(pairs: list[Pair]) -> list[None]:
    raise AssertionError(pairs)


async def never_async(pair: Pair) -> None:
    raise AssertionError(pair)


@pytest.mark.parametrize(
    ("model", "options", "named"),
    [
        (never, {"dtype": "bfloat16"}, "dtype has no effect on a function"),
        (never, {"device": "cpu"}, "device has no effect on a function"),
        (never, {"model_labels": "infer"}, "model_labels has no effect on a function"),
        (never, {"allow_pickle": True}, "allow_pickle has no effect on a function"),
        (never, {"trust_remote_code": True}, "trust_remote_code has no effect on a function"),
        (never_async, {"device": "cpu"}, "device has no effect on an async function"),
        ("ORG/NAME", {"name": "mine"}, "name has no effect on a model given by name"),
        ("ORG/NAME", {"version": "1"}, "version has no effect on a model given by name"),
    ],
)
def test_an_option_of_another_kind_of_model_is_refused(model: Any, options: dict[str, Any], named: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=named):
        score(model, "demo:dataset", **options)
