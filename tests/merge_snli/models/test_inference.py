"""Batches of one size per length, halved if memory runs out; packed linear layers; the last layer on one token."""

import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModel, BertForMaskedLM

from generation.masked_lms.loading import load_masked_lm
from merge_snli.models import packed_linear
from merge_snli.models.finding import find_model
from merge_snli.models.inference import (
    TOKENS_PER_BATCH,
    TOKENS_PER_GPU_BATCH,
    Batches,
    is_batch_invariant,
    is_out_of_memory,
    last_attention,
    padded_length,
    select_after_attention,
    tokens_per_batch,
)
from merge_snli.models.packed_linear import PackedLinear, pack
from tests.oracles import refused


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


def doubled(count: int) -> list[int]:
    return [2 * number for number in range(count)]


def limited_to(max_size: int, error: Exception, sizes: list[int]) -> Callable[[Sequence[int]], list[int]]:
    """Return a step that doubles numbers, and runs out of memory for batches larger than `max_size`."""

    def step(batch: Sequence[int]) -> list[int]:
        sizes.append(len(batch))
        if len(batch) > max_size:
            raise error
        return [2 * number for number in batch]

    return step


@pytest.mark.parametrize(
    ("batch_tokens", "batch_invariant", "fitting", "count", "tokens", "expected"),
    [
        (80, False, 99, 19, 10, [8, 8, 8]),  # all have the same size
        (80, True, 99, 19, 10, [8, 8, 3]),  # the last is padded only to two
        (80, True, 99, 9, 10, [8, 2]),
        (512, True, 1, 3, 300, [1, 1, 1]),  # long items run one by one
        (40, True, 1, 3, 10, [3, 2, 1, 1, 1]),  # memory is for one only
    ],
)
def test_sizes_of_batches(
    batch_tokens: int, batch_invariant: bool, fitting: int, count: int, tokens: int, expected: list[int]
) -> None:
    sizes: list[int] = []
    batches = Batches("m", "pair", batch_tokens, batch_invariant=batch_invariant)
    assert batches.run(limited_to(fitting, MemoryError(), sizes), range(count), tokens) == doubled(count)
    assert sizes == expected


def test_batch_invariant_means_same_bits_at_every_size() -> None:
    assert is_batch_invariant(lambda times: np.full((times, 3), 0.1, dtype=np.float32))
    assert not is_batch_invariant(lambda times: np.full((times, 3), 0.1 + 1e-8 * (times > 4), dtype=np.float32))


@pytest.mark.parametrize("kind", ERRORS)
def test_out_of_memory_halves_the_batch_size(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    sizes: list[int] = []
    batches = Batches("model large", "pair", 160)
    assert batches.run(limited_to(5, ERRORS[kind](), sizes), range(19), 10) == doubled(19)
    assert sizes == [16, 8, 4, 4, 4, 4, 4]
    [warning] = [record.getMessage() for record in caplog.records if " 4 " in record.getMessage()]
    assert all(words in warning for words in ("model large", "pairs", "10 tokens"))
    assert batches.size(20) == 2


def test_out_of_memory_at_batch_size_one_is_an_input_error() -> None:
    refused(
        r"masked LM large, 1 form of 10 tokens",
        Batches("masked LM large", "form", 40).run,
        limited_to(0, MemoryError(), []),
        range(3),
        10,
    )


def test_model_too_large_for_the_device_is_an_input_error(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: BertForMaskedLM, device: str) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(BertForMaskedLM, "to", full)
    refused(
        r"out of memory on cpu.* masked LM tiny-bert", load_masked_lm, find_model(str(tiny_mlm("bert"))), device="cpu"
    )


def test_other_errors_are_not_out_of_memory() -> None:
    error = RuntimeError("mat1 and mat2 shapes cannot be multiplied")
    assert not is_out_of_memory(error)
    refused("mat1", Batches("m", "form").run, limited_to(0, error, []), range(3), 10, error=RuntimeError)


def test_gpu_batches_depend_on_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, free = 2**20, [2**37, 2**22, 3 * 2**20, 0]
    for name, value in (
        ("reset_peak_memory_stats", None),
        ("memory_allocated", 5 * taken),
        ("max_memory_allocated", 6 * taken),
    ):
        monkeypatch.setattr(torch.cuda, name, lambda device, value=value: value)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free.pop(0), 2**40))
    found = [tokens_per_batch("cuda:0", lambda: None, 1_000) for _ in range(4)]
    assert found == [TOKENS_PER_GPU_BATCH, 1_024, 1_024, 1]
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
    assert added.min() == 0 and added.max() <= 1 / 16
    assert len(set(padded[31:])) < 50


