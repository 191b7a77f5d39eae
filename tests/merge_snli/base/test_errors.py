"""How messages name parameters, and what a user is told about missing extras and modules of the same name."""

import ast
import copy
import io
import logging
import pickle
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from generation import Options
from merge_snli.base.errors import (
    MAX_MESSAGE,
    REASON,
    IncompleteError,
    InputError,
    Message,
    as_flags,
    explained,
    log_flags,
    one_line,
    param,
)
from merge_snli.base.extras import install_command
from merge_snli.base.shadowing import PACKAGES, check_not_shadowed
from tests import ROOT
from tests.cases import first_fast, slow
from tests.commands import Command
from tests.oracles import missing_from, refused, written
from tests.processes import PROGRAM

FOLDERS = ("merge_snli", "generation", "training")

MESSAGES = {
    "⟦top_k⟧ is 0: it must be at least 1": ("top_k is 0: it must be at least 1", "--top-k is 0: it must be"),
    f"{param('top_k')} of ⟦problems⟧": ("top_k of problems", "--top-k of PROBLEMS"),
    f"use {param('device', 'cpu')}, or lower {param('inflation', 3)}": (
        "use device='cpu', or lower inflation=3",
        "use --device=cpu, or lower --inflation=3",
    ),
    f"e.g. {param('labels', ('entailment', 'not_entailment'))}; or": (
        "e.g. labels=('entailment', 'not_entailment'); or",
        "e.g. --labels=entailment,not_entailment; or",
    ),
    f"e.g. {param('labels', ('not enough info', 'n/a'))}, or {param('delimiter', ';')}": (
        "e.g. labels=('not enough info', 'n/a'), or delimiter=';'",
        "e.g. --labels='not enough info,n/a', or --delimiter=';'",
    ),
    f"add {param('allow_pickle', True)} or ⟦overwrite=True⟧.": (
        "add allow_pickle=True or overwrite=True.",
        "add --allow-pickle or --overwrite.",
    ),
}


@pytest.mark.parametrize("text", MESSAGES)
def test_parameters_are_named_as_in_python_and_by_flags(text: str) -> None:
    in_python, flags = MESSAGES[text]
    for shown in (Message(text), InputError(text)):
        assert str(shown) == in_python
        assert as_flags(shown).startswith(flags)


