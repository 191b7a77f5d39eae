"""Training of the bundled models: their data, a trial run of each, and measures."""

import json
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoModelForSequenceClassification

from merge_snli.problems.problem import Problem
from tests.oracles import missing_from, refused
from training import train
from training.corpora import HELD_OUT, MNLI_DEV, SNLI_DEV, SNLI_TEST, problems_of, training_problems
from training.measure import main, missed
from training.train import MODELS, sentences_of, start_model, train_model

FIGURES = {"top_1": 0.4, "top_200": 0.9, "forms": 1_234, "one_token": 0.95}


def test_a_missed_minimum_is_named() -> None:
    assert missed("mlm-wordpiece", FIGURES) == ["top_200"]
    assert missed("nli-a", {"accuracy": 0.9}) == []


def test_missing_data_exits_with_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["measure", "--data", str(tmp_path)])
    refused("2", main, error=SystemExit)
    assert not missing_from(capsys.readouterr().err, str(tmp_path / "snli" / "test.jsonl"), "--data")


EXTRA = 20


@pytest.fixture
def numbered(tmp_path: Path) -> Path:
    """A data folder with numbered problems."""
    for name in (SNLI_DEV, MNLI_DEV, SNLI_TEST):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        rows = [
            {"premise": f"{path.stem} premise {row}.", "hypothesis": f"{path.stem} guess {row}", "label": "neutral"}
            for row in range(HELD_OUT + EXTRA)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_the_last_1500_of_each_dev_file_are_held_out(numbered: Path) -> None:
    trained = [problem.premise for problem in training_problems(numbered)]
    assert trained == [f"{name} premise {row}." for name in ("dev", "dev_matched") for row in range(EXTRA)]


def test_a_missing_data_folder_is_an_error(tmp_path: Path) -> None:
    refused(r"nowhere.snli.dev\.jsonl.* as data DIR", problems_of, tmp_path / "nowhere", SNLI_DEV)


def test_sentences_are_unique_and_end_with_a_full_stop() -> None:
    problems = [Problem("1", "A dog runs.", "A dog", 0), Problem("2", "A dog runs.", "Is it?", 0)]
    assert sentences_of(problems) == ["A dog runs.", "A dog.", "Is it?"]


def test_a_missing_teacher_is_an_error(tmp_path: Path) -> None:
    refused(r"nli-a.* python -m training\.train nli-a", start_model, "nli-b", [], tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread", "base")
def test_each_model_is_trained_and_written(numbered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: dict[str, int] = {}
    monkeypatch.setattr(train, "figures_of", lambda folder, problems: measured.setdefault(folder.name, len(problems)))
    for name, made in MODELS.items():
        train_model(name, data=numbered, out=tmp_path / "models", checkpoints=tmp_path / "checkpoints", steps=2)
        kind = AutoModelForSequenceClassification if made.labels else AutoModelForMaskedLM
        model = kind.from_pretrained(tmp_path / "models" / name)
        assert (model.dtype, model.config.num_hidden_layers) == (torch.float16, made.layers)
        assert tuple(model.config.id2label.values()) == made.labels or not made.labels
    assert measured == dict.fromkeys(MODELS, HELD_OUT)
