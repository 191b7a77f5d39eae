"""Test to which length pairs are padded."""

from __future__ import annotations

import numpy as np
import pytest

from merge_snli.models.padding import Padding


def test_few_lengths_with_little_padding() -> None:
    padding = Padding(16, 512, None)
    lengths = range(1, 241)
    padded = [padding.length(tokens) for tokens in lengths]
    assert padded[:31] == list(lengths)[:31]
    assert tuple(map(padding.length, (100, 103, 104))) == (104, 104, 108)
    added = np.array(padded) / np.array(lengths) - 1
    assert added.min() == 0
    assert added.max() <= 1 / 16
    assert len(set(padded[31:])) < 50


@pytest.mark.parametrize("lengths_per_doubling", [8, 16])
def test_padded_pairs_have_at_least_one_padding_token(lengths_per_doubling: int) -> None:
    """Models skip the attention mask of a batch without padding, which can change the last bits of logits."""
    padding = Padding(lengths_per_doubling, 10_000, None)
    assert all(padding.length(tokens) > tokens for tokens in range(2 * lengths_per_doubling, 2_000))


def test_pairs_are_not_padded_beyond_the_limit_of_the_model() -> None:
    padding = Padding(16, 4_096, 64)
    assert [padding.length(tokens) for tokens in (61, 62, 63, 64)] == [62, 64, 64, 64]


def test_pairs_that_get_a_batch_of_their_own_are_not_padded() -> None:
    padding = Padding(16, 512, None)
    assert [padding.length(tokens) for tokens in (255, 256, 300)] == [256, 256, 300]
    assert [Padding(8, 256, None).length(tokens) for tokens in (120, 130)] == [128, 130]
