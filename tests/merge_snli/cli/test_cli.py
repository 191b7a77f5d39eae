"""The command line: fast start, exit codes, one line per input error, a log file for internal errors."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from merge_snli import cli
from merge_snli.base.errors import InputError
from merge_snli.cli import main, tables
from tests.processes import SECONDS, wait_until
from tests.systems import unix_only, with_full_disk

HEAVY = ("torch", "transformers", "spacy", "datasets", "evaluate", "pyarrow", "matplotlib", "scipy", "pandas")
PACKAGES = ("merge_snli", "merge_snli.cli", "generation", "merge_snli.scoring", "metrics.pattern_accuracy")
COMMAND = Path(sys.executable).with_name("merge-snli")
DATA_SET = Path(cli.__file__).parents[1]


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy(package: str) -> None:
    code = f"import sys, {package}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["", *cli.COMMANDS])
def test_help_loads_nothing_heavy(command: str) -> None:
    arguments = [*([command] if command else []), "--help"]
    code = (
        f"import sys; from merge_snli.cli import main\ntry: main({arguments})\n"
        f"except SystemExit: print([name for name in {(*HEAVY, 'numpy')} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "usage: merge-snli" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_command_works_in_a_folder_with_packages_of_the_same_names(tmp_path: Path) -> None:
    for name in ("metrics", "generation", "merge_snli"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported from the working directory')")
    done = subprocess.run(
        [str(COMMAND), "tables", str(DATA_SET), "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["table_2"]["rows"][0]["config"] == "all"
    assert done.stderr == ""


def test_an_input_error_is_one_line_without_a_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere.jsonl"
    assert cli.main(["tables", str(missing)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("merge-snli: ")
    assert str(missing) in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["generate", "--top-k", "many"], "--top-k"),
        (["generate", "--quick"], "--quick"),
        (["score", "demo:nli-a"], "--dataset"),
        (["frobnicate"], "frobnicate"),
        (["annotate"], "sample|estimate|score|apply"),
        (["annotate", "draw"], "unknown step draw: choose from sample, estimate, score, apply"),
    ],
)
def test_a_usage_error_is_a_short_usage_and_one_line(
    command: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(command)
    assert caught.value.code == 2
    usage, error = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: merge-snli")
    assert error.startswith("merge-snli: ")
    assert named in error


def test_an_internal_error_names_the_file_with_the_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("unexpected")

    monkeypatch.setattr(tables, "run", fail)
    assert cli.main(["tables", "demo:problems"]) == 1
    message = capsys.readouterr().err
    log = Path(message.strip().rsplit(" ", 1)[-1])
    assert "ZeroDivisionError: unexpected" in log.read_text()
    log.unlink()


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (InputError("bad value"), 2)])
def test_exit_codes(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: object) -> int:
        raise error

    monkeypatch.setattr(tables, "run", stop)
    assert cli.main(["tables", "demo:problems"]) == code


def generate_long_texts(folder: Path) -> list[str]:
    """Return a command on problems of which some have texts of 60,000 characters."""
    sentence = "A man in a red shirt plays a guitar in front of a crowd. "
    texts = [sentence, sentence * (60_000 // len(sentence))] * 3
    rows = [{"premise": text, "hypothesis": "A man plays a guitar.", "label": "entailment"} for text in texts]
    (folder / "long.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return ["generate", str(folder / "long.jsonl"), "--mlm", "demo:mlm-bpe", "--out", str(folder / "merge_snli")]


@unix_only
@pytest.mark.parametrize(
    ("make", "begun"),
    [
        (lambda folder: ["demo", "--out", str(folder)], "merge_snli.work"),
        pytest.param(generate_long_texts, "merge_snli.work", marks=pytest.mark.slow),
        pytest.param(generate_long_texts, "merge_snli.work/tagged/**/*.parquet", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path: Path, make: Callable[[Path], list[str]], begun: str) -> None:
    process = subprocess.Popen(
        [str(COMMAND), *make(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell ignores the signal in its background jobs, and so would this process.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: [*tmp_path.glob(begun)] or process.poll() is not None)
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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert "merge-snli: interrupted" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("form", [[], ["--format", "json"]])
def test_output_in_an_encoding_without_the_characters_of_a_table(
    encoding: str, form: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"premise": "A caf\u00e9 \u65e5\u672c", "hypothesis": "A caf\u00e9 \u65e5\u672c", "label": "neutral"}
    (tmp_path / "caf\u00e9.jsonl").write_text(json.dumps(row) + "\n")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding, errors="strict"))
    assert cli.main(["tables", str(tmp_path / "caf\u00e9.jsonl"), *form]) == 0
    sys.stdout.flush()
    printed = written.getvalue().decode(encoding)
    if form:
        assert json.loads(printed)["problems"].endswith("caf\u00e9.jsonl")
    else:
        assert {"-", " "} in map(set, printed.splitlines())


@with_full_disk
@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [(["tables", str(DATA_SET)], ""), (["tables", str(DATA_SET)], "1"), (["--version"], "")],
    ids=["tables", "tables-unbuffered", "version"],
)
def test_a_full_disk_behind_the_output(command: list[str], unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(COMMAND), *command],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("merge-snli: cannot write the output (No space left on device)")
    assert "Traceback" not in done.stderr


@with_full_disk
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_the_messages(unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        command = [str(COMMAND), "tables", "missing.csv", "--limit", "0"]
        assert subprocess.run(command, env=environment, stdout=full, stderr=full, check=False).returncode == 2


def test_words_of_some_problems(capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    assert cli.main(["tables", "demo:problems", "--limit", "5", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["with_label"] == 5
    reading, words = caplog.messages
    assert reading.startswith("reading: 5 rows in ")
    assert words.startswith("shared words: 5 problems in ")


def test_words_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tables", "demo:problems"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    [head] = [number for number, row in enumerate(rows) if row[:2] == ["class", "problems"]]
    assert [row[0] for row in rows[head + 2 : head + 6]] == ["noun", "verb", "adj", "adv"]


def test_the_folder_that_is_advised_is_not_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["generate", "demo:problems", "--mlm", "demo:mlm-bpe"]) == 2
    message = capsys.readouterr().err
    assert "--out" in message
    assert "merge_snli" not in message


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--classes", "noun,article", "article"),
        ("--inflation", "0", "0"),
        ("--limit", "-3", "-3"),
        ("--data-labels", "yes", "yes"),
    ],
)
def test_a_bad_option_is_named_with_its_value(
    option: str, value: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["generate", "demo:problems", "--mlm", "demo:mlm-bpe", "--out", str(tmp_path / "x")]
    assert cli.main([*command, option, value]) == 2
    message = capsys.readouterr().err
    assert message.startswith("merge-snli: ")
    assert message.count("\n") == 1
    assert option in message
    assert named in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--assume", "--correlation"])
def test_options_of_power_are_refused_with_results(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "nowhere", option, "0.5"]) == 2
    assert f"{option} is for --power without results" in capsys.readouterr().err
