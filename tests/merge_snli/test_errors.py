"""How messages name options: by flags on the command line, else as parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from generation import Options, generate
from merge_snli.cli import main
from merge_snli.errors import InputError, name_options, options_as_flags

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = {
    "--top-k is 0: it must be at least 1": "top_k is 0: it must be at least 1",
    "lower --inflation to 3, or --device=cpu": "lower inflation to 3, or device='cpu'",
    "e.g. --labels=entailment,not_entailment, or use --labels=infer; or": (
        "e.g. labels=('entailment', 'not_entailment'), or use labels='infer'; or"
    ),
    "pass another folder, or add --overwrite to replace it": (
        "pass another folder, or add overwrite=True to replace it"
    ),
    "use --work, or run merge-snli generate --run-file a/run.toml --out b": (
        "use work, or run merge-snli generate --run-file a/run.toml --out b"
    ),
    "--title is '--a b': x--y a/b--c -- d": "title is '--a b': x--y a/b--c -- d",
}


@pytest.mark.parametrize("message", MESSAGES)
def test_options_are_parameters_in_python_and_flags_on_the_command_line(message: str) -> None:
    assert name_options(message) == str(InputError(message)) == MESSAGES[message]
    with options_as_flags():
        assert name_options(message) == str(InputError(message)) == message
    assert name_options(message) == MESSAGES[message]


def test_an_error_from_the_command_line_keeps_its_flags(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--problems", "demo:problems", "--mlm", "demo:mlm-bpe"]
    assert main(["generate", *options, "--top-k", "0", "--out", "x"]) == 2
    assert "--top-k is 0" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"^top_k is 0"):
        Options(problems="demo:problems", mlm=("demo:mlm-bpe",), top_k=0)


def test_the_public_function_names_its_parameters(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(InputError, match=f"^out {tmp_path} is not empty"):
        generate(Options(problems="demo:problems", mlm=("demo:mlm-bpe",)), tmp_path)
