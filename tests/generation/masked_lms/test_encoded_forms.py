"""Test encoded forms: several masked words, and words of several pieces."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM

from generation.masked_lms.encoded_forms import FormEncoder, Tokens
from generation.masked_lms.masked_lm import MaskedLM
from generation.sentences.forms import ALL, ONE, Form, forms
from merge_snli.dataset.answered_forms import SPLIT
from merge_snli.models.runner.encoded import Encoded
from tests.cases import slow
from tests.generation.masked_lms.test_masked_lm import all_answers, encode, fillers_of, load, plain_fillers

RARE = "xylograph"


@pytest.fixture(params=["bert", "roberta", *slow("albert", "electra", "bart")])
def folder(request: pytest.FixtureRequest, tiny_mlm: Callable[[str], Path]) -> Path:
    return tiny_mlm(request.param)


@pytest.fixture
def mlm(folder: Path) -> MaskedLM:
    return load(folder)


def masks_in(mlm: MaskedLM, ids: Sequence[int]) -> list[int]:
    return [index for index, token in enumerate(ids) if token == mlm.tokenizer.mask_token_id]


def test_every_occurrence_is_masked_and_one_is_predicted(mlm: MaskedLM) -> None:
    sentence = "A farmer sees a farmer near the old bridge."
    first, second = (encode(mlm, form) for form in forms(sentence, "farmer", (2, 16), ALL))
    assert first.ids == second.ids
    assert masks_in(mlm, first.ids) == [first.mask_index, second.mask_index]
    restored = list(first.ids)
    restored[first.mask_index], restored[second.mask_index] = first.original_id, second.original_id
    assert restored == mlm.tokenizer(sentence)["input_ids"]


def test_word_of_several_pieces_is_one_mask_with_a_form_per_piece(mlm: MaskedLM) -> None:
    sentence = f"A {RARE} hangs here."
    form = Form(sentence, 2, 2 + len(RARE))
    assert mlm.encode({"form": form}).refused == {"form": SPLIT}
    encoded = encode(mlm, form, split_words=True)
    plain = mlm.tokenizer(sentence)["input_ids"]
    several = len(encoded.pieces)
    mask = mlm.tokenizer.mask_token_id
    at = encoded.mask_index
    assert several > 1
    run = [piece.original_id for piece in encoded.pieces]
    assert [*encoded.ids[:at], *run, *encoded.ids[at + 1 :]] == plain
    assert str(mlm.tokenizer.decode(run)).strip().casefold() == RARE
    for index, piece in enumerate(encoded.pieces):
        assert piece.mask_index == at + index
        assert list(piece.ids) == [*plain[: at + index], *[mask] * (several - index), *plain[at + several :]]


def test_log_probability_of_a_word_is_the_mean_of_its_pieces(mlm: MaskedLM, folder: Path) -> None:
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
    (rare,) = forms(f"A {RARE} hangs here.", RARE, (2,))
    (usual,) = forms("A farmer hangs here.", "farmer", (2,))
    answers: dict[str, Any] = all_answers(mlm, {"rare": rare, "usual": usual}, split_words=True)
    encoded = encode(mlm, rare, split_words=True)
    of_pieces = [plain_fillers(model, piece).original_log_prob for piece in encoded.pieces]
    assert answers["rare"].original_log_prob == pytest.approx(sum(of_pieces) / len(of_pieces), abs=1e-3)
    assert answers["rare"].piece_ids.tolist() == plain_fillers(model, encoded).piece_ids.tolist()
    assert repr(fillers_of(mlm, {"usual": usual})["usual"]) == repr(answers["usual"])


def test_forms_together_are_encoded_as_each_alone(mlm: MaskedLM) -> None:
    texts = (f"A farmer sees a farmer and a {RARE} near a {RARE}.", f"A {RARE}", "A farmer sleeps.")
    several: dict[str, Form] = {}
    for text, word, mask in product(texts, ("farmer", RARE), (ONE, ALL)):
        starts = [match.start() for match in re.finditer(word, text)]
        several |= {form.key: form for form in forms(text, word, starts, mask)}
    together = mlm.encode(several, split_words=True)
    assert together.keys == [*several]
    assert len(several) == 10
    for number, (key, form) in enumerate(several.items()):
        alone = mlm.encode({key: form}, split_words=True)
        rows = np.flatnonzero(together.words == number)
        assert_same(together.inputs, [number], alone.inputs)
        assert_same(together.pieces, rows.tolist(), alone.pieces)


def assert_same(together: Encoded, rows: list[int], alone: Encoded) -> None:
    """Check that some of the inputs that are encoded together are those of a form alone."""
    ids = together.ids()
    assert [ids[row] for row in rows] == alone.ids()
    for name, values in together.columns.items():
        assert values[rows].tolist() == alone.columns[name].tolist()


@pytest.mark.parametrize(("sentence", "word"), [("A 猫 sleeps.", "猫"), ("A farmer sleeps.", "farm")])
def test_word_with_unknown_or_shared_pieces_is_split(sentence: str, word: str, tiny_mlm: Callable[[str], Path]) -> None:
    (form,) = forms(sentence, word, (2,))
    assert load(tiny_mlm("bert")).encode({"form": form}, split_words=True).refused == {"form": SPLIT}


def test_other_occurrence_of_several_pieces_is_one_mask(tiny_mlm: Callable[[str], Path]) -> None:
    mlm = load(tiny_mlm("roberta"))
    for form in forms(f"A {RARE} and a {RARE}", RARE, (2, 18), ALL):
        encoded = encode(mlm, form, split_words=True)
        assert len(masks_in(mlm, encoded.ids)) == 2
        assert len(masks_in(mlm, encoded.pieces[0].ids)) == 1 + len(encoded.pieces)


def test_a_text_that_is_too_long_is_masked_in_a_window(mlm: MaskedLM) -> None:
    sentence = "A farmer sees a nurse and a baker near the old bridge. "
    text = sentence * 10 + "\nThe goat sees a farmer"
    tokens = len(mlm.tokenizer(sentence)["input_ids"])
    middle = text.index("farmer", 4 * len(sentence))
    last = text.rindex("farmer")
    for form in forms(text, "farmer", (middle, last)):
        encoded = encode(mlm, form)
        assert encoded.in_window
        assert len(encoded.ids) <= mlm.max_length < len(encoded.ids) + tokens
        shown = str(mlm.tokenizer.decode([*encoded.ids], skip_special_tokens=True)).lower()
        assert shown.count("nurse") >= (len(encoded.ids) - 2) // 12 - 1 >= 2
        assert ("goat" in shown) == (form.start == last)
    assert not encode(mlm, Form(sentence, 2, 8)).in_window


def test_a_long_text_is_tokenized_once_and_then_in_windows(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    mlm = load(tiny_mlm("bert"))
    sentence = "A farmer sees a goat near the old bridge. "
    given: list[str] = []
    tokenize = FormEncoder.tokenize

    def noted(encoder: FormEncoder, texts: list[str]) -> Iterator[Tokens]:
        given.extend(texts)
        return tokenize(encoder, texts)

    monkeypatch.setattr(FormEncoder, "tokenize", noted)
    text = sentence * 100
    of_text = forms(text, "farmer", [2 + number * len(sentence) for number in range(100)])
    encoded = mlm.encode({form.key: form for form in of_text})
    assert encoded.in_window.all()
    assert {*encoded.keys} == {form.key for form in of_text}
    assert given.count(text) == 1
    windows = [each for each in given if each != text]
    assert len(windows) <= 2 * 100
    assert max(map(len, windows)) < 10 * len(sentence)
