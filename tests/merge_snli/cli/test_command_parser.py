"""The parser of the command line: headings, lists, forms of output, and suggestions of the nearest name."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from merge_snli import cli
from merge_snli.cli import compare
from merge_snli.cli.arguments import TABLE_FORMATS, add_all, list_argument, split_list
from merge_snli.scoring.statistics.families import PAIRED_TESTS

BUNDLED = str(Path(cli.__file__).parents[1])


def usage_error(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """Return the two lines that a usage error prints."""
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    usage, error = capsys.readouterr().err.splitlines()
    return usage, error


def subparsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser."""
    found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: each for choices in found for name, each in choices.items()}


def arguments_of(parser: argparse.ArgumentParser, prefix: str = "") -> list[tuple[str, argparse.Action]]:
    """Return the arguments of all commands, with the names of their commands."""
    nested = (arguments_of(each, f"{prefix} {name}") for name, each in subparsers_of(parser).items())
    own = ((prefix, action) for action in parser._actions if not isinstance(action, argparse._SubParsersAction))
    return [*own, *chain.from_iterable(nested)]


ARGUMENTS = arguments_of(cli.command_parser(cli.COMMANDS))


def test_help_lists_at_most_18_commands_under_five_headings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    headings = [line.removesuffix(":") for line in lines if line.endswith(":")]
    assert headings == ["make data", "score", "report", "share", "run", "options"]
    listed = [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith(("   ", "  -"))]
    assert listed == [name for name in cli.COMMANDS if name not in cli.UNLISTED]
    assert len(listed) <= 18, "more than --help should list: make it an option of another command, or unlist one"


@pytest.mark.parametrize("arguments", [[], ["score"]])
def test_only_the_module_of_the_given_command_is_imported(arguments: list[str]) -> None:
    code = (
        f"import sys; from merge_snli.cli import COMMANDS, command_parser; command_parser({arguments}); "
        f"print([name for name in COMMANDS if 'merge_snli.cli.' + name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(arguments)


def test_the_other_spelling_of_analyze_is_accepted_and_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("analyze", "analyse"):
        with pytest.raises(SystemExit) as caught:
            cli.main([name, "--help"])
        assert caught.value.code == 0
        assert "--without-seeds" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert "analyse " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "of", "named", "nearest"),
    [
        (["scor"], "merge-snli", "scor", "score"),
        (["work", "cancle", "x"], "merge-snli work", "cancle", "cancel"),
        (["--vresion"], "merge-snli", "--vresion", "--version"),
        (["score", "m", "--datset", "d", "--out", "o"], "merge-snli score", "--datset", "--dataset"),
        (["generate", "--quite"], "merge-snli generate", "--quite", "--quiet"),
        (["score", "m", "--dataset", "d", "--out", "o", "--label=a,b"], "merge-snli score", "--label", None),
        (["score", "m", "--dataset", "d", "--out", "o", "--quiet"], "merge-snli score", "--quiet", None),
        (["pairs", "simple", "--out", "o", "--premise-s", "3"], "merge-snli pairs simple", "--premise-s", "--premises"),
        (["compare", "results", "--test", "mcnemaar"], "merge-snli compare", "mcnemaar", "mcnemar"),
        (["validate", "data", "more"], "merge-snli validate", "more", None),
    ],
)
def test_an_unknown_name_suggests_the_nearest_and_names_the_command(
    arguments: list[str], of: str, named: str, nearest: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    usage, error = usage_error(capsys, *arguments)
    assert usage == f"usage: {of} [options] ({of} --help lists them)"
    assert named in error
    if nearest is not None:
        assert error.endswith(f"did you mean {nearest}?")


def test_an_unknown_command_or_value_without_a_similar_one_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, error = usage_error(capsys, "frobnicate")
    assert error.endswith(", ".join(name for name in cli.COMMANDS if name not in cli.UNLISTED))
    _, error = usage_error(capsys, "compare", "results", "--test", "x")
    assert error.endswith(", ".join(PAIRED_TESTS))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["--list", "a", "b"], ("a", "b")),
        (["--list", "a,b"], ("a", "b")),
        (["--list", "a, b,", "c", "--list", "d"], ("a", "b", "c", "d")),
        (["--list", ""], ()),
        ([], ("default",)),
    ],
)
def test_lists_take_spaces_or_commas(given: list[str], read: tuple[str, ...]) -> None:
    parser = argparse.ArgumentParser()
    add_all(parser, list_argument("--list", default=("default",)))
    assert parser.parse_args(given).list == read


def test_the_comma_in_the_path_of_a_file_separates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a,b.jsonl"
    assert split_list(str(path)) == (f"{tmp_path}/a", "b.jsonl")
    path.touch()
    assert split_list(str(path)) == (str(path),)


@pytest.mark.parametrize(("command", "action"), ARGUMENTS, ids=lambda value: getattr(value, "dest", value))
def test_arguments_follow_the_rules(command: str, action: argparse.Action) -> None:
    if action.nargs in ("+", "*"):
        assert type(action).__name__ == "_ExtendList", f"{command}: lists take spaces or commas"
    assert not {"--json", "--latex", "--output"} & {*action.option_strings}, f"{command}: --format, --out"
    if action.dest == "format":
        assert set(action.choices or ()) <= {*TABLE_FORMATS, "html"}
    if action.option_strings:
        assert action.dest not in ("problems", "results"), f"{command}: positional"


@pytest.mark.parametrize(
    "command",
    ["validate", "tables", "explain", "annotate sample", "annotate apply", "harness", "publish", "register"],
)
def test_the_main_data_set_is_positional(command: str) -> None:
    positional = [action for name, action in ARGUMENTS if name == f" {command}" and not action.option_strings]
    assert positional[0].dest in ("dataset", "datasets", "problems")


def test_tables_in_each_form(capsys: pytest.CaptureFixture[str]) -> None:
    printed = {}
    for form in TABLE_FORMATS:
        assert cli.main(["tables", BUNDLED, "--format", form]) == 0
        printed[form] = capsys.readouterr().out
    rows: list[dict[str, Any]] = json.loads(printed["json"])["table_2"]["rows"]
    table, *_ = printed["csv"].split("\n\n")
    assert [row["config"] for row in csv.DictReader(io.StringIO(table))] == [row["config"] for row in rows]
    assert r"\begin{tabular}" in printed["latex"]
    assert "| --- |" in printed["md"]
    assert "───" in printed["text"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["demo:problems", "--suggestions"], ["--suggestions", "demo:problems"]),
        ([BUNDLED, "--limit", "3", "--against", BUNDLED], ["--limit", "--against"]),
        (["a.jsonl", "b.jsonl", "--work", "x"], ["--work", "a.jsonl"]),
    ],
)
def test_tables_refuses_options_of_the_other_kind(
    arguments: list[str], named: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["tables", *arguments]) == 2
    error = capsys.readouterr().err
    assert [name for name in named if name not in error] == []


def test_tables_of_the_problems_in_a_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    """An option for problems reads the rows of a data set as problems."""
    assert cli.main(["tables", BUNDLED, *["--config", "seed", "--limit", "4", "--format", "json"]]) == 0
    assert json.loads(capsys.readouterr().out)["with_label"] == 4


def test_every_paired_test_can_be_chosen() -> None:
    assert tuple(PAIRED_TESTS) == compare.TESTS
    page = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `([\w-]+)` \((?:default; )?unit: (?:seed|subsample)\)", page, re.MULTILINE)
    assert tuple(listed) == compare.TESTS
