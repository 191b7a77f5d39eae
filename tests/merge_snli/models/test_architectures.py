"""Logits of many architectures and tokenizers: those of the plain model, run on one pair at a time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import LoraConfig
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    EsmTokenizer,
)

from merge_snli.base.arrays import Floats32
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import PAPER_MODELS
from merge_snli.models.runner.encoded import Encoder, Predictor
from merge_snli.models.runner.predictors import pipeline_digest, pipeline_of, predictor_of
from merge_snli.scoring.predict import predict_pairs
from merge_snli.scoring.scored_model import model_from_name, model_from_pipeline
from tests.cases import slow
from tests.oracles import known, refused, written
from tests.predictors import logits_of, tokens_of
from tests.tiny_classifiers import LABELS, SIZES, save_classifier

PAIRS: list[Pair] = [
    ("A man walks his dog near the river.", "A man is outside."),
    ("Two women sit on a bench and talk about the old house.", "Two women are asleep."),
    ("The small child eats.", "The child holds a red ball in the garden."),
    ("The small child eats.", "The child is small."),
    ("The small child eats.", "The child is outside."),
    ("A man and a child and a dog and a man walk near the old house.", "Some men walk and walk outside."),
]
FAST = ("bert", "gpt2", "deberta-v2", "modernbert")
ARCHITECTURES = (*FAST, "roberta", "albert", "electra", "distilbert", "bart", "t5", "xlnet", "opt", "funnel", "phi3")

auto_model: Any = AutoModelForSequenceClassification
bert_config: Any = BertConfig
named = ModelOptions(model_labels=LABELS)


def plain_logits(folder: Path, pairs: Sequence[Pair]) -> Floats32:
    """Return the logits of the plain model."""
    model = auto_model.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        rows = [model(**tokenizer(*pair, return_tensors="pt")).logits[0] for pair in pairs]
    found: Floats32 = torch.stack(rows).numpy()
    return found


@pytest.mark.parametrize("kind", [*FAST, *slow(*ARCHITECTURES[len(FAST) :])])
def test_logits_are_those_of_the_plain_model(kind: str, tmp_path: Path) -> None:
    folder = save_classifier(kind, tmp_path / kind)
    expected = plain_logits(folder, PAIRS)
    predicted, facts = predict_pairs(model_from_name(str(folder), named).load, PAIRS, None)
    assert np.ptp(expected, axis=0).min() > 1e-2
    np.testing.assert_allclose(known(predicted.logits), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(predicted.outputs, expected.argmax(axis=1))
    assert facts.parameters == auto_model.from_pretrained(folder).num_parameters()


def test_every_architecture_of_the_paper_is_compared() -> None:
    for model in PAPER_MODELS:
        assert model.model_type in ARCHITECTURES


def test_a_tokenizer_without_a_fast_one(tmp_path: Path) -> None:
    folder = tmp_path / "slow"
    words = " ".join(map(" ".join, PAIRS)).split()
    special = ("<cls>", "<pad>", "<eos>", "<unk>", "<mask>")
    vocabulary = written(folder / "vocab.txt", "\n".join((*special, *dict.fromkeys(words))))
    tokenizer = EsmTokenizer(str(vocabulary))  # type: ignore[no-untyped-call]
    torch.manual_seed(0)
    config = bert_config(vocab_size=len(tokenizer), pad_token_id=1, num_labels=3, initializer_range=0.7, **SIZES)
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    assert not AutoTokenizer.from_pretrained(folder).is_fast
    classifier = model_from_name(str(folder), named).load()
    np.testing.assert_allclose(logits_of(classifier, PAIRS), plain_logits(folder, PAIRS), atol=1e-4)
    assert tokens_of(classifier, PAIRS) == [len(f"{premise} {other}".split()) + 3 for premise, other in PAIRS]


@pytest.mark.parametrize("kind", ["bert", *slow("deberta-v2", "bart")])
def test_truncation_and_padding_of_a_tokenizer_are_ignored(kind: str, tmp_path: Path) -> None:
    folder = save_classifier(kind, tmp_path / kind)
    expected = plain_logits(folder, PAIRS)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.enable_truncation(8)
    tokenizer.backend_tokenizer.enable_padding(length=40)
    tokenizer.save_pretrained(folder)
    assert '"max_length": 8' in (folder / "tokenizer.json").read_text(encoding="utf-8")
    np.testing.assert_allclose(logits_of(model_from_name(str(folder), named).load(), PAIRS), expected, atol=1e-4)

    passed = pipeline_of(auto_model.from_pretrained(folder), tokenizer)
    before = pipeline_digest(passed)
    scored = model_from_pipeline(passed, model_labels=LABELS, name=None)
    np.testing.assert_allclose(logits_of(scored.load(), PAIRS), expected, atol=1e-4)
    assert pipeline_digest(passed) == before == scored.record.digest
    assert passed.tokenizer is not None and passed.tokenizer.backend_tokenizer.truncation["max_length"] == 8


def test_options_of_a_pipeline_are_used(tmp_path: Path) -> None:
    folder = save_classifier("albert", tmp_path / "albert")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    plain = pipeline_of(auto_model.from_pretrained(folder), tokenizer)

    def with_options(**options: bool) -> Predictor:
        plain._preprocess_params = options
        return predictor_of(plain)

    whole = with_options()
    bare = with_options(add_special_tokens=False)
    untyped = with_options(return_token_type_ids=False)
    assert tokens_of(bare, PAIRS) == [tokens - 3 for tokens in tokens_of(whole, PAIRS)]
    model = auto_model.from_pretrained(folder).eval()
    ids = [tokenizer(*pair, return_tensors="pt")["input_ids"] for pair in PAIRS]
    with torch.inference_mode():
        expected = torch.cat([model(input_ids=of_pair).logits for of_pair in ids])
    np.testing.assert_allclose(logits_of(untyped, PAIRS), expected.numpy(), atol=1e-4)
    assert not np.allclose(logits_of(whole, PAIRS), expected.numpy(), atol=1e-3)


def test_a_pipeline_in_another_form(tmp_path: Path) -> None:
    folder = save_classifier("bert", tmp_path / "bert")
    expected = plain_logits(folder, PAIRS)
    passed = pipeline_of(auto_model.from_pretrained(folder).double(), AutoTokenizer.from_pretrained(folder))
    passed.model.train()
    passed.model.config.return_dict = False
    np.testing.assert_allclose(logits_of(predictor_of(passed), PAIRS), expected, atol=1e-4)


def test_the_digest_of_a_pipeline_is_of_all_that_changes_its_logits(tmp_path: Path) -> None:
    folder = save_classifier("bert", tmp_path / "bert")
    passed = pipeline_of(auto_model.from_pretrained(folder), AutoTokenizer.from_pretrained(folder))
    digests = [pipeline_digest(passed)]
    passed._preprocess_params = {"truncation": True}
    known(passed.tokenizer)("A man.", padding="max_length", truncation=True)
    assert pipeline_digest(passed) == digests[0]
    passed._preprocess_params = {"add_special_tokens": False}
    digests.append(pipeline_digest(passed))
    known(passed.tokenizer).model_max_length = 16
    digests.append(pipeline_digest(passed))
    known(passed.tokenizer).model_input_names = ["input_ids"]
    digests.append(pipeline_digest(passed))
    model: Any = passed.model
    model.add_adapter(LoraConfig(target_modules=["query"]))
    digests.append(pipeline_digest(passed))
    model.bert.encoder.layer[0].attention.self.query.scaling["default"] = 9
    digests.append(pipeline_digest(passed))
    model.disable_adapters()
    digests.append(pipeline_digest(passed))
    model.__class__ = type("OtherClass", (type(model),), {})
    digests.append(pipeline_digest(passed))
    assert len({*digests}) == len(digests)
    model.to("meta")
    refused("OtherClass.*not in memory", pipeline_digest, passed)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "bart", *slow("albert", "xlnet")])
def test_the_fast_call_gives_the_tokens_of_the_ordinary_one(kind: str, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(save_classifier(kind, tmp_path / kind))
    fast = Encoder(tokenizer, PAIRS[0])
    ordinary = Encoder(tokenizer, PAIRS[0], verbose=False)
    assert fast._tokenize == fast._fast
    assert ordinary._tokenize == ordinary._ordinary
    one = fast(PAIRS, pad=0)
    other = ordinary(PAIRS, pad=0)
    assert one.tokens.keys() == other.tokens.keys()
    for name, values in one.tokens.items():
        np.testing.assert_array_equal(values, other.tokens[name])
    np.testing.assert_array_equal(one.lengths, other.lengths)
