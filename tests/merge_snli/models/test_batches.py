"""Test batches: one size per length, halved if memory runs out, outputs in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertForMaskedLM

from generation.masked_lms.loading import load_masked_lm
from merge_snli.base.errors import InputError
from merge_snli.models.finding import find_model
from merge_snli.models.inference import (
    MAX_TOKENS_PER_BATCH,
    TOKENS_PER_BATCH,
    Batches,
    is_batch_invariant,
    is_out_of_memory,
    padded_length,
    tokens_per_batch,
)


def cpu_out_of_memory() -> Exception:
    try:
        torch.empty(2**60)
    except RuntimeError as error:
        return error
    raise AssertionError("2**60 floats fit into memory")


ERRORS: dict[str, Callable[[], Exception]] = {
    "cuda": lambda: torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    "cpu": cpu_out_of_memory,
    "python": MemoryError,
}


def limited_to(max_size: int, error: Exception, sizes: list[int]) -> Callable[[Sequence[int]], list[int]]:
    """Return a step that doubles numbers, and runs out of memory for batches larger than `max_size`."""

    def step(batch: Sequence[int]) -> list[int]:
        sizes.append(len(batch))
        if len(batch) > max_size:
            raise error
        return [2 * number for number in batch]

    return step


def test_all_batches_of_a_length_have_the_same_size() -> None:
    sizes: list[int] = []
    assert Batches("m", "form", 80).run(limited_to(99, MemoryError(), sizes), range(19), 10) == [
        2 * number for number in range(19)
    ]
    assert sizes == [8, 8, 8]


def test_last_batch_of_a_batch_invariant_model_is_padded_only_to_two() -> None:
    sizes: list[int] = []
    batches = Batches("m", "form", 80, batch_invariant=True)
    for count in (19, 9):
        assert batches.run(limited_to(99, MemoryError(), sizes), range(count), 10) == [2 * n for n in range(count)]
    assert sizes == [8, 8, 3, 8, 2]


def test_batch_invariant_model_runs_long_items_one_by_one() -> None:
    sizes: list[int] = []
    batches = Batches("m", "pair", 512, batch_invariant=True)
    assert batches.run(limited_to(1, MemoryError(), sizes), range(3), 300) == [0, 2, 4]
    assert sizes == [1, 1, 1]


def test_batch_invariant_model_falls_back_to_batch_size_one() -> None:
    sizes: list[int] = []
    assert Batches("m", "pair", 40, batch_invariant=True).run(limited_to(1, MemoryError(), sizes), range(3), 10) == [
        0,
        2,
        4,
    ]
    assert sizes == [3, 2, 1, 1, 1]


def test_batch_invariant_means_same_bits_at_every_size() -> None:
    assert is_batch_invariant(lambda times: np.full((times, 3), 0.1, dtype=np.float32))
    assert not is_batch_invariant(lambda times: np.full((times, 3), 0.1 + 1e-8 * (times > 4), dtype=np.float32))


@pytest.mark.parametrize("kind", ERRORS)
def test_out_of_memory_halves_the_batch_size(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    sizes: list[int] = []
    batches = Batches("model large", "pair", 160)
    assert batches.run(limited_to(5, ERRORS[kind](), sizes), range(19), 10) == [2 * number for number in range(19)]
    assert sizes == [16, 8, 4, 4, 4, 4, 4]
    [warning] = [record.getMessage() for record in caplog.records if " 4 " in record.getMessage()]
    assert all(words in warning for words in ("model large", "pairs", "10 tokens"))
    assert batches.size(20) == 2


def test_out_of_memory_at_batch_size_one_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"masked LM large, 1 form of 10 tokens"):
        Batches("masked LM large", "form", 40).run(limited_to(0, MemoryError(), []), range(3), 10)


def test_model_too_large_for_the_device_is_an_input_error(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: BertForMaskedLM, device: str) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(BertForMaskedLM, "to", full)
    with pytest.raises(InputError, match=r"out of memory on cpu.* masked LM tiny-bert"):
        load_masked_lm(find_model(str(tiny_mlm("bert"))), device="cpu")


def test_other_errors_are_not_out_of_memory() -> None:
    error = RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    assert not is_out_of_memory(error)
    with pytest.raises(RuntimeError, match="mat1"):
        Batches("m", "form").run(limited_to(0, error, []), range(3), 10)


def test_gpu_batches_depend_on_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = 2**20

    def with_free(free: int) -> int:
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 2**40))
        return tokens_per_batch("cuda:0", lambda: None, 1_000)

    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: None)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 5 * 2**20)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 5 * 2**20 + taken)
    assert with_free(2**37) == MAX_TOKENS_PER_BATCH
    assert with_free(4 * taken) == 1_024
    assert with_free(3 * taken) == 1_024
    assert with_free(0) == 1
    assert tokens_per_batch("cpu", lambda: None, 1_000) == TOKENS_PER_BATCH


def lengths_of(
    tokens: Iterable[int], *, per_doubling: int = 16, batch_tokens: int = 512, limit: int | None = None
) -> list[int]:
    """Return the padded length of pairs with these numbers of tokens."""
    return [
        padded_length(number, lengths_per_doubling=per_doubling, batch_tokens=batch_tokens, max_length=limit)
        for number in tokens
    ]


def test_few_lengths_with_little_padding() -> None:
    lengths = range(1, 241)
    padded = lengths_of(lengths)
    assert padded[:31] == list(lengths)[:31]
    assert lengths_of((100, 103, 104)) == [104, 104, 108]
    added = np.array(padded) / np.array(lengths) - 1
    assert added.min() == 0
    assert added.max() <= 1 / 16
    assert len(set(padded[31:])) < 50


@pytest.mark.parametrize("per_doubling", [8, 16])
def test_padded_pairs_have_at_least_one_padding_token(per_doubling: int) -> None:
    """Models skip the attention mask of a batch without padding, which can change the last bits of logits."""
    lengths = range(2 * per_doubling, 2_000)
    padded = lengths_of(lengths, per_doubling=per_doubling, batch_tokens=10_000)
    assert all(length > tokens for tokens, length in zip(lengths, padded, strict=True))


def test_pairs_are_not_padded_beyond_the_limit_of_the_model() -> None:
    assert lengths_of((61, 62, 63, 64), batch_tokens=4_096, limit=64) == [62, 64, 64, 64]


def test_pairs_that_get_a_batch_of_their_own_are_not_padded() -> None:
    assert lengths_of((255, 256, 300)) == [256, 256, 300]
    assert lengths_of((120, 130), per_doubling=8, batch_tokens=256) == [128, 130]
