"""Masking: which pieces are chosen and what replaces them."""

from __future__ import annotations

import numpy as np
import pytest

from training.base import Base
from training.mlm import IGNORED, MASK_SHARE, OPEN_RATE, OTHER_RATE, RANDOM_SHARE, choice_rates, mask_batch

MASK, PAD = 4, 0


def rates_of(base: Base, text: str) -> dict[str, float]:
    encoding = base.tokenizer.encode(text)
    return dict(zip(encoding.tokens, choice_rates(text, encoding).tolist(), strict=True))


def test_open_class_words_of_one_piece_have_the_highest_rate(base: Base) -> None:
    rates = rates_of(base, "The dog jumps on a trampoline.")
    assert rates["dog"] == rates["jumps"] == OPEN_RATE
    assert rates["the"] == rates["on"] == rates["."] == rates["tram"] == rates["##ine"] == OTHER_RATE
    assert rates["[CLS]"] == rates["[SEP]"] == 0


def test_a_last_word_without_a_full_stop_is_never_chosen(base: Base) -> None:
    assert rates_of(base, "The dog jumps")["jumps"] == 0
    assert rates_of(base, "The dog jumps.")["jumps"] == OPEN_RATE


def test_shares_of_a_large_batch() -> None:
    ids, _, targets = mask_batch(
        [np.arange(10, 60)] * 2_000,
        [np.full(50, 0.2)] * 2_000,
        np.random.default_rng(0),
        mask_id=MASK,
        pad_id=PAD,
        regular=np.arange(100, 200),
    )
    chosen = targets != IGNORED
    assert chosen.mean() == pytest.approx(0.2, abs=0.005)
    assert (ids[chosen] == MASK).mean() == pytest.approx(MASK_SHARE, abs=0.01)
    assert (ids[chosen] >= 100).mean() == pytest.approx(RANDOM_SHARE, abs=0.01)
    original = np.tile(np.arange(10, 60), (2_000, 1))
    np.testing.assert_array_equal(ids[~chosen], original[~chosen])
    np.testing.assert_array_equal(targets[chosen], original[chosen])


def test_every_sentence_has_a_target_and_padding_has_none() -> None:
    sentences = [np.array([7, 8, 9]), np.array([7, 8, 9, 10, 11])]
    rates = [np.array([0, 1e-6, 0]), np.array([0, 1e-6, 1e-6, 1e-6, 0])]
    for seed in range(20):
        _, attention, targets = mask_batch(
            sentences, rates, np.random.default_rng(seed), mask_id=MASK, pad_id=PAD, regular=np.arange(100, 200)
        )
        chosen = targets != IGNORED
        assert chosen.sum(axis=1).tolist() == [1, 1]
        assert chosen[0, 1]
        assert attention.tolist() == [[1, 1, 1, 0, 0], [1] * 5]
