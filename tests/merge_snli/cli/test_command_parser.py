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
from merge_snli.cli import arguments, main
from merge_snli.cli.arguments import TABLE_FORMATS, add_list, split_list
from merge_snli.cli.meanings import MEANT
from merge_snli.dataset.stored import CARD_FILE, FOLDER, RUN_FILE
from merge_snli.statistics.families import PAIRED_TESTS
from tests.commands import Command
from tests.oracles import written
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


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["generate", "p.jsonl", "--min-variants", "5"], "--inflation"),
        (["generate", "p.jsonl", "--output", "o"], "--out"),
        (["score", "m", "--limit", "5"], "--limit-seeds"),
        (["score", "m", "--data", "d"], "--dataset"),
        (["generate", "p.jsonl", "--inflaton", "5"], "--inflation"),
    ],
)
def test_an_unknown_option_proposes_what_is_meant(arguments: list[str], meant: str, command: Command) -> None:
    assert f"did you mean {meant}?" in command(*arguments, code=2).err


def test_every_option_that_is_meant_exists() -> None:
    options = {option for _, action in ARGUMENTS for option in action.option_strings}
    assert {meant for of_name in MEANT.values() for meant in of_name} <= options


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
    add_list(parser, "--list", default=("default",))
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


def test_tables_in_each_form(command: Command) -> None:
    printed = {form: command("tables", BUNDLED, "--format", form).out for form in TABLE_FORMATS}
    rows: list[dict[str, Any]] = json.loads(printed["json"])["table_2"]["rows"]
    table, *_ = printed["csv"].split("\n\n")
    assert [row["config"] for row in csv.DictReader(io.StringIO(table))] == [row["config"] for row in rows]
    marks = {"latex": r"\begin{tabular}", "md": "| --- |", "text": "───"}
    assert [form for form, mark in marks.items() if mark not in printed[form]] == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["demo:problems", "--suggestions"], ["--suggestions", "demo:problems"]),
        ([BUNDLED, "--limit", "3", "--suggestions"], ["--limit", "--suggestions"]),
        (["a.jsonl", "b.jsonl", "--work", "x"], ["--work", "a.jsonl"]),
    ],
)
def test_tables_refuses_options_of_the_other_kind(arguments: list[str], named: list[str], command: Command) -> None:
    error = command("tables", *arguments, code=2).err
    assert [name for name in named if name not in error] == []


def test_tables_of_the_problems_in_a_data_set(command: Command) -> None:
    """An option for problems reads the rows of a data set as problems."""
    printed = command("tables", BUNDLED, "--config", "seed", "--limit", 4, "--format", "json").out
    assert json.loads(printed)["with_label"] == 4


def test_every_paired_test_can_be_chosen() -> None:
    assert tuple(PAIRED_TESTS) == arguments.TESTS
    page = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- `([\w-]+)` \((?:default; )?unit: (?:seed|subsample)\)", page, re.MULTILINE)
    assert tuple(listed) == arguments.TESTS


GENERATE = "generate demo:problems --mlm demo:mlm-bpe --out g"
SCORE = "score demo:nli-a --dataset demo:dataset --out r"

