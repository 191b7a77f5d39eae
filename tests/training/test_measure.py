"""The table and JSON of the evaluation, and the model cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.cards import CARDS, card_text
from training.measure import REQUIRED, Measured, as_json, as_table, main

FIGURES = {"top_1": 0.4, "top_200": 0.9, "forms": 1_234, "one_token": 0.95}
MODEL = Measured("mlm-wordpiece", FIGURES, REQUIRED["mlm-wordpiece"], 21.4)


def test_a_missed_minimum_is_named() -> None:
    assert MODEL.missed == ["top_200"]
    assert as_table([MODEL]).splitlines()[1:] == [
        "mlm-wordpiece  top_1        40.00%  38.00%",
        "mlm-wordpiece  top_200      90.00%  92.00%  missed",
    ]


def test_json_has_measured_and_required_values() -> None:
    (row,) = json.loads(as_json([MODEL]))
    assert row["figures"]["top_1"] == 0.4
    assert row["required"] == REQUIRED["mlm-wordpiece"]
    assert row["missed"] == ["top_200"]


@pytest.mark.parametrize("name", CARDS)
def test_every_model_has_a_card(name: str) -> None:
    figures = FIGURES if name.startswith("mlm") else {"accuracy": 0.7812, "problems": 9_824}
    text = card_text(name, figures)
    assert text.startswith("---\nlicense: cc-by-sa-4.0\n")
    assert f"python -m training.train_{name.replace('-', '_')} --data DIR" in text
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
