"""The work folder: answers are shared between runs, and the cache command lists and drops files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from generation import Options
from generation.answers.store import recorded_cache_keys
from generation.pipeline import run_pipeline
from merge_snli.dataset.stored import MergeDataset
from tests.conftest import Command
from tests.records import first_problems


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("used a masked LM")


@dataclass(frozen=True)
class Made:
    """A data set, its work folder and its options."""

    options: Options
    work: Path
    dataset: MergeDataset

    def run(self, step: str, command: Command) -> dict[str, Any]:
        """Run a step of `merge-snli work` on it and return the document."""
        report: dict[str, Any] = json.loads(
            command("work", step, self.dataset.folder, "--work", self.work, "--format", "json")
        )
        return report


@pytest.fixture
def made(tiny_mlm: Callable[[str], Path], tmp_path: Path) -> Made:
    problems = first_problems(tmp_path, 8)
    mlms = tuple(str(tiny_mlm(kind)) for kind in ("bert", "roberta"))
    options = Options(
        problems=str(problems), id_column="id", mlm=mlms, top_k=40, inflation=2, subsamples=1, device="cpu"
    )
    work = tmp_path / "shared"
    return Made(options, work, run_pipeline(options, tmp_path / "merge_snli", work=work))


def test_runs_with_other_options_reuse_the_answers(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.masked_lms.masked_lm.MaskedLM.fill", refuse)
    monkeypatch.setattr("generation.run.load_masked_lm", refuse)
    others: dict[str, dict[str, Any]] = {
        "union": {"sides": "union"},
        "pos": {"filters": "pos"},
        "prob": {"filters": "prob"},
        "none": {"filters": "none"},
        "scramble": {"scramble": True},
        "d": {"inflation": 3},
        "seed": {"random_seed": 7},
        "classes": {"classes": ("noun",)},
        "one": {"mlm": made.options.mlm[:1]},
    }
    variants = {"default": made.dataset.record.configs["all"].rows}
    for name, changes in others.items():
        other = run_pipeline(replace(made.options, **changes), tmp_path / name, work=made.work)
        variants[name] = other.record.configs["all"].rows
    assert variants["union"] >= variants["default"] >= variants["one"]
    assert variants["none"] >= max(variants["pos"], variants["prob"])
    assert variants["none"] > variants["default"] == variants["seed"]
    assert variants["default"] > variants["classes"]
    with pytest.raises(AssertionError, match="used a masked LM"):
        run_pipeline(replace(made.options, top_k=39), tmp_path / "top_k", work=made.work)


def test_the_cache_command_lists_files_and_drops_those_not_needed(
    made: Made, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_pipeline(replace(made.options, top_k=30, inflation=3, id_column=None), tmp_path / "other", work=made.work)
    before = made.run("show", command)
    kinds = [(entry["kind"], entry["masked_lm"], entry["needed"]) for entry in before["stored"]]
    answers = [("answers", name, needed) for name in ("tiny-bert", "tiny-roberta") for needed in (True, False)]
    others = [(kind, None, needed) for kind in ("tagged problems", "results") for needed in (True, False)]
    assert sorted(kinds, key=str) == sorted([*answers, *others], key=str)
    assert before["bytes"] == sum(entry["bytes"] for entry in before["stored"])
    needed = [entry for entry in before["stored"] if entry["needed"]]
    assert all(entry["rows"] > 0 and entry["shards"] > 0 and entry["bytes"] > 0 for entry in needed)
    assert made.run("drop", command)["stored"] == needed
    monkeypatch.setattr("generation.run.load_masked_lm", refuse)
    assert run_pipeline(made.options, tmp_path / "again", work=made.work).digest == made.dataset.digest


def test_the_work_command_without_a_data_set(tmp_path: Path, command: Command) -> None:
    assert str(tmp_path / "nothing.work") in command("work", "show", str(tmp_path / "nothing"), code=2)
    (tmp_path / "killed.work").mkdir()
    assert "0.0 MiB in" in command("work", "show", str(tmp_path / "killed"))
    assert str(tmp_path / "killed") in command("work", "drop", str(tmp_path / "killed"), code=2)


def test_the_record_gives_the_cache_keys(made: Made) -> None:
    folders = {key.folder(made.work) for key in recorded_cache_keys(made.dataset.record)}
    assert folders == set((made.work / "suggestions").iterdir())
