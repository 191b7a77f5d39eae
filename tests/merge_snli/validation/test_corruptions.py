"""Corruptions of a valid data set: each is found, or does not change what other libraries read."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars
import pytest
import yaml

from merge_snli.validation import validate
from tests.merge_snli.validation.corruptions import CORRUPTIONS, corrupt

FOUND, HARMLESS, MISSED = "found", "harmless", "missed"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one corruption."""

    number: int
    kind: str
    where: str
    verdict: str
    findings: tuple[str, ...]


def outcomes(valid_set: Path, numbers: Iterable[int], tmp_path: Path) -> Iterator[Outcome]:
    """Corrupt a copy of the data set for each number, and validate it."""
    before = readings(valid_set)
    for number in numbers:
        folder = tmp_path / "corrupted"
        shutil.copytree(valid_set, folder)
        corruption, where = corrupt(folder, number)
        findings = tuple(map(str, validate(folder).findings))
        verdict = FOUND if findings else HARMLESS if readings(folder) == before else MISSED
        yield Outcome(number, corruption.name, where, verdict, findings)
        shutil.rmtree(folder)
        folder.with_name(f"{folder.name}-elsewhere").unlink(missing_ok=True)


def readings(folder: Path) -> dict[str, object]:
    """Read every file with libraries that validation does not use: Polars, JSON, YAML.

    `run.toml` is left out: it is optional and repeats the options of the record.
    """
    content: dict[str, object] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()):
        name = path.relative_to(folder).as_posix()
        if name == "run.toml":
            continue
        try:
            content[name] = ("link",) if path.is_symlink() else reading(path)
        except (OSError, ValueError, yaml.YAMLError, polars.exceptions.PolarsError) as error:
            content[name] = ("unreadable", type(error).__name__)
    return content


def reading(path: Path) -> object:
    """Return a file's content as a value; the digests of the record are left out, since they change with any byte."""
    if path.suffix == ".parquet":
        frame = polars.read_parquet(path)
        of_seed = polars.scan_parquet(path).filter(polars.col("seed_id") == frame["seed_id"][0]).collect()
        return (
            repr(frame.schema),
            repr(frame.rows()),
            repr(of_seed.rows()),
            polars.read_parquet_metadata(path).get("huggingface"),
        )
    if path.name == "run.json":
        run = json.loads(path.read_text(encoding="utf-8"))
        for name in ("digest", "files"):
            run["data"].pop(name, None)
        return {name: value for name, value in run.items() if name not in ("card", "digest")}
    if path.name == "README.md":
        _, metadata, text = path.read_text(encoding="utf-8").split("---\n", 2)
        configs = yaml.safe_load(metadata)
        for config in configs.get("configs", []):
            config.pop("version")
        return configs, text
    return path.read_bytes()


def report(tried: list[Outcome]) -> str:
    """Return the outcomes by kind of corruption as a table."""
    counts = Counter((outcome.kind, outcome.verdict) for outcome in tried)
    lines = [f"{'kind':50}{FOUND:>8}{HARMLESS:>10}{MISSED:>8}"]
    for kind in (corruption.name for corruption in CORRUPTIONS):
        lines.append(f"{kind:50}{counts[kind, FOUND]:8}{counts[kind, HARMLESS]:10}{counts[kind, MISSED]:8}")
    lines += [
        f"{outcome.verdict}: {outcome.number} {outcome.kind}: {outcome.where}"
        for outcome in tried
        if outcome.verdict != FOUND
    ]
    return "\n".join(lines)


def test_the_data_set_is_valid_without_corruptions(valid_set: Path) -> None:
    assert validate(valid_set).findings == ()


def test_each_kind_of_corruption_once(valid_set: Path, tmp_path: Path) -> None:
    tried = list(outcomes(valid_set, range(len(CORRUPTIONS)), tmp_path))
    assert not [outcome for outcome in tried if outcome.verdict == MISSED], report(tried)


@pytest.mark.slow
def test_a_thousand_corruptions(valid_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = random.Random(0).sample(range(1_000_000), 1_000)
    tried = list(outcomes(valid_set, numbers, tmp_path))
    with capsys.disabled():
        print(f"\n{report(tried)}")  # noqa: T201 - the report is the purpose of this test
    assert not [outcome for outcome in tried if outcome.verdict == MISSED]
