"""The README's Python code runs, and its output is what the demo prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import transformers.pipelines  # imported later, it would replace a patched `transformers.pipeline`

if TYPE_CHECKING:
    from tests.conftest import DemoRun

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
OURS, PLAIN = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), names)
    return names


@pytest.mark.slow
def test_the_example_with_datasets_and_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    names = run(PLAIN)
    scores = names["scores"]
    assert scores["n_samples"] == 10 * scores_groups(names)
    assert scores["qt"] == pytest.approx(scores["pattern_accuracy"] - scores["seed_sample_accuracy"])
    assert len(capsys.readouterr().out.split()) == 4


def test_the_example_takes_label_names_in_capitals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    monkeypatch.setattr(transformers, "pipeline", lambda *_, **__: lambda rows, **_: [{"label": "NEUTRAL"}] * len(rows))
    names = run(PLAIN)
    labels = names["seeds"]["label"]
    scores = names["scores"]
    assert scores["seed_sample_accuracy"] == labels.count(names["names"].index("neutral")) / len(labels)
    assert scores["n_samples"] == 10 * scores_groups(names)
    assert scores["qt"] == pytest.approx(scores["pattern_accuracy"] - scores["seed_sample_accuracy"])
    assert len(capsys.readouterr().out.split()) == 4


def scores_groups(names: dict[str, Any]) -> int:
    """Count the pairs of seed and word class; each has 10 variants in a subsample."""
    variants = names["variants"]
    return len(set(zip(variants["seed_id"], variants["word_class"], strict=True)))


@pytest.mark.slow
def test_the_example_of_the_python_api(
    demo_run: DemoRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reuses the answers and predictions of the demo, whose data set and model are the same."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_run.out / "merge_snli.work", tmp_path / "my_data" / "merge_demo.work")
    shutil.copytree(demo_run.out / "results.work", tmp_path / "my_data" / "results.work")
    result = run(OURS)["result"]
    assert capsys.readouterr().out == f"{result.pattern_accuracy} {result.interval} {result.qt}\n"
    assert f"{100 * result.pattern_accuracy:.1f}" in demo_run.printed


@pytest.mark.slow
def test_the_demo_prints_the_blocks_shown(demo_run: DemoRun) -> None:
    blocks = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert blocks
    assert [block for block in blocks if block not in demo_run.printed] == []


def test_the_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in ("demo", "test", "lint", "docs", "smoke", "data", "train"):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)
    assert "make demo" in README
    assert "make test" in README


def test_no_placeholder_is_left() -> None:
    pages = [ROOT / "README.md", ROOT / "training" / "README.md", *(ROOT / "docs").glob("*.md")]
    assert [page.name for page in pages if re.search(r"@[A-Z]+@|\bTBD\b", page.read_text(encoding="utf-8"))] == []