@pytest.mark.parametrize(
    "text",
    [
        "run pip install --upgrade torch",
        "/data/--old/x has no file: copy --old",
        "run merge-snli pairs simple --premises 4: it is faster",
        "the title is '--a b': x--y a/b--c -- d --top-k=3 and add --overwrite",
        "a \ufdd1 or \ufdd0 in a name",
        "a ⟦ or ⟦two words⟧",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    error = InputError(f"{text}; see {param('top_k')}")
    assert str(error) == f"{text}; see top_k"
    assert as_flags(error) == f"{text}; see --top-k"


@pytest.mark.parametrize("name", ["--top-k", "top-k", "a b", "top_k\n"])
@pytest.mark.parametrize("value", [None, "x", "", ("a", "b"), 0])
def test_no_mark_is_shown_whatever_is_marked(name: str, value: str | int | tuple[str, ...] | None) -> None:
    error = InputError(f"{param(name, value)} and {param('top_k')}")
    for shown in (str(error), repr(error), as_flags(error)):
        assert not re.search("[\ufdd0\ufdd1]|ufdd", shown)


def test_a_text_without_parameters_and_other_objects_are_shown_as_they_are() -> None:
    assert as_flags("add --x") == "add --x"
    assert as_flags(OSError("top_k")) == "top_k"


def test_a_message_within_another_keeps_its_parameters() -> None:
    inner = InputError(f"{param('top_k')} is 0")
    outer = InputError(f"{inner.message.marked}; set {param('device', 'cpu')}")
    assert str(outer) == "top_k is 0; set device='cpu'"
    assert as_flags(outer) == "--top-k is 0; set --device=cpu"
    assert as_flags(InputError(inner.message)) == "--top-k is 0"
    assert as_flags(Message(inner.message)) == "--top-k is 0"


@pytest.mark.parametrize("again", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy])
def test_an_error_from_another_process_is_the_same(again: Callable[[Exception], Exception]) -> None:
    error = again(IncompleteError(f"{param('device', 'cpu')} is missing"))
    assert type(error) is IncompleteError
    assert repr(error) == "IncompleteError(\"device='cpu' is missing\")"
    assert as_flags(error) == "--device=cpu is missing"


def test_logs_name_parameters_as_in_python_or_by_flags() -> None:
    def logged(*filters: Callable[[logging.LogRecord], bool]) -> str:
        logger = logging.getLogger("test_errors")
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        for each in filters:
            handler.addFilter(each)
        logger.addHandler(handler)
        logger.warning(Message(f"%s: set {param('dtype', 'float32')}"), "a")
        logger.warning("%s in %d s", InputError(f"{param('work')} is full"), 3)
        logger.warning("%(who)s", {"who": "b"})
        logger.warning("%s\n%s", "c\nd", Path("e\u202ef"))
        logger.removeHandler(handler)
        return stream.getvalue()

    assert logged() == "a: set dtype='float32'\nwork is full in 3 s\nb\nc\nd\ne\u202ef\n"
    assert logged(log_flags) == "a: set --dtype=float32\n--work is full in 3 s\nb\nc\\nd\ne\\u202ef\n"


LONG = "a long value " * 1_000
LONG_MESSAGES = {
    "a value": f"the value is {LONG}: remove it",
    "an advised value": f"the value is {'a' * 580}; set {param('data_labels', LONG)}: remove it",
    "two parameters": f"set {param('problems', LONG)} or {param('data_labels', (LONG, LONG))}: remove it",
    "another message": f"{InputError(LONG).message.marked}; set {param('dtype')} or {param('device', LONG)}: remove it",
    "control characters": "\x1b" * 900 + ": remove it",
}


@pytest.mark.parametrize("kind", LONG_MESSAGES)
def test_a_long_message_has_its_beginning_and_its_end(kind: str) -> None:
    error = InputError(LONG_MESSAGES[kind])
    for shown in (str(error), as_flags(error), one_line(as_flags(error))):
        assert len(shown) <= MAX_MESSAGE
        assert shown[:4] in {"the ", "set ", "a lo", "\x1b" * 4, r"\x1b"}
        assert shown.endswith(": remove it")
        assert not re.search("[\ufdd0\ufdd1\ufdd3]", shown)
    assert re.search(r"… and [\d,]+ more characters …", one_line(str(error)))


def test_a_parameter_counts_once_in_the_length_of_a_message() -> None:
    message = Message(f"name them with {param('data_labels', 'a' * 600)}")
    assert "more characters" not in message
    assert as_flags(message).endswith("a" * 600)


def test_long_warnings_are_short() -> None:
    record = logging.LogRecord("a", logging.WARNING, "", 0, "%s and %s", (LONG, Path(LONG)), None)
    assert log_flags(record)
    assert len(record.getMessage()) <= MAX_MESSAGE


@pytest.mark.parametrize("arguments", [("demo:problems", "--format", LONG), (f"{LONG}.csv",)])
def test_long_errors_of_a_command_are_short(arguments: tuple[str, ...], command: Command) -> None:
    message = command("tables", *arguments, code=2).err.splitlines()[-1]
    assert len(message.removeprefix("merge-snli: ")) <= MAX_MESSAGE
    assert "more characters" in message


def test_a_warning_of_a_command_has_flags(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    problems = written(
        tmp_path / "problems.tsv", "premise\thypothesis\tgold_label\nA dog runs.\tA dog moves.\tentailment\n"
    )
    (warning,) = [line for line in command("tables", problems).err.splitlines() if "reading the columns" in line]
    assert warning.startswith(f"merge-snli: {problems}: ")
    assert "--premise-column, --hypothesis-column and --label-column" in warning


def test_an_error_from_the_command_line_has_flags_and_one_from_python_has_none(command: Command) -> None:
    run = ("generate", "demo:problems", "--mlm", "demo:mlm-bpe", "--out", "x")
    assert "merge-snli: --top-k is 0" in command(*run, "--top-k", "0", code=2).err
    refused(r"^top_k is 0", Options, problems="demo:problems", mlm=("demo:mlm-bpe",), top_k=0)


def test_a_quoted_error_has_flags_on_the_command_line(tmp_path: Path, command: Command) -> None:
    old = written(tmp_path / "--old.jsonl", '{"a": 1, "b": 2}\n')
    message = command("generate", old, "--mlm", "demo:mlm-bpe", "--out", tmp_path / "out", code=2).err
    assert not missing_from(message, str(old), "--premise-column")
    assert "\ufdd0" not in message


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("a.\nb"), "--out x is wrong (a): remove it"),
        (FileNotFoundError(2, "No such file", "x"), "--out x is wrong (No such file): remove it"),
        (OSError("cannot load x."), "--out x is wrong (cannot load x): remove it"),
        (KeyError("a"), "--out x is wrong (it has no 'a'): remove it"),
        (KeyError(), "--out x is wrong (KeyError): remove it"),
        (InputError(f"{param('dtype')} is y"), "--dtype is y"),
    ],
)
def test_errors_of_a_library_are_explained(error: Exception, message: str) -> None:
    text = f"{param('out')} x is wrong ({REASON}): remove it"
    with pytest.raises(InputError) as caught, explained((OSError, ValueError, KeyError), text):
        raise error
    assert as_flags(caught.value) == message
    if isinstance(error, InputError):
        assert caught.value is error
    else:
        assert caught.value.__cause__ is error


