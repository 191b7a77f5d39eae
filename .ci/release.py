"""Check a release of the version in CHANGELOG.md: `python .ci/release.py version|notes|check DIST [PYTHON...]`.

`version` refuses a version without a date. `check` builds wheel and sdist in DIST, twice, and installs the wheel in a
clean environment for each Python, skipping names that are missing, too old or another name of the same interpreter.
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
from collections.abc import Sequence, Set
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
# What a citation file needs: the required keys of CFF 1.2, and what we cite.
CITATION = ("cff-version", "message", "title", "authors", "version", "license", "preferred-citation")
# What the wheel must not have.
UNWANTED = re.compile(r"(^|/)(tests|training|benchmarks|\.)|\.pyc$")
OLDEST = (3, 11)
ABOUT = """
import os, sys
print(*sys.version_info[:3], sep=".")
print(os.path.realpath(sys.executable))
"""
CARD = """
from datasets import load_dataset
import evaluate
assert load_dataset("merge_snli", "noun", split="subsample_0").num_rows > 100
assert evaluate.load("pattern_accuracy").compute(predictions=[1], references=[1], groups=["a"])["pattern_accuracy"] == 1
"""


def section() -> tuple[str, str, str]:
    """Return the version, the date or "unreleased", and the text of the first section of the changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, version, date, notes = re.split(r"^## (\S+) \((.+)\)$", text, maxsplit=2, flags=re.MULTILINE)[:4]
    return version, date, notes.strip()


def released_version() -> str:
    """Return the version of the changelog, if it has the date of a release."""
    version, date, _ = section()
    is_date = re.fullmatch(r"\d{4}-\d\d-\d\d", date)
    require(is_date is not None, f"CHANGELOG.md has {version} ({date}): write the date of the release, as 2026-01-31")
    return version


def package_version() -> str:
    """Return `__version__`."""
    spec = spec_from_file_location("base", ROOT / "merge_snli" / "base" / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.__version__)


def check_version() -> None:
    """Check that changelog, package and citation have one version, and that the citation is complete."""
    import yaml

    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = yaml.safe_load(text)
    if not isinstance(citation, dict):
        citation = {}
    missing = [key for key in CITATION if not citation.get(key)]
    require(not missing, f"CITATION.cff has no {', '.join(missing)}")
    versions = {
        "CHANGELOG.md": section()[0],
        "__version__": package_version(),
        "CITATION.cff": str(citation["version"]),
    }
    distinct = set(versions.values())
    require(len(distinct) == 1, f"the versions differ: {versions}")


def check_files(dist: Path) -> None:
    """Build twice, and a wheel from the sdist, with the same bytes; check metadata, contents and licenses."""
    shutil.rmtree(dist, ignore_errors=True)
    build("--outdir", str(dist), str(ROOT))
    wheel = next(dist.glob("*.whl"))
    sdist = next(dist.glob("*.tar.gz"))
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder)
        build("--outdir", folder, str(ROOT))
        for file in (wheel, sdist):
            require(digest(again / file.name) == digest(file), f"{file.name} has other bytes when it is built again")
        with tarfile.open(sdist) as archive:
            check_contents({each.name.partition("/")[2] for each in archive if each.isfile()})
            archive.extractall(again, filter="data")
        source, out = again / sdist.name.removesuffix(".tar.gz"), again / "from-sdist"
        build("--wheel", "--outdir", str(out), str(source))
        require(digest(out / wheel.name) == digest(wheel), "the sdist builds another wheel")
    run(BIN / "validate-pyproject", ROOT / "pyproject.toml")
    run(BIN / "twine", "check", "--strict", wheel, sdist)
    # W009: `generation` and `metrics` stand beside `merge_snli`. W002: equal tokenizer files, and licenses twice.
    run(BIN / "check-wheel-contents", "--ignore", "W002,W009", wheel)
    check_wheel(wheel)


def check_wheel(wheel: Path) -> None:
    """Check that a wheel has the license files, and nothing that is not installed."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(archive.read(metadata).decode())
        named = fields.get_all("License-File", [])
        require(set(named) == set(LICENSES), "License-File of the wheel is incomplete")
        folder = metadata.removesuffix("METADATA")
        for name, words in LICENSES.items():
            text = archive.read(f"{folder}licenses/{name}").decode()
            require(words in text, f"{name} is not the license of {words}")
    unwanted = [name for name in names if UNWANTED.search(name)]
    require(not unwanted, f"the wheel has {unwanted[:3]}")


def check_contents(names: Set[str]) -> None:
    """Check that the sdist has exactly the files that git tracks."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    tracked = set(listed.split("\0")) - {""}
    others = sorted(names - tracked - {"PKG-INFO"})
    missing = sorted(tracked - names)
    require(not others, f"the sdist has files that git does not track: {', '.join(others[:5])}")
    require(not missing, f"the sdist lacks {', '.join(missing[:5])}")


def usable_pythons(names: Sequence[str]) -> list[str]:
    """Return the interpreters of some names, each once, and print which names are skipped and why."""
    found: dict[str, str] = {}
    for name in names:
        version, path, reason = about(name)
        if not reason and tuple(map(int, version.split("."))) < OLDEST:
            reason = f"it is Python {version}"
        if not reason and path in found:
            reason = f"it is {found[path]}"
        if reason:
            print(f"== skipped {name}: {reason}", flush=True)
        else:
            found[path] = f"{name} ({version}, {path})"
    oldest = ".".join(map(str, OLDEST))
    require(bool(found), f"no Python {oldest} or newer was found")
    print("== installing on", *found.values(), sep="\n   ", flush=True)
    return list(found)


def about(name: str) -> tuple[str, str, str]:
    """Return version and path of an interpreter, or why it cannot be used."""
    if shutil.which(name) is None:
        return "", "", "it was not found"
    done = subprocess.run([name, "-c", ABOUT], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        error, _, _ = done.stderr.strip().partition("\n")
        return "", "", error or "it failed"
    version, path = done.stdout.splitlines()
    return version, path, ""


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
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **environment}, check=False)
    require(done.returncode == 0, f"exit code {done.returncode}: {' '.join(words)[:200]}")


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
        for python in usable_pythons(arguments[2:]):
            check_installation(next(dist.glob("*.whl")), python)
    elif arguments[0] == "version":
        print(released_version())
    else:
        print(section()[2])


if __name__ == "__main__":
    main(sys.argv[1:])
