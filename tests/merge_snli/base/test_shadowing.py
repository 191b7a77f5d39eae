"""A user's module with the name of one of the packages is reported, not imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from merge_snli.base.shadowing import PACKAGES, check_not_shadowed

ROOT = Path(__file__).parents[3]
USES = {
    "generation": "from merge_snli.validation import validate",
    "metrics": "from merge_snli import score",
}
"""A statement that needs each package."""


@pytest.fixture(params=PACKAGES)
def shadow(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A user's module that must not be run."""
    path = tmp_path / f"{request.param}.py"
    path.write_text("raise SystemExit('the module of the user was imported')")
    return path


def _run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_installed_packages_pass() -> None:
    check_not_shadowed(*PACKAGES)


def test_a_package_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(InputError, match="no_such_package"):
        check_not_shadowed("no_such_package")


def test_the_command_line_names_the_file(shadow: Path) -> None:
    code = "import sys; from merge_snli.cli import main; sys.exit(main(['tables', 'demo:problems']))"
    done = _run("-c", code, folder=shadow.parent)
    assert done.returncode == 2
    assert done.stdout == ""
    assert [text for text in (str(shadow), "rename it") if text not in done.stderr] == []
    assert done.stderr.count("\n") == 1


def test_a_folder_on_the_python_path_is_named_too(shadow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(shadow.parent))
    done = _run(str(Path(sys.executable).with_name("merge-snli")), "tables", "x.jsonl", folder=ROOT)
    assert (done.returncode, str(shadow) in done.stderr) == (2, True)


def test_the_first_use_from_python_names_the_file(shadow: Path) -> None:
    script = shadow.with_name("script.py")
    script.write_text(USES[shadow.stem])
    done = _run(str(script), folder=ROOT)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("merge_snli.base.errors.InputError: ")
    assert str(shadow) in last


def test_packages_that_do_not_need_it_still_work(tmp_path: Path) -> None:
    (tmp_path / "metrics.py").write_text("ANSWER = 42")
    done = _run("-c", "from generation import Options; import metrics; print(metrics.ANSWER)", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")


def test_a_package_of_the_user_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "__init__.py").write_text("")
    done = _run("-c", USES["metrics"], folder=tmp_path)
    assert str(tmp_path / "metrics" / "__init__.py") in done.stderr.splitlines()[-1]
