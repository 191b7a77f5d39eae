"""The table and JSON of the evaluation, and the model cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.measure import as_table, card_text, main, with_minimums
from training.train import MODELS

FIGURES = {"top_1": 0.4, "top_200": 0.9, "forms": 1_234, "one_token": 0.95}


def test_a_missed_minimum_is_named() -> None:
    measured = with_minimums("mlm-wordpiece", FIGURES)
    assert measured["missed"] == ["top_200"]
    assert [row[1:] for row in as_table([measured]).rows] == [
        ("top_1", 0.4, 0.38, ""),
        ("top_200", 0.9, 0.92, "missed"),
    ]


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_card(name: str) -> None:
    text = card_text(name, FIGURES if name.startswith("mlm") else {"accuracy": 0.7812, "problems": 9_824})
    assert text.startswith("---\nlicense: cc-by-sa-4.0\n")
    assert f"python -m training.train {name} --data DIR" in text
    assert ("40.0%" if name.startswith("mlm") else "78.1%") in text


def test_missing_data_exits_with_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["measure", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        main()
    message = capsys.readouterr().err
    assert str(tmp_path / "snli" / "test.jsonl") in message
    assert "--data" in message
