"""The command line: fast start, exit codes, one line per input error, a log file for internal errors."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest

from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.cli import tables
from tests.cases import first_fast
from tests.commands import Command
from tests.oracles import write_rows
from tests.processes import PROGRAM, run_python, wait_until
from tests.systems import unix_only, with_full_disk

HEAVY = ("torch", "transformers", "spacy", "datasets", "evaluate", "pyarrow", "matplotlib", "scipy", "pandas")
PACKAGES = (
    "merge_snli",
    "merge_snli.cli",
    "merge_snli.pairs",
    "generation",
    "merge_snli.scoring",
    "metrics.pattern_accuracy",
)
DATA_SET = Path(cli.__file__).parents[1]


def run_into(file: IO[str], *command: str, unbuffered: str, **options: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401 - options of `run`
    """Run the command with its output in a file."""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    return subprocess.run([PROGRAM, *command], env=environment, stdout=file, text=True, check=False, **options)


def test_importing_packages_loads_nothing_heavy() -> None:
    done = run_python(f"import sys, {', '.join(PACKAGES)}; print([name for name in {HEAVY} if name in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_help_loads_nothing_heavy() -> None:
    """Of any command; one process shows them all, since what one of them loads stays loaded."""
    done = run_python(
        "import sys; from merge_snli.cli import main\n"
        f"for command in {['', *cli.COMMANDS]}:\n"
        "    try: main([*command.split(), '--help'])\n"
        "    except SystemExit: pass\n"
        f"print([name for name in {(*HEAVY, 'numpy')} if name in sys.modules])"
    )
    assert done.stdout.endswith("\n[]\n"), done.stderr
    assert done.stdout.count("usage: merge-snli") == len(cli.COMMANDS) + 1


@pytest.mark.slow
def test_the_command_works_in_a_folder_with_packages_of_the_same_names(tmp_path: Path) -> None:
    for name in ("metrics", "generation", "merge_snli"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported from the working directory')")
    done = subprocess.run(
        [PROGRAM, "tables", str(DATA_SET), "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "table_2" in json.loads(done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize("forged", ["a\nmerge-snli: valid", "a\x1b[2K\rvalid", "a\u202edilav"])
def test_what_others_wrote_stays_on_the_line_of_a_message(forged: str, tmp_path: Path, command: Command) -> None:
    escaped = forged.encode("unicode_escape").decode()
    printed = command("tables", tmp_path / f"{forged}.jsonl", code=2)
    assert printed.out == ""
    assert re.fullmatch("merge-snli: .+\n", printed.err)
    assert f"{escaped}.jsonl" in printed.err
    assert printed.err.rstrip("\n").isprintable()
    option = f"--{forged.replace(' ', '')}"
    _, error = command("tables", "x.jsonl", option, code=2).err.splitlines()
    assert option.encode("unicode_escape").decode() in error


@pytest.fixture
def fail_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], int]:
    """A function that runs a command that fails with an error, and returns its exit code."""

    def run(error: BaseException) -> int:
        def fail(_: object) -> int:
            raise error

        monkeypatch.setattr(tables, "run", fail)
        return cli.main(["tables", "demo:problems"])

    return run


def test_an_internal_error_names_the_file_with_the_traceback(
    capsys: pytest.CaptureFixture[str], fail_with: Callable[[BaseException], int]
) -> None:
    assert fail_with(ZeroDivisionError("unexpected")) == 1
    log = Path(capsys.readouterr().err.strip().rsplit(" ", 1)[-1])
    assert "ZeroDivisionError: unexpected" in log.read_text()
    log.unlink()


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (InputError("bad value"), 2)])
def test_exit_codes(error: BaseException, code: int, fail_with: Callable[[BaseException], int]) -> None:
    assert fail_with(error) == code


def generate_long_texts(folder: Path) -> list[str]:
    """Return a command on problems of which some have texts of 60,000 characters."""
    sentence = "A man in a red shirt plays a guitar in front of a crowd. "
    texts = [sentence, sentence * (60_000 // len(sentence))] * 3
    rows = [{"premise": text, "hypothesis": "A man plays a guitar.", "label": "entailment"} for text in texts]
    (folder / "long.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return ["generate", str(folder / "long.jsonl"), "--mlm", "demo:mlm-bpe", "--out", str(folder / "merge_snli")]


@unix_only
@pytest.mark.slow
def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [PROGRAM, *generate_long_texts(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell ignores the signal in its background jobs, and so would this process.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: [*tmp_path.glob("merge_snli.work/tagged/**/*.parquet")] or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=120)[1]
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "merge-snli: interrupted" in err


def test_ctrl_c_in_a_callback_is_not_lost() -> None:
    code = """
import signal, sys, time, weakref
from merge_snli import cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off for the tests

class Thing: pass

def run(argv):
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    time.sleep(60)
    return 0

cli._run = run
sys.exit(cli.main([]))
"""
    done = run_python(code)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "merge-snli: interrupted" in done.stderr


def test_output_in_an_encoding_without_the_characters_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "A caf\u00e9 \u65e5\u672c"
    path = write_rows(tmp_path / "caf\u00e9.jsonl", [{"premise": text, "hypothesis": text, "label": "neutral"}])
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", errors="strict"))
    assert cli.main(["tables", str(path), "--format", "json"]) == 0
    sys.stdout.flush()
    assert json.loads(written.getvalue())["problems"] == str(path)
    assert cli.main(["tables", str(path)]) == 0
    sys.stdout.flush()
    assert b"\n----" in written.getvalue()


@with_full_disk
@pytest.mark.parametrize(
    ("command", "unbuffered"),
    first_fast([(["--version"], ""), (["tables", str(DATA_SET)], ""), (["completion", "bash"], "1")]),
    ids=["version", "tables", "completion-unbuffered"],
)
def test_a_full_disk_behind_the_output(command: list[str], unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = run_into(full, *command, unbuffered=unbuffered, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("merge-snli: cannot write the output (No space left on device)")
    assert "Traceback" not in done.stderr


@with_full_disk
@pytest.mark.parametrize("unbuffered", first_fast(["", "1"]))
def test_a_full_disk_behind_the_messages(unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = ("tables", "missing.csv", "--limit", "0")
        assert run_into(full, *command, unbuffered=unbuffered, stderr=full).returncode == 2


def test_words_of_some_problems(command: Command, caplog: pytest.LogCaptureFixture) -> None:
    printed = command("tables", "demo:problems", "--limit", "5").out
    _, table = re.split("class +problems.*\n", printed)
    assert re.findall("^[a-z]+", table, re.MULTILINE)[:4] == ["noun", "verb", "adj", "adv"]
    reading, words = caplog.messages
    assert reading.startswith("reading: 5 rows [")
    assert words.startswith("shared words: 100% 5/5 [")


def test_the_folder_that_is_advised_is_not_that_of_the_package(command: Command) -> None:
    message = command("generate", "demo:problems", "--mlm", "demo:mlm-bpe", code=2).err
    assert "--out" in message
    assert "merge_snli" not in message
