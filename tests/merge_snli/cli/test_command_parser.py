"""The parser of commands: options, help, output formats, and hostile values."""

import argparse
import csv
import io
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from merge_snli import cli
from merge_snli.base.files import toml_beside
from merge_snli.cli import arguments, main
from merge_snli.cli.arguments import add_list, split_list
from merge_snli.cli.output import TABLE_FORMATS
from merge_snli.dataset.stored import CARD_FILE, FOLDER, RUN_FILE
from merge_snli.statistics.families import PAIRED_TESTS
from tests import ROOT
from tests.cases import slow
from tests.commands import Command
from tests.oracles import missing_from, written
from tests.processes import printed_by
from tests.records import copy_bundled

BUNDLED = str(Path(cli.__file__).parents[1])


def subparsers_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands of a parser."""
    found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: each for choices in found for name, each in choices.items()}


def arguments_of(parser: argparse.ArgumentParser, prefix: str = "") -> list[tuple[str, argparse.Action]]:
    """Return the arguments of all commands, with the names of their commands."""
    found = [(prefix, action) for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    for name, nested in subparsers_of(parser).items():
        found += arguments_of(nested, f"{prefix} {name}")
    return found


ARGUMENTS = arguments_of(cli.command_parser(cli.COMMANDS))


def test_help_lists_at_most_18_commands_under_five_headings(command: Command) -> None:
    lines = command("--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":")]
    assert headings == ["make data:", "score:", "report:", "share:", "run:", "options:"]
    listed = re.findall("^  ([a-z]+)", "\n".join(lines), re.MULTILINE)
    assert listed == [name for name in cli.COMMANDS if name not in cli.UNLISTED]
    assert len(listed) <= 18, "more than --help should list: make it an option of another command, or unlist one"
    assert "analyse " not in "\n".join(lines)


def test_every_option_that_is_meant_exists() -> None:
    options = {option for _, action in ARGUMENTS for option in action.option_strings}
    assert {meant for of_name in toml_beside(cli.__file__, "meanings").values() for meant in of_name} <= options


@pytest.mark.parametrize("arguments", [[], ["score"]])
def test_only_the_module_of_the_given_command_is_imported(arguments: list[str]) -> None:
    code = (
        f"import sys; from merge_snli.cli import COMMANDS, command_parser; command_parser({arguments}); "
        f"print([name for name in COMMANDS if 'merge_snli.cli.' + name in sys.modules])"
    )
    assert printed_by(code) == str(arguments)


@pytest.mark.parametrize("name", ["analyze", "analyse"])
def test_both_spellings_of_analyze_are_accepted(name: str, command: Command) -> None:
    assert "--without-seeds" in command(name, "--help").out


@pytest.mark.parametrize(
    ("arguments", "of", "named", "nearest"),
    [
        (["scor"], "merge-snli", "scor", "score"),
        (["work", "cancle", "x"], "merge-snli work", "cancle", "cancel"),
        (["score", "m", "--datset", "d", "--out", "o"], "merge-snli score", "--datset", "--dataset"),
        (["compare", "results", "--test", "mcnemaar"], "merge-snli compare", "mcnemaar", "mcnemar"),
    ],
)
def test_an_unknown_name_suggests_the_nearest_and_names_the_command(
    arguments: list[str], of: str, named: str, nearest: str, command: Command
) -> None:
    usage, error = command(*arguments, code=2).err.splitlines()
    assert usage == f"usage: {of} [options] ({of} --help lists them)"
    assert named in error
    assert error.endswith(f"did you mean {nearest}?")


@pytest.mark.parametrize(
    ("arguments", "choices"),
    [
        (("frobnicate",), [name for name in cli.COMMANDS if name not in cli.UNLISTED]),
        (("compare", "results", "--test", "x"), PAIRED_TESTS),
    ],
)
def test_an_unknown_command_or_value_without_a_similar_one_lists_all(
    arguments: tuple[str, ...], choices: Iterable[str], command: Command
) -> None:
    _, error = command(*arguments, code=2).err.splitlines()
    assert error.endswith(", ".join(choices))


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
    add_list(parser, "--list ITEM", "items", default=("default",))
    assert parser.parse_args(given).list == read


def test_the_comma_in_the_path_of_a_file_separates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a,b.jsonl"
    assert split_list(str(path)) == (f"{tmp_path}/a", "b.jsonl")
    path.touch()
    assert split_list(str(path)) == (str(path),)


def test_arguments_follow_the_rules() -> None:
    for command, action in ARGUMENTS:
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
    positional = [action.dest for name, action in ARGUMENTS if name == f" {command}" and not action.option_strings]
    assert positional[0] in ("dataset", "datasets", "problems")


def test_tables_in_each_form(command: Command) -> None:
    assert "| --- |" in command("tables", BUNDLED, "--format", "md").out
    rows = command("tables", BUNDLED, "--format", "json").json["table_2"]["rows"]
    _, *table = csv.reader(io.StringIO(command("tables", BUNDLED, "--format", "csv").out.partition("\n\n")[0]))
    assert [row[0] for row in table] == [row["config"] for row in rows]


def test_tables_of_the_problems_in_a_data_set(command: Command) -> None:
    """An option for problems reads the rows of a data set as problems."""
    printed = command("tables", BUNDLED, "--config", "seed", "--limit", 4, "--format", "json").out
    assert json.loads(printed)["with_label"] == 4


def test_every_paired_test_can_be_chosen() -> None:
    assert tuple(PAIRED_TESTS) == arguments.TESTS
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `([\w-]+)` \((?:default; )?unit: (?:seed|subsample)\)", page, re.MULTILINE)
    assert tuple(listed) == arguments.TESTS


# One command a line and, after =>, what its error must name; || separates several texts.
WRONG = (Path(__file__).parent / "wrong_commands.txt").read_text(encoding="utf-8").splitlines()
# Of each command, the first three are fast.
FAST, OTHERS = list[str](), list[str]()
for line in WRONG:
    of_command = [other for other in FAST if other.split()[0] == line.split()[0]]
    if len(of_command) < 3:
        FAST.append(line)
    else:
        OTHERS.append(line)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    files = tomllib.loads((Path(__file__).parent / "wrong_files.toml").read_text(encoding="utf-8"))
    for name, content in files.items():
        written(folder / name, content.encode("latin-1"))
    (folder / "empty-folder").mkdir()
    (folder / "loop").symlink_to("loop")
    shutil.copytree(FOLDER / "data", folder / "no-seeds/data", ignore=shutil.ignore_patterns("seed"))
    for name in ("no-data", "no-seeds"):
        copy_bundled(folder / name, RUN_FILE, CARD_FILE)
    return folder


@pytest.mark.parametrize("line", [*FAST, *slow(*OTHERS)])
def test_a_wrong_command_is_refused_in_one_sentence(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    given, _, named = line.partition(" => ")
    monkeypatch.chdir(folder)
    before = {*folder.rglob("*")}
    try:
        code = main(shlex.split(given))
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    error = capfd.readouterr().err
    assert code == 2, error
    assert "Traceback" not in error
    (message,) = re.findall("^merge-snli: .{10,}", error, re.MULTILINE)
    assert not missing_from(message, *named.split(" || "))
    for path in {*folder.rglob("*")} - before:
        assert path.relative_to(folder).parts[0] == "g.work"


def test_there_are_many_wrong_commands() -> None:
    assert len({*WRONG}) == len(WRONG) > 150
