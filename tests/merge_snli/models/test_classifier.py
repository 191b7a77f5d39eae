"""Classifiers: same outputs as the plain pipeline, batch invariance, token limits, dtypes, and damaged files."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification, pipeline

from merge_snli import score
from merge_snli.answers.opening import open_config
from merge_snli.base.errors import InputError
from merge_snli.base.files import read_json
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.classifier import Classifier
from merge_snli.models.runner.encoded import Predictor
from merge_snli.models.runner.loading import read_output_names
from merge_snli.models.runner.predictors import load_predictor, predictor_of
from merge_snli.scoring.scored_model import model_from_name
from tests.cases import slow
from tests.oracles import refused
from tests.predictors import logits_of, tokens_of

MakeModel = Callable[..., Path]


@pytest.fixture(scope="module")
def long_bert(make_model: MakeModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "long", positions=256)


@pytest.fixture(scope="module")
def gpt2(make_model: MakeModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "gpt2", kind="gpt2", positions=256)


@pytest.fixture(scope="module")
def pairs(dataset: Path) -> tuple[Pair, ...]:
    return tuple(open_config(dataset, "verb").pairs)


def texts(pairs: Sequence[Pair]) -> list[dict[str, str]]:
    return [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]


def mean_of_all(_pooler: Any, hidden_states: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
    """A pooler that reads every token."""
    return hidden_states.mean(dim=1)


def plain_pipeline(folder: Path, **options: Any) -> Any:  # noqa: ANN401
    return pipeline("text-classification", model=str(folder), device="cpu", **{"dtype": torch.float32} | options)


def load(folder: Path) -> Classifier:
    classifier = load_predictor(find_model(str(folder)), "cpu", ModelOptions())
    assert isinstance(classifier, Classifier)
    return classifier


def wrapped(folder: Path, **options: Any) -> Classifier:  # noqa: ANN401
    """Return the classifier of a loaded pipeline, whose layers are not packed."""
    classifier = predictor_of(plain_pipeline(folder, **options))
    assert isinstance(classifier, Classifier)
    return classifier


def padded_length(classifier: Classifier, length: int) -> int:
    return int(classifier._runner.shapes.padded(np.array([length]))[0])


def test_last_layer_runs_on_first_tokens_if_no_other_is_read(bert: Path, roberta: Path, gpt2: Path) -> None:
    assert load(bert)._attention is not None
    assert load(roberta)._attention is not None
    assert load(gpt2)._attention is None


def test_head_that_reads_every_token_gets_every_token(
    bert: Path, pairs: tuple[Pair, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.models.bert.modeling_bert.BertPooler.forward", mean_of_all)
    classifier = load(bert)
    assert classifier._attention is None
    plain = plain_pipeline(bert)
    with torch.inference_mode():
        expected = plain.forward(plain.preprocess(texts(pairs[:1])[0]))["logits"]
    np.testing.assert_allclose(logits_of(classifier, pairs[:1]), expected, rtol=1e-4, atol=1e-5)


def pairs_of_many_lengths(count: int) -> list[Pair]:
    """Return pairs of 23 tokens and more, no two of one length."""
    premises = ["be bi the river " * 3 + " ba" * (2 * index) for index in range(count)]
    return [(premise, "The dog can run.") for premise in premises]


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("bert", "float32"),
        ("gpt2", "bfloat16"),
        *slow(("bert", "bfloat16"), ("roberta", "float32"), ("roberta", "bfloat16"), ("gpt2", "float32")),
    ],
)
def test_logits_do_not_depend_on_the_other_pairs_of_a_run(
    make_model: MakeModel, tmp_path: Path, kind: str, dtype: str
) -> None:
    folder = make_model(tmp_path / "model", kind=kind, positions=256)
    check_batch_invariance(load_predictor(find_model(str(folder)), "cpu", ModelOptions(dtype=dtype)))


def test_logits_of_a_pipeline_do_not_depend_on_the_other_pairs(long_bert: Path) -> None:
    check_batch_invariance(wrapped(long_bert))


def check_batch_invariance(classifier: Predictor) -> None:
    pairs = pairs_of_many_lengths(40)
    whole = logits_of(classifier, pairs)
    for some in (slice(0, 40, 7), slice(3, 5), slice(20, 21), slice(39, 10, -2)):
        assert logits_of(classifier, pairs[some]).tobytes() == whole[some].tobytes()


def test_model_that_does_not_ignore_padding_gets_one_length_at_a_time(
    long_bert: Path, gpt2: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert padded_length(load(long_bert), 100) > 100
    assert padded_length(load(gpt2), 100) == 100

    monkeypatch.setattr("transformers.models.bert.modeling_bert.BertPooler.forward", mean_of_all)
    assert padded_length(load(long_bert), 100) == 100


@pytest.mark.parametrize(
    ("kind", "limit", "positions", "expected"),
    [
        ("bert", None, 64, 64),
        ("bert", 48, 64, 48),
        ("roberta", None, 64, 64),  # 66 position embeddings, of which 2 are unusable
        ("roberta", 512, 64, 64),
        ("gpt2", None, 32, 32),
    ],
)
def test_max_length_is_the_smallest_limit(
    make_model: MakeModel, tmp_path: Path, kind: str, limit: int | None, positions: int, expected: int
) -> None:
    classifier = load(make_model(tmp_path / "model", kind=kind, limit=limit, positions=positions))
    assert classifier.facts.max_length == expected
    word = "ba"
    tokens = 0
    while tokens < expected:
        word += " ba"
        [tokens] = tokens_of(classifier, [(word, "ba")])
    assert tokens == expected
    longer = (word + " ba" * (positions - expected + 1), "ba")
    fits, does_not = logits_of(classifier, [(word, "ba"), longer])
    assert np.isfinite(fits).all()
    assert np.isnan(does_not).all()
    refused("fails on an input of", lambda: [*classifier.run(classifier.encode([longer]), np.array([0]))])


def test_out_of_memory_is_an_input_error(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(BertForSequenceClassification, "to", full)
    refused("^classifier tiny-bert cannot be loaded: CUDA out of mem", load, bert)


def test_truncation_options_are_ignored(bert: Path) -> None:
    pairs = [("A dog may run near the river.", "The dog can run.")]
    whole = wrapped(bert)
    cut = wrapped(bert, truncation=True, max_length=8)
    assert tokens_of(cut, pairs) == tokens_of(whole, pairs)
    np.testing.assert_array_equal(logits_of(cut, pairs), logits_of(whole, pairs))


def test_model_without_classification_head_is_refused(make_model: MakeModel, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    BertForMaskedLM(BertConfig.from_pretrained(folder)).save_pretrained(folder)
    refused(r"model is not a trained classifier: .*classifier.bias \(4 in all\)", load, folder)
    save_file({}, folder / "model.safetensors", {"format": "pt"})
    refused(r"weights are missing for bert\.embeddings\S+ \S+ \S+ \(\d\d in all\); use a model that", load, folder)


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        ("model.safetensors", r"^classifier model cannot be loaded: \w"),
        ("tokenizer.json", r"^the tokenizer of classifier model cannot be loaded: \w"),
        ("config.json", r"^the config of .* cannot be read: \w"),
    ],
)
def test_damaged_file_is_an_input_error(make_model: MakeModel, tmp_path: Path, damaged: str, message: str) -> None:
    folder = make_model(tmp_path / "model")
    source = find_model(str(folder))
    (folder / damaged).write_bytes((folder / damaged).read_bytes()[:100])
    with pytest.raises(InputError, match=message):
        read_output_names(source)
        load_predictor(source, "cpu", ModelOptions())


def test_files_that_do_not_fit_together_are_named(make_model: MakeModel, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    config = read_json(folder / "config.json")
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": config["vocab_size"] + 7}), encoding="utf-8")
    refused("classifier model cannot be loaded: its weights have other shapes than its config.json says", load, folder)
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    refused("the tokenizer of classifier model cannot be loaded: it has no 'added_tokens'", load, folder)


@pytest.mark.parametrize(("dtype", "near"), [("bfloat16", 0.1), *slow(("float16", 0.02))])
def test_logits_are_close_to_float32(gold: dict[Pair, int], dtype: str, near: float) -> None:
    """Uses a trained model: in models with large random weights, rounding errors grow with each layer."""
    pairs = list(gold)[:4]
    reference = logits_of(model_from_name("demo:nli-b", ModelOptions()).load(), pairs)
    other = logits_of(model_from_name("demo:nli-b", ModelOptions(dtype=dtype)).load(), pairs)
    np.testing.assert_allclose(other, reference, atol=near)
    assert not np.array_equal(other, reference)


@pytest.mark.slow
def test_results_of_two_dtypes_are_cached_separately(bert: Path, dataset: Path, tmp_path: Path) -> None:
    first, second = (score(bert, dataset, dtype=dtype, out=tmp_path / "results") for dtype in ("float32", "bfloat16"))
    assert second.run.dtype == "bfloat16"
    assert first.model.digest == second.model.digest
    assert len(list((tmp_path / "results").glob("*.json"))) == 2
    assert len(list((tmp_path / "results.work" / "predictions").iterdir())) == 2


def test_unknown_and_removed_dtypes_are_refused() -> None:
    refused(r"dtype is 'float64'.* float32, bfloat16, float16$", ModelOptions, dtype="float64")
    refused(r"dtype is 'int8'.*bfloat16", ModelOptions, dtype="int8")
