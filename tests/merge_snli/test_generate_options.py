"""Options of a run on the command line: defaults, presets, run files, and precedence."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from generation.options import PRESETS, Options, write_run_file
from merge_snli.base.errors import POSITIONAL, InputError, as_flags, flag
from merge_snli.base.option import Option, described, option_types
from merge_snli.cli import generate


def read(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    generate.add_arguments(parser)
    return generate.read_options(parser.parse_args(arguments))


def test_missing_arguments_have_the_defaults_of_options() -> None:
    assert read("a.jsonl", "--mlm", "m") == Options(problems="a.jsonl", mlm=("m",))


GIVEN: dict[str, Sequence[str]] = {
    "delimiter": (";",),
    "hypothesis_column": ("yy",),
    "data_labels": ("yes,no",),
    "mlm": ("m", "n", "--mlm", "o"),
    "classes": ("noun,adv",),
    "filters": ("none",),
    "keep_column": ("genre,round", "--keep-column", "author"),
    "license": ("mit",),
}
"""Arguments for options for which not every text or number will do."""


def arguments_of(name: str, option: Option) -> Sequence[str]:
    """Return an argument that sets an option to another value than its default."""
    of_type = option_types(Options)[name]
    other = option.choices[-1] if option.choices else "2" if of_type in (int, float) else "xx"
    values = () if of_type is bool else GIVEN.get(name, (other,))
    return values if name in POSITIONAL else (flag(name), *values)


def test_every_option_has_an_argument_of_the_same_name() -> None:
    options = read(*(argument for name, option in described(Options) for argument in arguments_of(name, option)))
    assert options.mlm == ("m", "n", "o")
    assert options.keep_column == ("genre", "round", "author")
    assert options.filters == ()
    default = Options(problems="y", mlm=("x",))
    same = {field.name for field in fields(Options) if getattr(options, field.name) == getattr(default, field.name)}
    assert same == set(), "the command line above does not set these"


def test_help_has_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    generate.add_arguments(parser)
    parser.print_help()
    printed = capsys.readouterr().out
    assert [name for name, _ in described(Options) if f"  {flag(name)}" not in printed] == []


@pytest.mark.parametrize("name", PRESETS)
def test_arguments_override_a_preset(name: str) -> None:
    options = PRESETS[name]
    given = () if "mlm" in options else ("--mlm", "m1", "m2")
    chosen = read("p", "--preset", name, *given)
    assert chosen == Options(**{"problems": "p", "mlm": ("m1", "m2"), **options})
    other = read("p", "--preset", name, "--mlm", "mine", "yours", "--top-k", "70")
    assert other == replace(chosen, mlm=("mine", "yours"), top_k=70)


def test_the_preset_strict_needs_masked_lms() -> None:
    with pytest.raises(InputError, match="mlm is missing"):
        read("p", "--preset", "strict")


def test_arguments_override_a_run_file(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    written = Options(problems="p.jsonl", mlm=("m",), scramble=True, inflation=3)
    path.write_text(write_run_file(written), encoding="utf-8")
    assert read("--options", str(path)) == written
    other = read("q.jsonl", "--options", str(path), "--inflation", "4")
    assert (other.inflation, str(other.problems), other.scramble) == (4, "q.jsonl", True)


def test_preset_and_run_file_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read("p", "--preset", "demo", "--options", "run.toml")
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("inflation", value) for value in ("x", "20", 2.5, 0, True, None)),
        *(("top_k", value) for value in (10_001, -1)),
        *(("subsamples", value) for value in (1_001, 1.0)),
        *(("scramble", value) for value in ("yes", 1)),
        *(("classes", value) for value in (3, ["noun", 3], None)),
        *(("license", value) for value in ("CC BY 4.0", "", 4)),
        *(("limit", value) for value in ("5", 0)),
        *(("premise_column", value) for value in (3, ["a"])),
        ("mlm", 7),
    ],
)
def test_an_invalid_value_is_refused_at_once(name: str, value: object) -> None:
    given = {"problems": "p", "mlm": "m"} | {name: value}
    with pytest.raises(InputError, match=f"{name.replace('_', '[-_]')} ") as error:
        Options(**given)  # type: ignore[arg-type]
    assert repr(value).removesuffix(",") in str(error.value)


def test_values_of_similar_types_are_converted() -> None:
    options = Options(problems=Path("p"), mlm=[Path("m")], inflation=np.int64(3), classes="noun", license="MIT")  # type: ignore[arg-type]
    assert options == Options(problems="p", mlm=("m",), inflation=3, classes=("noun",), license="MIT")
    assert type(options.inflation) is int


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--mlm", "m"], ["PROBLEMS"]),
        (["p"], ["--mlm"]),
        (["p", "--preset", "big"], ["--preset", "big", "paper"]),
        (["p", "--mlm", "m", "--keep-column", "label"], ["--keep-column", "'label'"]),
        (["p", "--mlm", "m", "--keep-column", "a,a"], ["--keep-column", "'a'"]),
        (["p", "--mlm", "m", "--data-labels", "a=x,b=x"], ["--data-labels", "a=x,b=x"]),
        (["p", "--mlm", "m", "--data-labels", "a=x,a=y"], ["--data-labels", "a=x,a=y"]),
    ],
)
def test_a_missing_or_invalid_option_is_named(arguments: list[str], named: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read(*arguments)
    assert [part for part in named if part not in as_flags(error.value)] == []
