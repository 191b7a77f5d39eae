"""The names of a model's outputs, which are read without `transformers` if the config has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoConfig

from merge_snli.models import loading
from merge_snli.models.classifier import output_names
from merge_snli.models.finding import ResolvedModel
from merge_snli.models.loading import read_output_names

BERT = {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}


@pytest.mark.parametrize(
    "config",
    [
        {"id2label": {"2": "neutral", "0": "contradiction", "1": "entailment"}, "label2id": {"neutral": 2}},
        {"id2label": {"0": "not_entailment", "1": "entailment"}, "num_labels": 2},
        {"id2label": {"0": "a", "1": "b", "2": "c"}, "architectures": None},
        {"num_labels": 3},
        {},
    ],
)
def test_outputs_have_the_names_that_transformers_gives_them(config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(BERT | config))
    expected = output_names(AutoConfig.from_pretrained(tmp_path))
    assert read_output_names(ResolvedModel("m", tmp_path, None, "")) == expected


def test_a_config_that_names_its_outputs_is_read_without_transformers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_read_config", None)
    (tmp_path / "config.json").write_text(json.dumps(BERT | {"id2label": {"0": "neutral", "1": "entailment"}}))
    assert read_output_names(ResolvedModel("m", tmp_path, None, "")) == ("neutral", "entailment")
