"""The four bundled models: the files of their folders, loading, and plausible predictions."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForMaskedLM, AutoModelForSequenceClassification, AutoTokenizer, pipeline

from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS
from training.measure import REQUIRED, megabytes

MODELS = (*MASKED_LMS, *NLI_MODELS)
FILES = {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
MAX_MEGABYTES = 24
MAX_TOTAL_MEGABYTES = 64


@pytest.fixture(params=MODELS)
def folder(request: pytest.FixtureRequest) -> Path:
    """Each model folder."""
    return FOLDER / str(request.param)


def test_a_folder_has_a_model_a_tokenizer_and_a_card_but_no_code(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES


def test_sizes() -> None:
    sizes = [megabytes(FOLDER / name) for name in MODELS]
    assert max(sizes) <= MAX_MEGABYTES
    assert sum(sizes) <= MAX_TOTAL_MEGABYTES


def test_weights_are_float16_and_finite(folder: Path) -> None:
    with safe_open(folder / "model.safetensors", "pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - not a mapping
            tensor = weights.get_tensor(name)
            assert tensor.dtype == torch.float16
            assert bool(torch.isfinite(tensor).all()), name


@pytest.mark.parametrize("name", MODELS)
def test_no_weight_is_missing_or_unused(name: str, caplog: pytest.LogCaptureFixture) -> None:
    kind = AutoModelForMaskedLM if name in MASKED_LMS else AutoModelForSequenceClassification
    with caplog.at_level(logging.WARNING):
        model, report = kind.from_pretrained(FOLDER / name, dtype=torch.float32, output_loading_info=True)
    assert not any(report.values())
    assert not caplog.records
    tokenizer = AutoTokenizer.from_pretrained(FOLDER / name)
    assert tokenizer.is_fast
    assert len(tokenizer) == model.config.vocab_size
    longest = tokenizer("word " * 2_000, truncation=True, return_tensors="pt")
    assert longest["input_ids"].shape[1] == tokenizer.model_max_length
    assert torch.isfinite(model(**longest).logits).all()


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("nli-a", ["entailment", "neutral", "contradiction"]),
        ("nli-b", ["contradiction", "entailment", "neutral"]),
    ],
)
def test_classifiers_have_different_label_orders(name: str, labels: list[str]) -> None:
    config = json.loads((FOLDER / name / "config.json").read_text(encoding="utf-8"))
    assert config["id2label"] == {str(place): label for place, label in enumerate(labels)}
    assert config["label2id"] == {label: place for place, label in enumerate(labels)}


@pytest.mark.parametrize("name", NLI_MODELS)
def test_classifiers_predict_a_simple_case_of_each_label(name: str) -> None:
    classify = pipeline("text-classification", model=str(FOLDER / name), dtype=torch.float32)
    premise = "A man is playing a guitar on a stage."
    hypotheses = {
        "entailment": "A man is playing an instrument.",
        "neutral": "A famous man is playing for his friends.",
        "contradiction": "A man is sleeping at home.",
    }
    answers = classify([{"text": premise, "text_pair": hypothesis} for hypothesis in hypotheses.values()])
    assert [answer["label"] for answer in answers] == list(hypotheses)


@pytest.mark.parametrize("name", MASKED_LMS)
def test_masked_lms_fill_a_simple_sentence(name: str) -> None:
    fill = pipeline("fill-mask", model=str(FOLDER / name), dtype=torch.float32)
    mask = "[MASK]" if name == "mlm-wordpiece" else "<mask>"
    answers = fill(f"A man is playing a {mask} on a stage.", top_k=10)
    assert "guitar" in {answer["token_str"].strip() for answer in answers}


def test_word_boundaries_of_the_bpe() -> None:
    tokenizer = AutoTokenizer.from_pretrained(FOLDER / "mlm-bpe")
    assert tokenizer.tokenize("Men walk") == ["Men", "Ġwalk"]
    assert tokenizer.tokenize('the "dogs"') == ["the", 'Ġ"', "dogs", '"']
    spaced = tokenizer("A <mask> walks.").input_ids
    assert tokenizer.convert_ids_to_tokens(spaced) == ["<s>", "A", "<mask>", "Ġwalks", ".", "</s>"]


def test_cards_name_data_licenses_and_training(folder: Path) -> None:
    front, text = (folder / "README.md").read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    assert "license: cc-by-sa-4.0" in front
    assert "base_model: sentence-transformers/all-MiniLM-L6-v2" in front
    for words in ("Out-of-scope use", "AllNLI", "Apache-2.0", "OANC", "python -m training.", "SNLI test"):
        assert words in text
    assert folder.name in REQUIRED