WRONG = f"""
nonsense
generate
generate demo:problems
generate demo:problems --out g
generate nowhere --mlm demo:mlm-bpe --out g
generate nowhere.csv --mlm demo:mlm-bpe --out g
generate empty.csv --mlm demo:mlm-bpe --out g
generate header.csv --mlm demo:mlm-bpe --out g
generate wrong.csv --mlm demo:mlm-bpe --out g
generate short.csv --mlm demo:mlm-bpe --out g
generate blank.csv --mlm demo:mlm-bpe --out g
generate nul.csv --mlm demo:mlm-bpe --out g
generate latin.csv --mlm demo:mlm-bpe --out g
generate quote.csv --mlm demo:mlm-bpe --out g
generate semicolon.csv --mlm demo:mlm-bpe --out g --delimiter ,
generate twice.csv --mlm demo:mlm-bpe --out g
generate labels.csv --mlm demo:mlm-bpe --out g
generate scores.csv --mlm demo:mlm-bpe --out g
generate good.csv --mlm demo:mlm-bpe --out g --id-column nope
generate good.csv --mlm demo:mlm-bpe --out g --premise-column nope
generate good.csv --mlm demo:mlm-bpe --out g --label-column nope
generate good.csv --mlm demo:mlm-bpe --out g --keep-column nope
generate good.csv --mlm demo:mlm-bpe --out g --data-labels a b
generate good.csv --mlm demo:mlm-bpe --out g --split test
generate good.csv --mlm demo:mlm-bpe --out g --delimiter ;;
generate broken.jsonl --mlm demo:mlm-bpe --out g
generate number.jsonl --mlm demo:mlm-bpe --out g
generate list.json --mlm demo:mlm-bpe --out g
generate damaged.parquet --mlm demo:mlm-bpe --out g
generate damaged.csv.gz --mlm demo:mlm-bpe --out g
generate table.xlsx --mlm demo:mlm-bpe --out g
generate spreadsheet.csv --mlm demo:mlm-bpe --out g
generate unknown.pdf --mlm demo:mlm-bpe --out g
generate demo:problem --mlm demo:mlm-bpe --out g
generate demo:problems --mlm demo:nothing --out g
generate demo:problems --mlm demo:nli-a --out g
generate demo:problems --mlm nowhere --out g
generate demo:problems --mlm a/b/c --out g
generate demo:problems --mlm good.csv --out g
generate demo:problems --mlm empty-folder --out g
generate demo:problems --mlm demo:mlm-bpe demo:mlm-bpe --out g
generate demo:problems --mlm demo:mlm-bpe --seeds-from no-data --out g
generate demo:problems --preset nope --out g
generate demo:problems --options nowhere.toml --out g
generate demo:problems --options broken.toml --out g
generate demo:problems --options other.toml --out g
{GENERATE} --device gpu
{GENERATE} --device cuda:99
{GENERATE} --dtype float8
{GENERATE} --inflation 0
{GENERATE} --inflation -1
{GENERATE} --inflation x
{GENERATE} --inflation 1.5
{GENERATE} --top-k 0
{GENERATE} --top-k 1e3
{GENERATE} --subsamples 0
{GENERATE} --classes nouns
{GENERATE} --classes
{GENERATE} --sides both
{GENERATE} --filters nope
{GENERATE} --mask some
{GENERATE} --limit 0
{GENERATE} --limit ten
{GENERATE} --sample 0
{GENERATE} --min-mlms 3
{GENERATE} --min-mlms 0
{GENERATE} --max-rank 0
{GENERATE} --min-log-odds x
{GENERATE} --language xx
{GENERATE} --tagger nope
{GENERATE} --workers 0
{GENERATE} --workers two
{GENERATE} --seeds-from nowhere
{GENERATE} --cluster nowhere.toml
{GENERATE} --cluster broken.toml
{GENERATE} --out good.csv
{GENERATE} --out full
{GENERATE} --out good.csv/inside
{GENERATE} --nonsense
{GENERATE} --inflaton 3
{GENERATE} extra --inflation
pairs
pairs nope --out p
pairs simple
pairs simple --out p --premises 0
pairs simple --out p --premises x
pairs simple --out full
pairs simple --out p --lexicon nowhere.toml
pairs simple --out p --lexicon broken.toml
pairs extended --out p --problems nowhere.csv
pairs extended demo:problems --out p --premises 1
tables
tables nowhere
tables good.csv --suggestions
tables demo:dataset --format html
tables no-data
explain demo:dataset
explain demo:dataset --seed-id nope
explain demo:dataset --seed 0
explain demo:dataset --seed 3 --list
explain nowhere --seed-id a
explain no-data --seed-id a
explain no-seeds --seed-id a
explain good.csv --seed-id a
validate
validate nowhere
validate good.csv
validate empty-folder
validate full
annotate
annotate nope
annotate sample demo:dataset --out s
annotate sample demo:dataset --annotators --out s
annotate sample demo:dataset --annotators a/b --out s
annotate sample demo:dataset --annotators a a --out s
annotate sample demo:dataset --annotators a --size 0 --out s
annotate sample demo:dataset --annotators a --size x --out s
annotate sample demo:dataset --annotators a --size 99999 --out s
annotate sample demo:dataset --annotators a --out full
annotate sample nowhere --annotators a --out s
annotate sample no-data --annotators a --out s
annotate score nowhere
annotate score empty-folder
score
score demo:nli-a
score demo:nli-a --dataset demo:dataset
score demo:nli-a --dataset nowhere --out r
score demo:nli-a --dataset good.csv --out r
score demo:nli-a --dataset demo:problems --out r
score demo:nli-a --dataset no-data --out r
score demo:nli-z --dataset demo:dataset --out r
score demo:mlm-bpe --dataset demo:dataset --out r
score nowhere --dataset demo:dataset --out r
score empty-folder --dataset demo:dataset --out r
score good.csv --dataset demo:dataset --out r
{SCORE} --config nouns
{SCORE} --config seed
{SCORE} --limit-seeds 0
{SCORE} --limit-seeds 1.5
{SCORE} --subsample 10
{SCORE} --subsample -1
{SCORE} --subsample x
{SCORE} --min-agreement 2
{SCORE} --min-agreement 4/0
{SCORE} --min-agreement 4/5
{SCORE} --group-column nope
{SCORE} --by nope
{SCORE} --device gpu
{SCORE} --dtype float8
{SCORE} --prompt nope
{SCORE} --source nowhere.csv
{SCORE} --labels a b c
{SCORE} --models nope
{SCORE} --cluster nowhere.toml
{SCORE} --format html
{SCORE} --out good.csv
{SCORE} --out full
score demo:nli-a --dataset good.csv --group-column nope --out r
harness
harness nowhere --out h
harness demo:dataset --out h --prompt nope
harness demo:dataset --out h --limit-seeds 0
harness demo:dataset --out full
harness no-data --out h
harness demo:dataset --out good.csv
import
import nowhere.json --dataset demo:dataset --out r
import good.csv --dataset demo:dataset --out r
import broken.jsonl --dataset demo:dataset --out r
import good.csv --dataset nowhere --out r
compare
compare nowhere
compare empty-folder
compare good.csv
compare full --threshold 2
compare --power
compare --power --seeds 0
compare --power --assume 2
compare nowhere --test nope
compare nowhere --alpha 2
compare nowhere --alpha x
analyze
analyze nowhere --dataset demo:dataset
analyze nowhere
analyze empty-folder --dataset demo:dataset --out a
leaderboard
leaderboard nowhere
leaderboard nowhere --out l
leaderboard demo:dataset --format html
leaderboard empty-folder --out l
leaderboard empty-folder --out l --format pdf
leaderboard empty-folder --out l --threshold 2
leaderboard full
leaderboard damaged --out l
leaderboard damaged --out loop
demo --out loop
generate good.csv --mlm demo:mlm-bpe --out loop
work show loop
harness demo:dataset --config noun --estimate --input-price nan --output-price 1
harness demo:dataset --config noun --estimate --input-price 1 --output-price inf
explore
explore nowhere --dataset demo:dataset --out e
explore empty-folder --dataset demo:dataset --out e
explore empty-folder --out e
reproduce
reproduce --demo
reproduce --demo --out p --only nope
reproduce --demo --out p --only
reproduce --demo --out p --limit 0
reproduce --demo --out p --limit x
reproduce --out p --paper nope
reproduce --out p --paper simple-pair --models nope=demo:nli-a
reproduce nowhere.csv --out p --paper simple-pair
reproduce --demo --out full
publish
publish nowhere --repo org/name
publish demo:dataset
publish demo:dataset --repo a/b/c
publish demo:dataset --repo "bad name"
publish good.csv --repo org/name
register
register nowhere
register good.csv
register no-data
register no-seeds
register demo:dataset --as a/b
demo --nonsense
demo --out full
demo --out good.csv
work
work nope
work show
work show nowhere
work drop nowhere
work status nowhere
work cancel nowhere
completion
completion nope
"""
COMMANDS = [line for line in WRONG.splitlines() if line]

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


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_command_is_refused_in_one_sentence(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = {*folder.rglob("*")}
    try:
        code = main(shlex.split(command))
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    error = capfd.readouterr().err
    assert code == 2, error
    assert "Traceback" not in error
    messages = [line for line in error.splitlines() if line.startswith("merge-snli: ")]
    assert len(messages) == 1 and len(messages[0]) > 20, error
    made = [path.relative_to(folder) for path in folder.rglob("*") if path not in before]
    assert [path for path in made if path.parts[0] != "g.work"] == []


def test_there_are_many_wrong_commands() -> None:
    assert len({*COMMANDS}) == len(COMMANDS) > 150