@pytest.mark.parametrize("per_doubling", [8, 16])
def test_padded_pairs_have_at_least_one_padding_token(per_doubling: int) -> None:
    """Models skip the attention mask of a batch without padding, which can change the last bits of logits."""
    lengths = range(2 * per_doubling, 2_000)
    padded = lengths_of(lengths, per_doubling=per_doubling, batch_tokens=10_000)
    assert all(length > tokens for tokens, length in zip(lengths, padded, strict=True))


def test_pairs_are_not_padded_beyond_the_limit_of_the_model_or_in_a_batch_of_their_own() -> None:
    assert lengths_of((61, 62, 63, 64), batch_tokens=4_096, limit=64) == [62, 64, 64, 64]
    assert lengths_of((255, 256, 300)) == [256, 256, 300]
    assert lengths_of((120, 130), per_doubling=8, batch_tokens=256) == [128, 130]


SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
TOKENS = torch.tensor([0, 1, 2]), torch.tensor([3, 0, 5])


auto_config: Any = AutoConfig
auto_model: Any = AutoModel


def encoder(kind: str) -> Any:  # noqa: ANN401 - a class per kind
    torch.manual_seed(0)
    return auto_model.from_config(auto_config.for_model(kind, vocab_size=50, pad_token_id=0, **SIZES)).eval()


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_one_token_per_sentence_has_the_same_values(kind: str) -> None:
    model, ids = encoder(kind), torch.randint(5, 50, (3, 6), generator=torch.Generator().manual_seed(1))
    attention = last_attention(model)
    assert attention is not None
    with torch.inference_mode():
        every = model(input_ids=ids).last_hidden_state
        with select_after_attention(attention, TOKENS):
            selected = model(input_ids=ids).last_hidden_state
        assert selected.shape == (3, 1, 16)
        torch.testing.assert_close(selected[:, 0], every[TOKENS])
        assert torch.equal(model(input_ids=ids).last_hidden_state, every), "the hook is removed after the block"


def test_hook_is_removed_after_an_error() -> None:
    model, ids = encoder("bert"), torch.tensor([[5, 6, 7]])
    with pytest.raises(KeyError), select_after_attention(last_attention(model), TOKENS):
        raise KeyError
    assert model(input_ids=ids).last_hidden_state.shape == (1, 3, 16)


def test_other_architectures_are_not_changed() -> None:
    model, ids = encoder("albert"), torch.tensor([[5, 6, 7]])
    assert last_attention(model) is None
    with select_after_attention(None, TOKENS):
        assert model(input_ids=ids).last_hidden_state.shape == (1, 3, 16)


HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]

needs_onednn = pytest.mark.skipif(not HAS_ONEDNN, reason="this torch has no oneDNN")


def two_layers(dtype: torch.dtype = torch.float32, *, bias: bool = True) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(48, 96, bias=bias), nn.Tanh(), nn.Linear(96, 24, bias=bias)).to(dtype).eval()


Forward = Callable[[PackedLinear, torch.Tensor], torch.Tensor]
PLAIN: Forward = PackedLinear.forward


def packed_layers(model: nn.Module) -> int:
    return sum(isinstance(module, PackedLinear) for module in model.modules())


@needs_onednn
@pytest.mark.parametrize("bias", [True, False])
def test_outputs_match_the_plain_layers(bias: bool) -> None:
    model, rows = two_layers(bias=bias), torch.randn(5, 7, 48)
    with torch.inference_mode():
        expected = model(rows)
        assert pack(model, lambda: model(rows), "m") and packed_layers(model) == 2
        torch.testing.assert_close(model(rows), expected, atol=1e-5, rtol=1e-5)


