"""Test masked LMs: mask positions, fillers, and that fillers do not depend on the batch."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, BertConfig, BertModel, GPT2Config, GPT2LMHeadModel

from generation.answers.store import Answer, answers_of
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.sentences.forms import Form, forms
from merge_snli.base.files import read_json
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG
from merge_snli.models.finding import find_model
from merge_snli.models.runner.packed_linear import PackedLinear
from tests.cases import first_fast, slow
from tests.oracles import refused
from tests.tiny_models import as_pickle, wordpiece_tokenizer


def load(name: object) -> MaskedLM:
    return load_masked_lm(find_model(str(name)))


@dataclass(frozen=True)
class Shown:
    """A form as a masked LM gets it, and the forms of the pieces of its word."""

    ids: list[int]
    mask_index: int
    original_id: int
    in_window: bool
    pieces: tuple["Shown", ...] = ()


def encode(mlm: MaskedLM, form: Form, *, split_words: bool = False) -> Shown:
    """Return a form that a masked LM can answer."""
    encoded = mlm.encode({"form": form}, split_words=split_words)
    assert encoded.keys == ["form"]
    assert not encoded.refused
    shown = []
    for inputs in (encoded.inputs, encoded.pieces):
        for ids, position, original in zip(inputs.ids(), *inputs.columns.values(), strict=True):
            shown.append(Shown(ids, int(position), int(original), bool(encoded.in_window[0])))
    return replace(shown[0], pieces=tuple(shown[1:]))


def all_answers(
    mlm: MaskedLM, forms: Mapping[str, Form], top_k: int = 50, *, split_words: bool = False
) -> dict[str, Answer]:
    """Return the answers to forms by key."""
    found: dict[str, Answer] = {}
    for table in mlm.answers(mlm.encode(forms, split_words=split_words), top_k):
        found.update(answers_of(table, forms))
    return found


def fillers_of(mlm: MaskedLM, forms: Mapping[str, Form], top_k: int = 50) -> dict[str, Fillers]:
    """Return the answers that are not refusals by key."""
    return {key: answer for key, answer in all_answers(mlm, forms, top_k).items() if isinstance(answer, Fillers)}


@torch.no_grad()
def plain_fillers(model: Any, encoded: Shown) -> Fillers:  # noqa: ANN401 - untyped
    """Return the 50 best fillers by a plain forward pass."""
    log_probs = model(torch.tensor([encoded.ids])).logits[0, encoded.mask_index].log_softmax(-1)
    best = log_probs.topk(50)
    original = float(log_probs[encoded.original_id])
    return Fillers(best.indices.numpy(), best.values.numpy(), encoded.original_id, original)


@pytest.fixture
def bert(tiny_mlm: Callable[[str], Path]) -> Path:
    return tiny_mlm("bert")


KINDS = ["bert", "roberta", *slow("albert", "electra", "bart", "modernbert")]
OTHER_KINDS = slow("mpnet", "deberta", "distilbert", "xlm")
LAST_LAYER_ON_MASK_ONLY = {"bert", "roberta", "electra", "mpnet"}
HEAD_ON_EVERY_TOKEN = {"deberta", "distilbert", "xlm"}
"""Their modules after the encoder cannot run one after another."""
SENTENCE = "A farmer sees a farmer near the old bridge"


@pytest.mark.parametrize("kind", KINDS)
def test_mask_replaces_exactly_the_word(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(tiny_mlm(kind))
    plain = mlm.tokenizer(f"{SENTENCE}.")["input_ids"]
    for form in forms(SENTENCE, "farmer", (2, 16)) + forms(SENTENCE, "bridge", (36,)):
        encoded = encode(mlm, form)
        assert encoded.ids[encoded.mask_index] == mlm.tokenizer.mask_token_id
        restored = list(encoded.ids)
        restored[encoded.mask_index] = encoded.original_id
        assert restored == (plain if form.text.endswith(".") else mlm.tokenizer(SENTENCE)["input_ids"])
        (piece,) = mlm.tokenizer.batch_decode([[encoded.original_id]])
        assert piece.strip().casefold() == form.original.casefold()


@pytest.mark.parametrize("kind", [*KINDS, *OTHER_KINDS])
def test_fillers_match_a_plain_forward_pass(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(tiny_mlm(kind))
    assert (not mlm.network.heads) == (kind in HEAD_ON_EVERY_TOKEN)
    assert (mlm.network.attention is not None) == (kind in LAST_LAYER_ON_MASK_ONLY)
    model = mlm.network.encoder
    has_onednn = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    packed = any(isinstance(module, PackedLinear) for module in model.modules())
    assert packed == (model.device.type == "cpu" and has_onednn)
    model = AutoModelForMaskedLM.from_pretrained(tiny_mlm(kind), dtype=torch.float32).eval()
    for form in forms(SENTENCE, "farmer", (2, 16)):
        fillers = fillers_of(mlm, {"form": form})["form"]
        expected = plain_fillers(model, encode(mlm, form))
        assert fillers.piece_ids.tolist() == expected.piece_ids.tolist()
        np.testing.assert_allclose(fillers.log_probs, expected.log_probs, atol=1e-4)
        assert fillers.original_log_prob == pytest.approx(expected.original_log_prob, abs=1e-4)


@pytest.mark.parametrize("name", first_fast(["demo:mlm-bpe", "demo:mlm-wordpiece"]))
def test_fillers_have_the_same_bits_in_any_batch(name: str) -> None:
    mlm = load(name)
    tails = ("today", "near the old bridge today", "near the old bridge and the red boat in the water today")
    queries = {}
    for first, second, tail in product(WORDS, WORDS, tails):
        form = Form(f"A {first} watches a {second} {tail}.", 2, 2 + len(first))
        queries[form.key] = form
    whole = fillers_of(mlm, queries, 100)
    keys = list(queries)
    assert len(whole) >= 100
    for some in (keys[5::-1], keys[3:90:7], keys[::-1][:100], *([key] for key in keys[::20])):
        for key, other in fillers_of(mlm, {key: queries[key] for key in some}, 100).items():
            assert whole[key].piece_ids.tobytes() == other.piece_ids.tobytes()
            assert whole[key].log_probs.tobytes() == other.log_probs.tobytes()
            assert whole[key].original_log_prob == other.original_log_prob


WORDS = ["man", "boy", "dog", "girl", "child", "woman", "people", "water"]


@pytest.mark.parametrize("kind", [*KINDS, *OTHER_KINDS])
def test_bfloat16_is_close_to_float32_with_float32_heads(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    resolved = find_model(str(tiny_mlm(kind)))
    exact = load_masked_lm(resolved, device="cpu")
    coarse = load_masked_lm(resolved, device="cpu", dtype="bfloat16")
    assert coarse.network.encoder.dtype == torch.bfloat16
    for head in coarse.network.heads:
        for parameter in head.parameters():
            assert parameter.dtype == torch.float32
    (form,) = forms(SENTENCE, "farmer", (2,))
    one = fillers_of(exact, {"form": form})["form"]
    other = fillers_of(coarse, {"form": form})["form"]
    assert one.log_probs.tobytes() != other.log_probs.tobytes()
    # Weights and vocabulary are random: single log-probabilities may differ by more than 1.
    first = dict(zip(one.piece_ids.tolist(), one.log_probs, strict=True))
    second = dict(zip(other.piece_ids.tolist(), other.log_probs, strict=True))
    assert len({*[*first][:10]} & second.keys()) > 5
    differences = [abs(first[piece] - second[piece]) for piece in first.keys() & second]
    assert np.median(differences) < 1


@pytest.mark.parametrize(
    ("kind", "sentence", "word", "reason"),
    [
        ("albert", "A xylograph hangs here.", "xylograph", SPLIT),
        ("bert", "A 猫 sleeps.", "猫", SPLIT),
        ("roberta", "A farmer " + "sees a goat and " * 20 + "sleeps.", "farmer", TOO_LONG),  # it is not truncated
    ],
)
def test_forms_without_an_answer(
    kind: str, sentence: str, word: str, reason: str, tiny_mlm: Callable[[str], Path]
) -> None:
    mlm = load(tiny_mlm(kind))
    assert mlm.max_length == 64
    (form,) = forms(sentence, word, (2,))
    encoded = mlm.encode({"form": form})
    assert encoded.refused == {"form": reason}
    assert encoded.keys == []
    assert all_answers(mlm, {"form": form}) == {"form": reason}


def test_tokenizer_normalizes_accents_and_case(bert: Path) -> None:
    mlm = load(bert)
    encoded = encode(mlm, *forms("FARMERS see a FÀRMER.", "FÀRMER", (14,)))
    assert mlm.tokenizer.convert_ids_to_tokens(encoded.original_id) == "farmer"


def another(make: Callable[[int], Any]) -> Callable[[Path, Path], None]:
    """Return a function that saves a model of another type, made for the size of the vocabulary."""

    def save(folder: Path, _: Path) -> None:
        tokenizer = wordpiece_tokenizer()
        make(len(tokenizer)).save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    return save


def changed(change: Callable[[Any], object]) -> Callable[[Path, Path], None]:
    """Return a function that copies a masked LM and changes its weights."""

    def save(folder: Path, source: Path) -> None:
        shutil.copytree(source, folder)
        model = AutoModelForMaskedLM.from_pretrained(folder)
        with torch.no_grad():
            change(model)
        model.save_pretrained(folder)

    return save


def biased(value: float) -> Callable[[Path, Path], None]:
    """Return a function that copies a masked LM and sets the logit of one piece."""
    return changed(lambda model: model.cls.predictions.bias[7].fill_(value))


def configured(**values: object) -> Callable[[Path, Path], None]:
    """Return a function that copies a masked LM and changes its configuration."""

    def save(folder: Path, source: Path) -> None:
        shutil.copytree(source, folder)
        path = folder / "config.json"
        path.write_text(json.dumps(read_json(path) | values))

    return save


def torn(folder: Path, source: Path) -> None:
    shutil.copytree(source, folder)
    (folder / "model.safetensors").write_bytes(b"torn")


NOT_FINITE = r"masked LM \w+ .*not finite"
REFUSED: dict[str, tuple[str, Callable[[Path, Path], object], str]] = {
    "causal": (
        "bert",
        another(lambda size: GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=size))),
        "causal is a model of type gpt2, not a masked LM",
    ),
    "encoder": (
        "bert",
        another(
            lambda size: BertModel(
                BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=size)
            )
        ),
        r"encoder is not a trained masked LM: weights are missing for cls\.",
    ),
    "torn": ("bert", torn, "masked LM torn cannot be loaded"),
    "empty": ("bert", lambda folder, _: folder.mkdir(), r"config\.json is missing"),
    "missing": ("bert", lambda *_: None, "missing does not exist"),
    "nan": ("bert", biased(float("nan")), NOT_FINITE),
    "minus": ("bert", biased(-float("inf")), NOT_FINITE),
    "small": ("bert", changed(lambda model: model.resize_token_embeddings(1_000)), "masked LM small .*1000 embeddings"),
    "xlm": ("xlm", configured(causal=True), "xlm is a causal LM, not a masked LM"),
    "lm": ("bert", configured(architectures=["BertLMHeadModel"]), "lm is a causal LM"),
    "chunks": ("bert", configured(chunk_size_feed_forward=4), "masked LM chunks fails on .*multiple of the chunk size"),
    "classifier": (
        "bert",
        configured(architectures=["BertForSequenceClassification"]),
        "classifier is a BertForSequenceClassification, not a masked LM",
    ),
    "decoder": ("bert", configured(architectures=["BertLMHeadModel"], is_decoder=True), "decoder is a causal LM"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_models_are_refused_with_the_reason(name: str, tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    kind, save, message = REFUSED[name]
    save(tmp_path / name, tiny_mlm(kind))
    refused(message, load, tmp_path / name)


@pytest.mark.parametrize("name", ["demo:bert", "nobody/nothing"])
def test_unknown_models_are_named(name: str) -> None:
    refused(name, load, name)


def test_pickle_weights_are_loaded_only_if_allowed(tmp_path: Path, bert: Path) -> None:
    pickled = as_pickle(shutil.copytree(bert, tmp_path / "pickled"))
    refused(r"pickled .* add allow_pickle=True", find_masked_lms, [str(pickled)])
    [resolved] = find_masked_lms([str(pickled)], allow_pickle=True)
    form = {"form": Form("A man sleeps.", 2, 5)}
    found = fillers_of(load_masked_lm(resolved), form)["form"]
    expected = fillers_of(load(bert), form)["form"]
    assert found.log_probs.tobytes() == expected.log_probs.tobytes()
    assert resolved.digest != find_model(str(bert)).digest
    (pickled / "pytorch_model.bin").write_bytes(b"cut")
    assert find_masked_lms([str(pickled)], allow_pickle=True)[0].digest != resolved.digest
    refused("masked LM pickled cannot be loaded", load_masked_lm, resolved)


def test_two_folders_with_the_same_name_are_refused(tmp_path: Path, bert: Path) -> None:
    folders = [str(shutil.copytree(bert, tmp_path / number / "checkpoint")) for number in "01"]
    refused(r"checkpoint \(.*0.checkpoint and .*1.checkpoint\)", find_masked_lms, folders)


def test_batch_that_is_not_finite_is_refused(tmp_path: Path, bert: Path) -> None:
    """The broken embedding belongs to a word that the check at load does not use."""
    farmer = load(bert).tokenizer.convert_tokens_to_ids("farmer")
    changed(lambda model: model.bert.embeddings.word_embeddings.weight[farmer].fill_(1e30))(tmp_path / "broken", bert)
    mlm = load(tmp_path / "broken")
    assert fillers_of(mlm, {"form": forms("A man sleeps.", "man", (2,))[0]})
    refused(NOT_FINITE, fillers_of, mlm, {"form": forms("A man sees a farmer.", "man", (2,))[0]})
