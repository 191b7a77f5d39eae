"""Test masked LMs: mask positions, fillers, and that fillers do not depend on the batch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, BertConfig, BertModel, GPT2Config, GPT2LMHeadModel

from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.sentences.forms import Form, forms
from merge_snli.base.errors import InputError
from merge_snli.dataset.answered_forms import SPLIT, TOO_LONG
from merge_snli.models.finding import find_model
from merge_snli.models.inference import Batches
from merge_snli.models.packed_linear import PackedLinear
from tests.tiny_models import as_pickle, wordpiece_tokenizer


def load(name: str) -> MaskedLM:
    return load_masked_lm(find_model(name))


KINDS = ["bert", "roberta", "albert", "electra", "bart", "modernbert"]
OTHER_KINDS = ["mpnet", "deberta", "distilbert", "xlm"]
LAST_LAYER_ON_MASK_ONLY = {"bert", "roberta", "electra", "mpnet"}
HEAD_ON_EVERY_TOKEN = {"deberta", "distilbert", "xlm"}
"""Their modules after the encoder cannot run one after another."""
SENTENCE = "A farmer sees a farmer near the old bridge"


@pytest.mark.parametrize("kind", KINDS)
def test_mask_replaces_exactly_the_word(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(str(tiny_mlm(kind)))
    plain = mlm.tokenizer(f"{SENTENCE}.")["input_ids"]
    for form in forms(SENTENCE, "farmer", (2, 16)) + forms(SENTENCE, "bridge", (36,)):
        encoded = mlm.encode(form)
        assert isinstance(encoded, EncodedForm)
        assert encoded.ids[encoded.mask_index] == mlm.tokenizer.mask_token_id
        restored = list(encoded.ids)
        restored[encoded.mask_index] = encoded.original_id
        expected = plain if form.text.endswith(".") else mlm.tokenizer(SENTENCE)["input_ids"]
        assert restored == expected
        (piece,) = mlm.tokenizer.batch_decode([[encoded.original_id]])
        assert piece.strip().casefold() == form.original.casefold()


@pytest.mark.parametrize("kind", [*KINDS, *OTHER_KINDS])
def test_fillers_match_a_plain_forward_pass(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    folder = tiny_mlm(kind)
    mlm = load(str(folder))
    assert (mlm.fast_path is None) == (kind in HEAD_ON_EVERY_TOKEN)
    assert (mlm.fast_path is not None and mlm.fast_path.attention is not None) == (kind in LAST_LAYER_ON_MASK_ONLY)
    packed = any(isinstance(module, PackedLinear) for module in mlm.model.modules())
    assert packed == torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    for form in forms(SENTENCE, "farmer", (2, 16)):
        encoded = mlm.encode(form)
        assert isinstance(encoded, EncodedForm)
        (fillers,) = mlm.fill([encoded], top_k=50)
        with torch.no_grad():
            log_probs = model(torch.tensor([encoded.ids])).logits[0, encoded.mask_index].log_softmax(-1)
        best = log_probs.topk(50)
        assert fillers.piece_ids.tolist() == best.indices.tolist()
        np.testing.assert_allclose(fillers.log_probs, best.values.numpy(), atol=1e-4)
        assert fillers.original_log_prob == pytest.approx(log_probs[encoded.original_id].item(), abs=1e-4)


@pytest.mark.parametrize("name", ["demo:mlm-wordpiece", "demo:mlm-bpe"])
def test_fillers_have_the_same_bits_in_any_batch(name: str) -> None:
    mlm = load(name)
    for tail in ("today", "near the old bridge today", "near the old bridge and the red boat in the water today"):
        batch = forms_of_one_length(mlm, tail)
        assert len(batch) >= 10
        whole = mlm.fill(batch, 100)
        mixed = mlm.fill(batch[::-1][:7] + batch, 100)
        for row, fillers in enumerate(whole):
            for other in (mlm.fill([batch[row]], 100)[0], mixed[row + 7]):
                assert fillers.piece_ids.tobytes() == other.piece_ids.tobytes()
                assert fillers.log_probs.tobytes() == other.log_probs.tobytes()
                assert fillers.original_log_prob == other.original_log_prob


def forms_of_one_length(mlm: MaskedLM, tail: str) -> list[EncodedForm]:
    words = ["man", "boy", "dog", "girl", "child", "woman", "player", "people"]
    texts = [(f"A {first} watches a {second} {tail}.", len(first)) for first in words for second in words]
    encoded = [mlm.encode(Form(text, 2, 2 + length)) for text, length in texts]
    by_length: dict[int, list[EncodedForm]] = {}
    for form in encoded:
        if isinstance(form, EncodedForm):
            by_length.setdefault(len(form.ids), []).append(form)
    return max(by_length.values(), key=len)[:12]


@pytest.mark.parametrize("kind", KINDS)
def test_batch_size_and_order_do_not_change_suggestions(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(str(tiny_mlm(kind)))
    model = AutoModelForMaskedLM.from_pretrained(tiny_mlm(kind), dtype=torch.float32).eval()
    texts = [f"A {first} sees a {second}{tail}" for first in WORDS for second in WORDS for tail in ("", " near a dog.")]
    queries = {form.key: form for text in texts for form in forms(text, text.split()[1], (2,))}
    backwards = dict(reversed(queries.items()))
    answers = answers_of(mlm, queries)
    assert len(answers) >= 16
    sets = {key: more_probable(answer) for key, answer in answers.items()}
    small = answers_of(replace(mlm, batches=Batches("m", "form", 40)), backwards)
    plain = answers_of(replace(mlm, batches=Batches("m", "form", 1), model=model, fast_path=None), queries)
    for other in (small, plain):
        assert other.keys() == answers.keys()
        for key, answer in answers.items():
            assert sets[key] ^ more_probable(other[key]) <= near_a_limit(answer) | near_a_limit(other[key])
    for key in list(sets)[:12]:
        encoded = mlm.encode(queries[key])
        assert isinstance(encoded, EncodedForm)
        with torch.no_grad():
            logits = model(torch.tensor([encoded.ids])).logits[0, encoded.mask_index]
        best = logits.log_softmax(-1).topk(50)
        of_original = float(logits.log_softmax(-1)[encoded.original_id])
        right = Fillers(best.indices.numpy(), best.values.numpy(), encoded.original_id, of_original)
        assert sets[key] ^ more_probable(right) <= near_a_limit(answers[key]) | near_a_limit(right)


WORDS = ["man", "boy", "dog", "girl", "child", "woman", "people", "water"]


ROUNDING = 1e-4
"""How much another order of summation may change a log-probability."""


def answers_of(mlm: MaskedLM, queries: dict[str, Form]) -> dict[str, Fillers]:
    return {
        key: answer for some in mlm.answers(queries, 50) for key, answer in some.items() if isinstance(answer, Fillers)
    }


def sets_of(mlm: MaskedLM, queries: dict[str, Form]) -> dict[str, set[int]]:
    return {key: more_probable(answer) for key, answer in answers_of(mlm, queries).items()}


def more_probable(answer: Fillers) -> set[int]:
    """Return the pieces that are more probable than the original."""
    return set(answer.piece_ids[answer.log_probs > np.float32(answer.original_log_prob)].tolist())


def near_a_limit(answer: Fillers) -> set[int]:
    """Return the pieces that rounding may add to or remove from the set: as probable as the original or the last."""
    limits = (np.float32(answer.original_log_prob), answer.log_probs[-1])
    near = np.any([np.abs(answer.log_probs - limit) < ROUNDING for limit in limits], axis=0)
    return set(answer.piece_ids[near].tolist())


@pytest.mark.parametrize("kind", [*KINDS, *OTHER_KINDS])
def test_bfloat16_is_close_to_float32_with_float32_heads(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    resolved = find_model(str(tiny_mlm(kind)))
    exact, coarse = load_masked_lm(resolved, device="cpu"), load_masked_lm(resolved, device="cpu", dtype="bfloat16")
    assert coarse.model.dtype == torch.bfloat16
    encoded = coarse.encode(forms(SENTENCE, "farmer", (2,))[0])
    assert isinstance(encoded, EncodedForm)
    (one,), (other,) = exact.fill([encoded], 50), coarse.fill([encoded], 50)
    assert one.log_probs.tobytes() != other.log_probs.tobytes()
    # Weights and vocabulary are random: single log-probabilities may differ by more than 1.
    log_probs = [dict(zip(answer.piece_ids.tolist(), answer.log_probs, strict=True)) for answer in (one, other)]
    assert (
        np.median([abs(log_probs[0][piece] - log_probs[1][piece]) for piece in log_probs[0].keys() & log_probs[1]]) < 1
    )
    assert len(set(one.piece_ids[:10].tolist()) & set(other.piece_ids.tolist())) > 5
    if coarse.fast_path is not None:
        heads = coarse.fast_path.heads
        assert {parameter.dtype for head in heads for parameter in head.parameters()} <= {torch.float32}


def test_out_of_memory_does_not_change_suggestions(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    mlm = load(str(tiny_mlm("bert")))
    queries = {form.key: form for word in WORDS for form in forms(f"A {word} sees the dog.", word, (2,))}
    expected = sets_of(mlm, queries)
    base = mlm.model.base_model.forward

    def small(input_ids: torch.Tensor) -> object:
        if len(input_ids) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")
        return base(input_ids=input_ids)

    monkeypatch.setattr(mlm.model.base_model, "forward", small)
    assert sets_of(mlm, queries) == expected


def test_word_that_is_not_one_token_gets_no_fillers(tiny_mlm: Callable[[str], Path]) -> None:
    for kind in ("bert", "roberta", "albert"):
        mlm = load(str(tiny_mlm(kind)))
        (form,) = forms("A xylograph hangs here.", "xylograph", (2,))
        assert mlm.encode(form) == SPLIT
    mlm = load(str(tiny_mlm("bert")))
    (form,) = forms("A 猫 sleeps.", "猫", (2,))
    assert mlm.encode(form) == SPLIT


def test_too_long_sentence_is_not_truncated(tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(str(tiny_mlm("roberta")))
    assert mlm.max_length == 64
    (form,) = forms("A farmer " + "sees a goat and " * 20 + "sleeps.", "farmer", (2,))
    assert mlm.encode(form) == TOO_LONG


def test_tokenizer_normalizes_accents_and_case(tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(str(tiny_mlm("bert")))
    (form,) = forms("FARMERS see a FÀRMER.", "FÀRMER", (14,))
    encoded = mlm.encode(form)
    assert isinstance(encoded, EncodedForm)
    assert mlm.tokenizer.convert_ids_to_tokens(encoded.original_id) == "farmer"


def test_other_models_are_refused_with_the_reason(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    tokenizer = wordpiece_tokenizer()
    causal = GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=len(tokenizer))
    GPT2LMHeadModel(causal).save_pretrained(tmp_path / "causal")
    tokenizer.save_pretrained(tmp_path / "causal")
    encoder = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=len(tokenizer))
    BertModel(encoder).save_pretrained(tmp_path / "encoder")
    tokenizer.save_pretrained(tmp_path / "encoder")
    shutil.copytree(tiny_mlm("bert"), tmp_path / "torn")
    (tmp_path / "torn" / "model.safetensors").write_bytes(b"torn")
    (tmp_path / "empty").mkdir()
    cases = {
        "causal": "causal is not a masked LM (model type gpt2)",
        "encoder": "encoder is not a trained masked LM: weights are missing for cls.",
        "torn": "masked LM torn cannot be loaded",
        "empty": "config.json is missing",
        "missing": "missing does not exist",
    }
    for name, message in cases.items():
        with pytest.raises(InputError) as caught:
            load(str(tmp_path / name))
        assert message in str(caught.value)
    with pytest.raises(InputError, match="demo:bert"):
        load("demo:bert")
    with pytest.raises(InputError, match="nobody/nothing"):
        load("nobody/nothing")


def test_pickle_weights_are_loaded_only_if_allowed(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    pickled = as_pickle(shutil.copytree(tiny_mlm("bert"), tmp_path / "pickled"))
    with pytest.raises(InputError, match=r"pickled .* add allow_pickle=True"):
        find_masked_lms([str(pickled)])
    [resolved] = find_masked_lms([str(pickled)], allow_pickle=True)
    (form,) = forms("A man sleeps.", "man", (2,))
    plain = find_model(str(tiny_mlm("bert")))
    answers = [answers_of(load_masked_lm(model), {"form": form})["form"] for model in (resolved, plain)]
    assert answers[0].log_probs.tobytes() == answers[1].log_probs.tobytes()
    assert resolved.digest != plain.digest
    (pickled / "pytorch_model.bin").write_bytes(b"cut")
    assert find_masked_lms([str(pickled)], allow_pickle=True)[0].digest != resolved.digest
    with pytest.raises(InputError, match="masked LM pickled cannot be loaded"):
        load_masked_lm(resolved)


def test_two_folders_with_the_same_name_are_refused(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    for number in "01":
        shutil.copytree(tiny_mlm("bert"), tmp_path / number / "checkpoint")
    with pytest.raises(InputError, match=r"checkpoint \(.*0.checkpoint and .*1.checkpoint\)"):
        find_masked_lms([str(tmp_path / number / "checkpoint") for number in "01"])


def saved_with(folder: Path, change: Callable[[Any], None], source: Path) -> str:
    """Copy a masked LM, change its weights, and return the folder."""
    shutil.copytree(source, folder)
    model = AutoModelForMaskedLM.from_pretrained(folder)
    with torch.no_grad():
        change(model)
    model.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_masked_lm_with_a_logit_that_is_not_finite_is_refused(
    value: float, tmp_path: Path, tiny_mlm: Callable[[str], Path]
) -> None:
    folder = saved_with(tmp_path / "broken", lambda model: model.cls.predictions.bias[7].fill_(value), tiny_mlm("bert"))
    with pytest.raises(InputError, match=r"masked LM broken .*not finite"):
        load(folder)


def test_batch_that_is_not_finite_is_refused(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    """The broken embedding belongs to a word that the check at load does not use."""
    farmer = load(str(tiny_mlm("bert"))).tokenizer.convert_tokens_to_ids("farmer")
    folder = saved_with(
        tmp_path / "broken",
        lambda model: model.bert.embeddings.word_embeddings.weight[farmer].fill_(1e30),
        tiny_mlm("bert"),
    )
    mlm = load(folder)
    assert answers_of(mlm, {"form": forms("A man sleeps.", "man", (2,))[0]})
    with pytest.raises(InputError, match=r"masked LM broken .*not finite"):
        answers_of(mlm, {"form": forms("A man sees a farmer.", "man", (2,))[0]})


def test_tokenizer_larger_than_the_model_is_refused(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    folder = tmp_path / "small"
    shutil.copytree(tiny_mlm("bert"), folder)
    model = AutoModelForMaskedLM.from_pretrained(folder)
    model.resize_token_embeddings(1_000)
    model.save_pretrained(folder)
    with pytest.raises(InputError, match=r"masked LM small .*1000 embeddings"):
        load(str(folder))


def test_causal_xlm_is_refused(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    shutil.copytree(tiny_mlm("xlm"), tmp_path / "causal")
    path = tmp_path / "causal" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"causal": True}))
    with pytest.raises(InputError, match="causal is a causal LM"):
        load(str(tmp_path / "causal"))


def test_bert_decoder_is_refused(tmp_path: Path, tiny_mlm: Callable[[str], Path]) -> None:
    shutil.copytree(tiny_mlm("bert"), tmp_path / "decoder")
    path = tmp_path / "decoder" / "config.json"
    config = json.loads(path.read_text()) | {"architectures": ["BertLMHeadModel"], "is_decoder": True}
    path.write_text(json.dumps(config))
    with pytest.raises(InputError, match="decoder is a causal LM"):
        load(str(tmp_path / "decoder"))