@needs_onednn
def test_bfloat16_stays_bfloat16() -> None:
    model, rows = two_layers(torch.bfloat16), torch.randn(5, 48).bfloat16()
    with torch.inference_mode():
        try:
            PackedLinear(nn.Linear(48, 96).bfloat16())(rows)
        except RuntimeError as error:
            pytest.skip(f"oneDNN does not support bfloat16 on this CPU: {error}")
        expected = model(rows)
        pack(model, lambda: model(rows), "m")
        assert packed_layers(model) == 2
        assert model(rows).dtype == torch.bfloat16
        torch.testing.assert_close(model(rows), expected, atol=2e-2, rtol=2e-2)


@needs_onednn
def test_rows_of_a_batch_invariant_model_do_not_depend_on_the_batch() -> None:
    model, rows = two_layers(), torch.randn(600, 48)
    with torch.inference_mode():
        assert pack(model, lambda: model(rows), "m")
        whole = model(rows)
        for count in (2, 4, 9, 33, 100, 301, 599):
            assert torch.equal(model(rows[:count]), whole[:count])
            assert torch.equal(model(rows[-count:]), whole[-count:])


@needs_onednn
@pytest.mark.parametrize(
    ("forward", "packed"),
    [
        (lambda layer, rows: PLAIN(layer, rows) * (1 + 1e-6 * (len(rows) < 100)), 2),  # rows depend on the batch
        (lambda layer, rows: PLAIN(layer, rows.bfloat16().float()), 0),  # coarser than float32, so not used
    ],
)
def test_layers_with_other_outputs_are_detected(forward: Forward, packed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackedLinear, "forward", forward)
    model = two_layers()
    assert not pack(model, lambda: None, "m") and packed_layers(model) == packed


@needs_onednn
def test_model_that_reads_weights_directly_is_unpacked(caplog: pytest.LogCaptureFixture) -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return rows @ self.layer.weight[:4].T

    model, rows = Reader().eval(), torch.randn(3, 8)
    weights, expected = model.layer.weight.detach().clone(), model(rows).detach()
    with caplog.at_level(logging.INFO, logger=packed_linear.__name__):
        assert not pack(model, lambda: model(rows), "Reader")
    assert "Reader" in caplog.text
    assert packed_layers(model) == 0
    assert torch.equal(model.layer.weight, weights)
    assert torch.equal(model(rows), expected)


@needs_onednn
def test_model_with_other_matrices_is_not_batch_invariant() -> None:
    """For example XLNet and GPT-2, which multiply by parameters that are not linear layers."""

    class Other(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(9, 16)
            self.layer = nn.Linear(16, 16)
            self.matrix = nn.Parameter(torch.randn(16, 16))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return torch.Tensor(self.layer(self.words(ids)) @ self.matrix)

    other, ids = Other().eval(), torch.tensor([[1, 2, 3]])
    assert not pack(other, lambda: other(ids), "m") and packed_layers(other) == 1
    assert not pack(nn.Sequential(nn.Conv1d(2, 2, 1), nn.Linear(2, 2)), lambda: None, "m")
    assert pack(nn.Sequential(nn.Embedding(9, 48), two_layers()), lambda: None, "m")
    assert not pack(nn.Sequential(nn.Embedding(9, 48)), lambda: None, "m")


@needs_onednn
def test_few_rows_are_tested_for_a_head_with_many_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[int] = []

    def counting(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        tested.append(len(rows))
        return PLAIN(layer, rows)

    monkeypatch.setattr(PackedLinear, "forward", counting)
    monkeypatch.setattr(packed_linear, "MAX_TESTED_OUTPUTS", 1_000)
    assert pack(nn.Sequential(nn.Linear(8, 100)).eval(), lambda: None, "m")
    assert max(tested) == 10


@needs_onednn
def test_nothing_is_packed_without_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops, "mkldnn", object())
    model = two_layers()
    assert not pack(model, lambda: None, "m") and packed_layers(model) == 0
