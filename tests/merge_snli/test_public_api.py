"""The public names, the types of their arguments, the options of generate, and shell completion."""

import argparse
import ast
import importlib
import re
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

import merge_snli
from generation.options import PRESETS, Options, write_run_file
from merge_snli import Result, cli
from merge_snli.base.errors import POSITIONAL, InputError, as_flags, flag
from merge_snli.base.option import Option, described, option_types
from merge_snli.base.typed import typed
from merge_snli.cli import generate
from merge_snli.dataset.stored import as_datasets
from tests.commands import Command
from tests.oracles import always, missing_from, refused, written
from tests.processes import printed_by, run_python
from tests.systems import unix_only


@pytest.mark.parametrize("name", merge_snli.__all__)
def test_each_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(merge_snli, name)
    assert callable(value) and value.__doc__


def test_the_package_lists_its_public_names() -> None:
    assert {*merge_snli.__all__} <= {*dir(merge_snli)}
    stub = Path(merge_snli.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert ast.literal_eval(stub.partition("__all__ = ")[2]) == sorted(merge_snli.__all__)


def test_no_public_name_is_a_submodule() -> None:
    """Importing a submodule of that name would replace it."""
    modules = {module.name for module in iter_modules(merge_snli.__path__)}
    assert {"scoring", "dataset"} <= modules
    assert not modules & {*merge_snli.__all__}


def test_importing_the_package_imports_no_public_name() -> None:
    packages = ("merge_snli", "generation", "metrics")
    code = f"import sys, merge_snli; print([name for name in sys.modules if name.partition('.')[0] in {packages}])"
    assert printed_by(code) == "['merge_snli.base', 'merge_snli.base.errors', 'merge_snli.base.typed', 'merge_snli']"


DATA = "demo:dataset"


model = always(0)


def by_length(shift: int, pairs: list[tuple[str, str]]) -> list[int]:
    return [(len(hypothesis) + shift) % 3 for _, hypothesis in pairs]


@pytest.fixture(scope="module")
def result() -> Result:
    found: Result = merge_snli.score(model, DATA, name="zero", limit_seeds=5)
    return found


# Values of options of a function, and what the error must say.
OPTIONS: list[tuple[str, str, Any, str]] = [
    ("score", "limit_seeds", 2.5, "limit_seeds is 2.5"),
    ("score", "limit_seeds", True, "limit_seeds is True"),
    ("score", "out", 3, "out is 3, of type int"),
    ("score", "drawn", "yes", "give bool"),
    ("score", "name", " ", "name is ' ', an empty text: give"),
    ("score", "by", 3, "by is 3"),
    ("score", "by", [3], "by is .3."),
    ("score", "min_agreement", "a", "min_agreement is 'a'"),
    ("compare", "alpha", 2, "alpha"),
    ("compare", "datasets", [3], "datasets is .3."),
    ("compare", "datasets", "nowhere", "nowhere"),
    ("compare", "thresholds", ["0.9"], "thresholds is ..0.9.."),
]
# The first argument of other functions.
FIRST: list[tuple[str, object, str]] = [
    ("compare", [3], "results is .3."),
    ("compare", "nowhere", "nowhere is not a folder"),
    ("load", "a\0b", "name is"),
    ("load", None, "type NoneType is not a data set"),
    ("read_result", 3, "path is 3"),
    ("read_results", 3, "folders is 3"),
    ("validate", 3, "type int is not a data set"),
    ("score_table", 3, "results is 3"),
    ("simple_pair", 3, "out is 3"),
]


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory, to which nothing is written."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(("function", "option", "value", "message"), OPTIONS)
def test_wrong_options_are_refused(
    result: Result,
    function: str,
    option: str,
    value: Any,  # noqa: ANN401
    message: str,
) -> None:
    first = (model, DATA) if function == "score" else ([result, result],)
    error = refused(message, getattr(merge_snli, function), *first, **{option: value})
    assert "\n" not in str(error)


@pytest.mark.usefixtures("empty_folder")
@pytest.mark.parametrize(("name", "value", "message"), FIRST)
def test_wrong_first_arguments_are_refused(name: str, value: object, message: str) -> None:
    assert "\n" not in str(refused(message, getattr(merge_snli, name), value))


@pytest.mark.usefixtures("empty_folder")
def test_other_wrong_arguments_are_refused(result: Result) -> None:
    refused("list of .premise, hypothesis.", merge_snli.score, lambda premise, hypothesis: premise, DATA)
    refused("returned", merge_snli.score, lambda pairs: None, DATA)
    refused("cannot score a NoneType", merge_snli.score, None, DATA)
    refused("ax is 3, of type int: give", result.plot, 3)
    refused("datasets is .3.*give .*Sequence", merge_snli.analyze, [result], [3])
    refused("fine_tuned_from is .*give .*Mapping", merge_snli.analyze, [result], DATA, fine_tuned_from=["a"])
    refused("no results", merge_snli.read_results)
    refused("data is 3", merge_snli.publish, 3, "org/name")
    refused("files is 3", merge_snli.import_files, 3, DATA)
    refused("no files", merge_snli.import_files, [], DATA)
    refused("results is 3", merge_snli.draw_curves, 3, "curves")
    refused("out is 3", merge_snli.generate, "demo:problems", preset="demo", out=3)


def test_a_single_data_set_need_not_be_in_a_list(result: Result) -> None:
    assert [data.name for data in as_datasets(DATA)] == [data.name for data in as_datasets([DATA])]
    assert "\n" not in repr(result)


def test_comparison_is_one_line() -> None:
    zero = merge_snli.score(partial(by_length, 0), DATA, name="zero")
    one = merge_snli.score(partial(by_length, 1), DATA, name="one")
    (comparison,) = merge_snli.compare([zero, one], datasets=DATA)
    assert re.fullmatch(r"<Comparison on .*zero.*", repr(comparison))
    assert len(repr(comparison)) < 200
    assert re.fullmatch(r"<Report: .*", repr(merge_snli.analyze(zero, DATA)))


def test_right_arguments_pass() -> None:
    def function(number: int | None, /, *paths: str | Path, share: float = 0.5, other: object = None) -> object:
        return number, paths, share, other

    checked = typed(function)
    assert checked(None, "a", Path("b"), share=1, other={}) == (None, ("a", Path("b")), 1, {})
    refused("paths is 3", checked, 1, "a", 3)
    refused("", checked, error=TypeError)


def test_a_wrong_keyword_names_the_function_and_the_nearest_parameter() -> None:
    named = r"score\(\).*'limit': did you mean limit_seeds"
    refused(named, partial(merge_snli.score, limit=5), error=TypeError)
    refused(r"validate\(\) missing", merge_snli.validate, error=TypeError)


def test_a_command_without_a_function_is_named() -> None:
    code = "import merge_snli; merge_snli.explore('results')"
    error = run_python(code).stderr.splitlines()[-1]
    assert not missing_from(error, "AttributeError", "merge-snli explore")
    module, _, function = error.rpartition(" ")[2].rpartition(".")
    assert callable(getattr(importlib.import_module(module), function))


def parser_of_generate() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    generate.add_arguments(parser)
    return parser


def read(*arguments: str) -> Options:
    return generate.read_options(parser_of_generate().parse_args(arguments))


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
    given: list[str] = []
    for name, option in described(Options):
        given += arguments_of(name, option)
    options = read(*given)
    assert options.mlm == ("m", "n", "o")
    assert options.keep_column == ("genre", "round", "author")
    assert options.filters == ()
    default = Options(problems="y", mlm=("x",))
    for field in fields(Options):
        assert getattr(options, field.name) != getattr(default, field.name), "the command line does not set it"


def test_help_has_every_option() -> None:
    assert not missing_from(parser_of_generate().format_help(), *(f"  {flag(name)}" for name, _ in described(Options)))


@pytest.mark.parametrize("name", PRESETS)
def test_arguments_override_a_preset(name: str) -> None:
    given = () if "mlm" in PRESETS[name] else ("--mlm", "m1", "m2")
    chosen = read("p", "--preset", name, *given)
    assert chosen == Options(**{"problems": "p", "mlm": ("m1", "m2"), **PRESETS[name]})
    other = read("p", "--preset", name, "--mlm", "mine", "yours", "--top-k", "70")
    assert other == replace(chosen, mlm=("mine", "yours"), top_k=70)


def test_arguments_override_a_run_file(tmp_path: Path) -> None:
    options = Options(problems="p.jsonl", mlm=("m",), scramble=True, inflation=3)
    path = written(tmp_path / "run.toml", write_run_file(options))
    assert read("--options", str(path)) == options
    other = read("q.jsonl", "--options", str(path), "--inflation", "4")
    assert other.inflation == 4
    assert str(other.problems) == "q.jsonl"
    assert other.scramble


def test_preset_and_run_file_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    refused("", read, "p", "--preset", "demo", "--options", "run.toml", error=SystemExit)
    assert "not allowed with" in capsys.readouterr().err


WRONG: dict[str, list[object]] = {
    "inflation": ["20", 2.5, 0, True, None],
    "top_k": [10_001],
    "scramble": [1],
    "classes": [3, ["noun", 3]],
    "license": ["CC BY 4.0", ""],
    "limit": [0],
    "premise_column": [3, ["a"]],
    "mlm": [7],
}


@pytest.mark.parametrize("name", WRONG)
def test_an_invalid_value_is_refused_at_once(name: str) -> None:
    for value in WRONG[name]:
        with pytest.raises(InputError, match=f"{name.replace('_', '[-_]')} ") as error:
            Options(**{"problems": "p", "mlm": "m", name: value})  # type: ignore[arg-type]
        assert repr(value).removesuffix(",") in str(error.value)


def test_values_of_similar_types_are_converted() -> None:
    options = Options(problems=Path("p"), mlm=[Path("m")], inflation=np.int64(3), classes="noun", license="MIT")  # type: ignore[arg-type]
    assert options == Options(problems="p", mlm=("m",), inflation=3, classes=("noun",), license="MIT")
    assert type(options.inflation) is int


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--mlm m", ["PROBLEMS"]),
        ("p", ["--mlm"]),
        ("p --preset strict", ["--mlm is missing"]),
        ("p --mlm m --keep-column label", ["--keep-column", "'label'"]),
        ("p --mlm m --keep-column a,a", ["--keep-column", "'a'"]),
        ("p --mlm m --data-labels a=x,b=x", ["--data-labels", "a=x,b=x"]),
        ("p --mlm m --data-labels a=x,a=y", ["--data-labels", "a=x,a=y"]),
    ],
)
def test_a_missing_or_invalid_option_is_named(arguments: str, named: list[str]) -> None:
    assert not missing_from(as_flags(refused("", read, *arguments.split())), *named)


