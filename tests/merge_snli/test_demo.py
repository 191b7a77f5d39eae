"""`merge-snli demo`: its output, its files, and a second run that uses the cache."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli import cli
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    import pytest

    from tests.conftest import DemoRun


def test_it_prints_its_sections_and_writes_all_files(demo_run: DemoRun) -> None:
    titles = ["Shared words", "Variants, by", "Variants to look at", "Scores", "Written"]
    places = [demo_run.printed.index(f"\n{title}") for title in titles]
    assert places == sorted(places)
    scores = demo_run.printed[places[3] : places[4]]
    assert "demo:nli-a" in scores
    assert "demo:nli-b" in scores
    for path in ("merge_snli", "results", "figures/pattern_accuracy.png", "site/index.html"):
        assert f"demo/{path}\n" in demo_run.printed[places[4] :]
        assert (demo_run.out / path).exists()
    assert (demo_run.out / "figures" / "pattern_accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_it_shows_three_variants_per_label(demo_run: DemoRun) -> None:
    examples = demo_run.printed.split("Variants to look at\n")[1].split("\nScores\n")[0]
    for name in NLI_LABELS:
        of_label = examples.split(f"{name}\n")[1].split("\n\n")[0]
        assert of_label.count(" -> ") == of_label.count("    P: ") == of_label.count("    H: ") == 3


def test_the_results_have_plausible_scores(demo_run: DemoRun) -> None:
    results = [json.loads(path.read_text()) for path in sorted((demo_run.out / "results").glob("*.json"))]
    assert [result["model"]["name"] for result in results] == ["demo:nli-a", "demo:nli-b"]
    for result in results:
        scores = result["scores"]
        assert 1 / 3 < scores["seed_sample_accuracy"] < 1
        assert -1 < scores["qt"] < 1


def test_a_second_run_runs_no_model(
    demo_run: DemoRun, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a model was run")

    monkeypatch.setattr("generation.masked_lms.masked_lm.MaskedLM.fill", fail)
    monkeypatch.setattr("scoring.models.classifier.Classifier.logits", fail, raising=False)
    before = time.monotonic()
    assert cli.main(["demo", "--out", str(demo_run.out)]) == 0
    assert time.monotonic() - before < 90
    again = capsys.readouterr().out.replace(str(demo_run.out), "demo")
    assert again == demo_run.printed


def test_it_does_not_replace_another_data_set(
    demo_run: DemoRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(demo_run.out / "merge_snli", tmp_path / "merge_snli")
    record = tmp_path / "merge_snli" / "run.json"
    mine = json.loads(record.read_text())
    mine["options"] |= {"problems": "mine.jsonl", "random_seed": 5}
    record.write_text(json.dumps(mine))
    assert cli.main(["demo", "--out", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert str(tmp_path / "merge_snli") in message
    assert "random_seed" in message
    assert json.loads(record.read_text()) == mine