def test_other_errors_are_not_explained() -> None:
    with pytest.raises(RuntimeError, match="other"), explained(ValueError, "wrong"):
        raise RuntimeError("other")


MESSAGE_CALLS = {"InputError", "IncompleteError", "Message", "explained"}
COMMANDS = re.compile(r"(merge-snli [a-z-]+|pip install|lm_eval) [^,;:]*")
FLAG = re.compile(r"(?<![\w-])--[a-z]")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]


def flags_in_messages(source: str) -> list[str]:
    """Return the literal text of each message of a module that writes a flag."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MESSAGE_CALLS:
            literals = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            text = COMMANDS.sub("", "".join(map(str, literals)))
            if FLAG.search(text):
                found.append(text)
    return found


def test_no_message_writes_a_flag() -> None:
    assert flags_in_messages('raise InputError(f"{name}: use --top-k")') == [": use --top-k"]
    sources = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    for path, source in sources.items():
        if FLAG.search(source):
            assert flags_in_messages(source) == [], path


PYPROJECT = ROOT / "pyproject.toml"
EXTRAS = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["adapters", "annotate", "cluster", "inspect"])
def test_the_command_names_the_packages_of_the_extra(extra: str) -> None:
    start, *packages = install_command(extra).partition("install ")[0::2]
    assert start == "pip "
    assert {*map(Requirement, shlex.split(packages[0]))} == {*map(Requirement, EXTRAS[extra])}


USES = {
    "generation": "from merge_snli.validation import validate",
    "metrics": "from merge_snli import score",
}
"""A statement that needs each package."""


@pytest.fixture(params=first_fast(PACKAGES))
def shadow(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A user's module that must not be run."""
    return written(tmp_path / f"{request.param}.py", "raise SystemExit('the module of the user was imported')")


def _run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_a_package_that_is_not_installed_is_an_error() -> None:
    check_not_shadowed(*PACKAGES)
    refused("no_such_package", check_not_shadowed, "no_such_package")


def test_the_command_line_names_the_file(shadow: Path) -> None:
    code = "import sys; from merge_snli.cli import main; sys.exit(main(['tables', 'demo:problems']))"
    done = _run("-c", code, folder=shadow.parent)
    assert done.returncode == 2
    assert done.stdout == ""
    assert not missing_from(done.stderr, str(shadow), "rename it")
    assert done.stderr.count("\n") == 1


def test_a_folder_on_the_python_path_is_named_too(shadow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(shadow.parent))
    done = _run(PROGRAM, "tables", "x.jsonl", folder=ROOT)
    assert done.returncode == 2
    assert str(shadow) in done.stderr


@pytest.mark.parametrize("name", ["metrics.py", "metrics/__init__.py", *slow("generation.py")])
def test_the_first_use_from_python_names_the_file(name: str, tmp_path: Path) -> None:
    shadow = written(tmp_path / name, "raise SystemExit('the module of the user was imported')")
    script = written(tmp_path / "script.py", USES[name.partition("/")[0].removesuffix(".py")])
    done = _run(str(script), folder=ROOT)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("merge_snli.base.errors.InputError: ")
    assert str(shadow) in last


def test_packages_that_do_not_need_it_still_work(tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text("ANSWER = 42")
    done = _run("-c", "from generation import Options; import metrics; print(metrics.ANSWER)", folder=tmp_path)
    assert done.stdout == "42\n"
    assert done.stderr == ""
