"""Test encoded forms: several masked words, and words of several pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForMaskedLM, PreTrainedTokenizerFast

from generation.masked_lms import encoded_forms
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import MaskedLM
from generation.sentences.forms import ALL, forms
from merge_snli.dataset.answered_forms import SPLIT
from merge_snli.models.finding import find_model

KINDS = ["bert", "roberta", "albert", "electra", "bart"]
RARE = "xylograph"


def load(kind: str, tiny_mlm: Callable[[str], Path]) -> MaskedLM:
    return load_masked_lm(find_model(str(tiny_mlm(kind))))


def tokens(mlm: MaskedLM, encoded: EncodedForm | str) -> list[str]:
    assert isinstance(encoded, EncodedForm)
    return list(mlm.tokenizer.convert_ids_to_tokens(list(encoded.ids)))


@pytest.mark.parametrize("kind", KINDS)
def test_every_occurrence_is_masked_and_one_is_predicted(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(kind, tiny_mlm)
    sentence = "A farmer sees a farmer near the old bridge."
    plain = mlm.tokenizer(sentence)["input_ids"]
    first, second = (mlm.encode(form) for form in forms(sentence, "farmer", (2, 16), ALL))
    assert isinstance(first, EncodedForm)
    assert isinstance(second, EncodedForm)
    assert first.ids == second.ids
    assert first.mask_index < second.mask_index
    masks = [index for index, token in enumerate(first.ids) if token == mlm.tokenizer.mask_token_id]
    assert masks == [first.mask_index, second.mask_index]
    restored = list(first.ids)
    restored[first.mask_index], restored[second.mask_index] = first.original_id, second.original_id
    assert restored == plain


@pytest.mark.parametrize("kind", KINDS)
def test_word_of_several_pieces_is_one_mask_with_a_form_per_piece(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(kind, tiny_mlm)
    sentence = f"A {RARE} hangs here."
    (form,) = forms(sentence, RARE, (2,))
    assert mlm.encode(form) == SPLIT
    encoded = mlm.encode(form, split_words=True)
    assert isinstance(encoded, EncodedForm)
    plain = mlm.tokenizer(sentence)["input_ids"]
    several, mask, at = len(encoded.pieces), mlm.tokenizer.mask_token_id, encoded.mask_index
    assert several > 1
    run = [piece.original_id for piece in encoded.pieces]
    assert [*encoded.ids[:at], *run, *encoded.ids[at + 1 :]] == plain
    assert str(mlm.tokenizer.decode(run)).strip().casefold() == RARE
    for index, piece in enumerate(encoded.pieces):
        assert piece.mask_index == at + index
        assert list(piece.ids) == [*plain[: at + index], *[mask] * (several - index), *plain[at + several :]]


@pytest.mark.parametrize("kind", KINDS)
def test_log_probability_of_a_word_is_the_mean_of_its_pieces(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(kind, tiny_mlm)
    model = AutoModelForMaskedLM.from_pretrained(tiny_mlm(kind), dtype=torch.float32).eval()

    def log_probs(ids: tuple[int, ...], at: int) -> torch.Tensor:
        with torch.no_grad():
            values: torch.Tensor = model(torch.tensor([ids])).logits[0, at].log_softmax(-1)
        return values

    (rare,), (usual,) = forms(f"A {RARE} hangs here.", RARE, (2,)), forms("A farmer hangs here.", "farmer", (2,))
    answers: dict[str, object] = {}
    for some in mlm.answers({"rare": rare, "usual": usual}, 30, split_words=True):
        answers |= some
    encoded = mlm.encode(rare, split_words=True)
    assert isinstance(encoded, EncodedForm)
    answer = answers["rare"]
    assert not isinstance(answer, str)
    of_pieces = [log_probs(piece.ids, piece.mask_index)[piece.original_id].item() for piece in encoded.pieces]
    expected = sum(of_pieces) / len(of_pieces)
    assert answer.original_log_prob == pytest.approx(expected, abs=1e-3)  # type: ignore[attr-defined]
    best = log_probs(encoded.ids, encoded.mask_index).topk(30)
    assert answer.piece_ids.tolist() == best.indices.tolist()  # type: ignore[attr-defined]
    (plain,) = mlm.answers({"usual": usual}, 30)
    assert repr(plain["usual"]) == repr(answers["usual"])


def test_word_with_unknown_or_shared_pieces_is_split(tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load("bert", tiny_mlm)
    for sentence, word in (("A 猫 sleeps.", "猫"), ("A farmer sleeps.", "farm")):
        (form,) = forms(sentence, word, (2,))
        assert mlm.encode(form, split_words=True) == SPLIT


def test_other_occurrence_of_several_pieces_is_one_mask(tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load("roberta", tiny_mlm)
    sentence = f"A {RARE} and a {RARE}"
    (first, second) = (mlm.encode(form, split_words=True) for form in forms(sentence, RARE, (2, 18), ALL))
    assert tokens(mlm, first).count("<mask>") == tokens(mlm, second).count("<mask>") == 2
    assert isinstance(first, EncodedForm)
    assert tokens(mlm, first.pieces[0]).count("<mask>") == 1 + len(first.pieces)


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_is_too_long_is_masked_in_a_window(kind: str, tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(kind, tiny_mlm)
    sentence = "A farmer sees a nurse and a baker near the old bridge. "
    text = sentence * 10 + "\nThe goat sees a farmer"
    middle, last = (text.index("farmer", text.index("nurse") + 4 * len(sentence)), text.rindex("farmer"))
    for form in (form for start in (middle, last) for form in forms(text, "farmer", (start,))):
        encoded = mlm.encode(form)
        assert isinstance(encoded, EncodedForm)
        assert encoded.in_window
        assert mlm.max_length is not None
        assert len(encoded.ids) <= mlm.max_length < len(encoded.ids) + len(mlm.tokenizer(sentence)["input_ids"])
        shown = str(mlm.tokenizer.decode([*encoded.ids], skip_special_tokens=True)).lower()
        sentences = (len(encoded.ids) - 2) // 12
        assert shown.count("nurse") >= sentences - 1 >= 2
        assert ("goat" in shown) == (form.start == last)
    (short,) = forms(sentence, "farmer", (2,))
    encoded = mlm.encode(short)
    assert isinstance(encoded, EncodedForm)
    assert not encoded.in_window


def test_a_long_text_is_tokenized_once_and_then_in_windows(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    mlm = load("bert", tiny_mlm)
    sentence = "A farmer sees a goat near the old bridge. "
    given: list[str] = []
    tokenize = encoded_forms._tokenize

    def noted(tokenizer: PreTrainedTokenizerFast, texts: list[str]) -> Iterator[encoded_forms._Tokens]:
        given.extend(texts)
        return tokenize(tokenizer, texts)

    monkeypatch.setattr(encoded_forms, "_tokenize", noted)
    per_occurrence = []
    for count in (50, 500):
        text = sentence * count
        of_text = forms(text, "farmer", [2 + number * len(sentence) for number in range(count)])
        encoded = mlm.encode_all(of_text, split_words=False)
        assert all(isinstance(form, EncodedForm) and form.in_window for form in encoded)
        assert given.count(text) == 1
        per_occurrence.append((sum(map(len, given)) - len(text)) / count)
        given.clear()
    assert per_occurrence[1] == pytest.approx(per_occurrence[0], rel=0.1)


def test_texts_are_tokenized_in_batches() -> None:
    texts = ["a" * 60, "b" * 60, "c" * 30, "d" * 200, "e"]
    batches = encoded_forms.batches_of(texts, map(len, texts), 100)
    assert [[text[0] for text in batch] for batch in batches] == [["a"], ["b", "c"], ["d"], ["e"]]