COMPLETE = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMPREPLY=()
_shtab_merge_snli 2> /dev/null; echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_command(shell: str, command: Command) -> None:
    options = ("all-thresholds", "threshold", "suggestions", "with-text", "create-pr")
    assert not missing_from(command("completion", shell).out, *cli.COMMANDS, *options)


@unix_only
def test_bash_completes_commands_options_choices_and_files(tmp_path: Path, command: Command) -> None:
    (tmp_path / "script").write_text(command("completion", "bash").out)
    (tmp_path / "problems.jsonl").touch()
    (tmp_path / "results").mkdir()
    for words, expected in {
        "merge-snli lead": "leaderboard",
        "merge-snli score --group-c": "--group-column",
        "merge-snli work ca": "cancel",
        "merge-snli compare --format la": "latex",
        "merge-snli compare res": "results",
        "merge-snli generate prob": "problems.jsonl",
    }.items():
        code = COMPLETE.format(script=tmp_path / "script", words=words)
        done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


def test_the_image_copies_what_the_wheel_is_built_from() -> None:
    """Builds of the image run elsewhere; here, the wheel's inputs are compared with .dockerignore."""
    root = Path(cli.__file__).parents[2]
    hatch = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    copied = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {*hatch["packages"], *hatch["force-include"], "pyproject.toml", "constraints.txt", "README.md"} <= copied
