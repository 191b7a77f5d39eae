"""The parser of commands: options, help, output formats, and hostile values."""

import argparse
import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from merge_snli import cli
from merge_snli.base.files import toml_beside
from merge_snli.cli import arguments, main
from merge_snli.cli.arguments import add_list, split_list
from merge_snli.cli.output import TABLE_FORMATS
from merge_snli.dataset.stored import CARD_FILE, FOLDER, RUN_FILE
from merge_snli.statistics.families import PAIRED_TESTS
from tests.cases import slow
from tests.commands import Command
from tests.oracles import missing_from, written
from tests.records import copy_bundled

BUNDLED = str(Path(cli.__file__).parents[1])


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


def test_help_lists_at_most_18_commands_under_five_headings(command: Command) -> None:
    lines = command("--help").out.splitlines()
    headings = [line.removesuffix(":") for line in lines if line.endswith(":")]
    assert headings == ["make data", "score", "report", "share", "run", "options"]
    listed = [line.split()[0] for line in lines if line.startswith("  ") and not line.startswith(("   ", "  -"))]
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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(arguments)


@pytest.mark.parametrize("name", ["analyze", "analyse"])
def test_both_spellings_of_analyze_are_accepted(name: str, command: Command) -> None:
    assert "--without-seeds" in command(name, "--help").out


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
    arguments: list[str], of: str, named: str, nearest: str | None, command: Command
) -> None:
    usage, error = command(*arguments, code=2).err.splitlines()
    assert usage == f"usage: {of} [options] ({of} --help lists them)"
    assert named in error
    if nearest is not None:
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
    positional = [action for name, action in ARGUMENTS if name == f" {command}" and not action.option_strings]
    assert positional[0].dest in ("dataset", "datasets", "problems")


def test_tables_in_each_form(command: Command) -> None:
    printed = {form: command("tables", BUNDLED, "--format", form).out for form in TABLE_FORMATS}
    rows: list[dict[str, Any]] = json.loads(printed["json"])["table_2"]["rows"]
    table, *_ = printed["csv"].split("\n\n")
    assert [row["config"] for row in csv.DictReader(io.StringIO(table))] == [row["config"] for row in rows]
    marks = {"latex": r"\begin{tabular}", "md": "| --- |", "text": "───"}
    assert [form for form, mark in marks.items() if mark not in printed[form]] == []


def test_tables_of_the_problems_in_a_data_set(command: Command) -> None:
    """An option for problems reads the rows of a data set as problems."""
    printed = command("tables", BUNDLED, "--config", "seed", "--limit", 4, "--format", "json").out
    assert json.loads(printed)["with_label"] == 4


def test_every_paired_test_can_be_chosen() -> None:
    assert tuple(PAIRED_TESTS) == arguments.TESTS
    page = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `([\w-]+)` \((?:default; )?unit: (?:seed|subsample)\)", page, re.MULTILINE)
    assert tuple(listed) == arguments.TESTS


# One command a line and, after =>, what its error must name; || separates several texts.
WRONG = (Path(__file__).parent / "wrong_commands.txt").read_text(encoding="utf-8").splitlines()
# Of each command, the first three are fast.
FAST: list[str] = []
for line in WRONG:
    if sum(other.split()[0] == line.split()[0] for other in FAST) < 3:
        FAST.append(line)
OTHERS = [line for line in WRONG if line not in FAST]

HEADER = "premise,hypothesis,label\n"
ROW = "A man runs.,A man runs.,entailment\n"
FILES: dict[str, str | bytes] = {
    "good.csv": HEADER + ROW,
    "empty.csv": "",
    "header.csv": HEADER,
    "wrong.csv": "a,b\n1,2\n",
    "short.csv": HEADER + "a,b\n",
    "blank.csv": HEADER + ",A man runs.,neutral\n",
    "nul.csv": HEADER + "A \0 man.,A man.,neutral\n",
    "latin.csv": HEADER.encode() + "Ein Bär.,Ein Bär.,neutral\n".encode("latin-1"),
    "quote.csv": HEADER + '"A man,A man.,neutral\n',
    "semicolon.csv": HEADER.replace(",", ";") + ROW.replace(",", ";"),
    "twice.csv": "premise,premise,label\na,b,neutral\n",
    "labels.csv": HEADER + "".join(f"A man.,A man.,{number}\n" for number in (1, 2, 3)),
    "scores.csv": HEADER + "".join(f"A man.,A man.,{number}\n" for number in (0.5, 4.25, 3.1)),
    "broken.jsonl": "{",
    "number.jsonl": "3\n",
    "list.json": "[[1]]",
    "damaged.parquet": b"PAR1",
    "damaged.csv.gz": b"\x1f\x8b\x08",
    "table.xlsx": b"PK\x03\x04",
    "spreadsheet.csv": b"PK\x03\x04",
    "unknown.pdf": b"%PDF",
    "broken.toml": "= 1",
    "other.toml": "nonsense = 1\n",
    "full/other.txt": "x",
    "damaged/result.json": '{"schema_version": ',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for name, content in FILES.items():
        written(folder / name, content)
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
    messages = [text for text in error.splitlines() if text.startswith("merge-snli: ")]
    assert len(messages) == 1 and len(messages[0]) > 20, error
    assert not missing_from(messages[0], *named.split(" || "))
    made = [path.relative_to(folder) for path in folder.rglob("*") if path not in before]
    assert [path for path in made if path.parts[0] != "g.work"] == []


def test_there_are_many_wrong_commands() -> None:
    assert len({*WRONG}) == len(WRONG) > 150
