"""Check a release of the version in CHANGELOG.md: `python .ci/release.py version|notes|check DIST [PYTHON...]`.

`check` builds wheel and sdist in DIST, twice, and installs the wheel in a clean environment for each Python.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LICENSES = {
    "LICENSE": "Apache License",
    "merge_snli/leaderboard/page/vendor/uPlot.LICENSE": "MIT License",
    "merge_snli/embedded/wordnet/LICENSE": "WordNet",
}
CARD = """
from datasets import load_dataset
import evaluate
assert load_dataset("merge_snli", "noun", split="subsample_0").num_rows > 100
assert evaluate.load("pattern_accuracy").compute(predictions=[1], references=[1], groups=["a"])["pattern_accuracy"] == 1
"""


def section() -> tuple[str, str]:
    """Return the version and the text of the first section of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, heading, notes = re.split(r"^## (.+)$", text, maxsplit=2, flags=re.MULTILINE)[:3]
    return heading.split()[0], notes.strip() + "\n"


def package_version() -> str:
    """Return `__version__`."""
    spec = spec_from_file_location("base", ROOT / "merge_snli" / "base" / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.__version__)


def check_version() -> None:
    """Check that changelog, package and citation have one version."""
    citation = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    versions = {
        "CHANGELOG.md": section()[0],
        "__version__": package_version(),
        "CITATION.cff": citation and citation[1],
    }
    require(len({*versions.values()}) == 1, f"the versions differ: {versions}")


def check_files(dist: Path) -> None:
    """Build twice, and a wheel from the sdist, with the same bytes; check metadata, contents and licenses."""
    shutil.rmtree(dist, ignore_errors=True)
    build("--outdir", str(dist), str(ROOT))
    wheel, sdist = next(dist.glob("*.whl")), next(dist.glob("*.tar.gz"))
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder)
        build("--outdir", folder, str(ROOT))
        for file in (wheel, sdist):
            require(digest(again / file.name) == digest(file), f"{file.name} has other bytes when it is built again")
        with tarfile.open(sdist) as archive:
            archive.extractall(again, filter="data")
        build("--wheel", "--outdir", str(again / "from-sdist"), str(again / sdist.name.removesuffix(".tar.gz")))
        require(digest(again / "from-sdist" / wheel.name) == digest(wheel), "the sdist builds another wheel")
    run(BIN / "validate-pyproject", ROOT / "pyproject.toml")
    run(BIN / "twine", "check", "--strict", wheel, sdist)
    # W009: `generation` and `metrics` stand beside `merge_snli`. W002: equal tokenizer files, and licenses twice.
    run(BIN / "check-wheel-contents", "--ignore", "W002,W009", wheel)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = Parser().parsestr(archive.read(next(n for n in names if n.endswith("/METADATA"))).decode())
        require({*metadata.get_all("License-File", [])} == {*LICENSES}, "License-File of the wheel is incomplete")
        for name, words in LICENSES.items():
            path = next(each for each in names if each.endswith(f".dist-info/licenses/{name}"))
            require(words in archive.read(path).decode(), f"{name} is not the license of {words}")
        unwanted = [name for name in names if re.search(r"(^|/)(tests|training|benchmarks|\.)|\.pyc$", name)]
        require(not unwanted, f"the wheel has {unwanted[:3]}")


def check_installation(wheel: Path, python: str) -> None:
    """Install the wheel in a clean environment, run the demo offline, and load data and metric as the card says."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", f"{folder}/venv")
        run(ROOT / ".ci" / "install", f"{folder}/venv", wheel)
        home = {"HF_HOME": f"{folder}/home", "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
        run(f"{folder}/venv/bin/merge-snli", "demo", "--out", "demo", cwd=folder, **home)
        run(f"{folder}/venv/bin/merge-snli", "register", "demo:dataset", cwd=folder, **home)
        run(f"{folder}/venv/bin/python", "-c", CARD, cwd=folder, **home)


def build(*arguments: str) -> None:
    """Run `build`; equal sources give equal bytes, because the time in archives is fixed."""
    run(BIN / "python", "-m", "build", *arguments, SOURCE_DATE_EPOCH="1577836800")


def run(*command: object, cwd: str | Path = ROOT, **environment: str) -> None:
    """Run a command, and stop if it fails."""
    print("==", *command, flush=True)
    done = subprocess.run([*map(str, command)], cwd=cwd, env={**os.environ, **environment}, check=False)
    require(done.returncode == 0, f"exit code {done.returncode}: {' '.join(map(str, command))[:200]}")


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def require(condition: bool, problem: str) -> None:
    """Stop with a message if a condition does not hold."""
    if not condition:
        sys.exit(f"release-check: {problem}")


def main(arguments: Sequence[str]) -> None:
    """Run the command of the arguments."""
    if arguments[0] == "check":
        dist = Path(arguments[1]).resolve()
        check_version()
        check_files(dist)
        for python in arguments[2:]:
            check_installation(next(dist.glob("*.whl")), python)
    else:
        sys.stdout.write(section()[0] + "\n" if arguments[0] == "version" else section()[1])


if __name__ == "__main__":
    main(sys.argv[1:])
