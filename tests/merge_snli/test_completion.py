"""The completion scripts complete commands, options, choices and paths."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from merge_snli import cli
from tests.systems import unix_only

COMPLETE = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMPREPLY=()
_shtab_merge_snli 2> /dev/null; echo "${{COMPREPLY[@]}}"
"""


def script_of(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = script_of(shell, capsys)
    options = ("all-thresholds", "threshold", "against-work", "suggestions", "init-space", "pull-request")
    assert [word for word in (*cli.COMMANDS, *options) if word not in script] == []


@unix_only
def test_bash_completes_commands_options_choices_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "script").write_text(script_of("bash", capsys))
    (tmp_path / "problems.jsonl").touch()
    (tmp_path / "results").mkdir()
    for words, expected in {
        "merge-snli lead": "leaderboard",
        "merge-snli score --group-c": "--group-column",
        "merge-snli leaderboard --init": "--init-space",
        "merge-snli compare --all-t": "--all-thresholds",
        "merge-snli work ca": "cancel",
        "merge-snli compare --format la": "latex",
        "merge-snli compare res": "results",
        "merge-snli compare --test m": "mcnemar",
        "merge-snli generate prob": "problems.jsonl",
    }.items():
        code = COMPLETE.format(script=tmp_path / "script", words=words)
        done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


def test_the_image_copies_what_the_wheel_is_built_from() -> None:
    """Builds of the image run elsewhere; here, the wheel's inputs are compared with .dockerignore."""
    import tomllib

    root = Path(cli.__file__).parents[2]
    hatch = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    copied = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {*hatch["packages"], *hatch["force-include"], "pyproject.toml", "constraints.txt", "README.md"} <= copied
