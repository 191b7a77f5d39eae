"""The runner: batches of fixed shapes, halved if memory runs out, and shards of what was computed."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertForMaskedLM

from generation.masked_lms.loading import load_masked_lm
from merge_snli.base.arrays import Ints
from merge_snli.models.finding import find_model
from merge_snli.models.runner import runner as running
from merge_snli.models.runner.checks import find_runner, is_batch_invariant
from merge_snli.models.runner.encoded import IDS, MASK, Encoded
from merge_snli.models.runner.runner import Batch, Runner, Step
from merge_snli.models.runner.shapes import GPU_TOKENS, MIN_TOKENS, Shapes, batch_tokens
from tests.oracles import missing_from, refused

CPU = torch.device("cpu")


def of_cuda() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


def of_cpu() -> None:
    torch.empty(2**60)


def of_python() -> None:
    raise MemoryError


def inputs(lengths: Sequence[int], pad: int | None = None) -> Encoded:
    """Return inputs of these lengths, whose tokens are numbered."""
    of_each = np.array(lengths, np.int64)
    ids = np.arange(1, of_each.sum() + 1, dtype=np.int32)
    return Encoded({IDS: ids}, of_each.cumsum() - of_each, of_each, pad=pad)


def sums(batch: Batch) -> list[torch.Tensor]:
    """Return the sum of the tokens of each input, padding left out."""
    mask = batch.get(MASK, torch.ones_like(batch[IDS]))
    return [(batch[IDS] * mask).sum(dim=1).float()]


Fail = Callable[[], None]


def limited_to(most: int, fail: Fail, shapes: list[tuple[int, ...]] | None = None) -> Step:
    """Return a step that sums tokens, notes the shapes of batches, and fails for those of more than `most` rows."""

    def step(batch: Batch) -> list[torch.Tensor]:
        if shapes is not None:
            shapes.append(tuple(batch[IDS].shape))
        if len(batch[IDS]) > most:
            fail()
        return sums(batch)

    return step


def run(runner: Runner, step: Step, encoded: Encoded, rows: Ints | None = None) -> list[float]:
    """Return the output for each of the inputs, in their order."""
    every = np.arange(len(encoded.lengths)) if rows is None else rows
    found: dict[int, float] = {}
    for of_shard, (values,) in runner.run(step, encoded, every):
        found.update(zip(of_shard.tolist(), values.tolist(), strict=True))
    return [found[row] for row in every.tolist()]


def sums_of(encoded: Encoded) -> list[float]:
    return [float(sum(ids)) for ids in encoded.ids()]


def runner_of(tokens: int, *, batch_invariant: bool = False, pads: bool = False, name: str = "m") -> Runner:
    return Runner(name, CPU, Shapes(tokens, pads=pads, batch_invariant=batch_invariant))


@pytest.mark.parametrize(
    ("tokens", "batch_invariant", "fitting", "count", "length", "expected"),
    [
        (80, False, 99, 19, 10, [8, 8, 8]),  # all have the same size
        (80, True, 99, 19, 10, [8, 8, 3]),  # the last is filled up only to two
        (80, True, 99, 9, 10, [8, 2]),
        (512, True, 1, 3, 300, [1, 1, 1]),  # long inputs run one by one
        (40, True, 1, 3, 10, [3, 2, 1, 1, 1]),  # memory is for one only
    ],
)
def test_rows_of_batches(
    tokens: int, batch_invariant: bool, fitting: int, count: int, length: int, expected: list[int]
) -> None:
    shapes: list[tuple[int, ...]] = []
    runner = runner_of(tokens, batch_invariant=batch_invariant)
    encoded = inputs([length] * count)
    assert run(runner, limited_to(fitting, of_python, shapes), encoded) == sums_of(encoded)
    assert shapes == [(size, length) for size in expected]
    if fitting == 99:
        assert runner.shapes.computed(count, length) == sum(expected)


@pytest.mark.parametrize("batch_invariant", [True, False])
def test_inputs_of_one_padded_length_share_batches_apart_from_those_that_are_not_padded(batch_invariant: bool) -> None:
    shapes: list[tuple[int, ...]] = []
    encoded = inputs([length for length in range(1, 120) for _ in range(3)], pad=1)
    runner = runner_of(512, batch_invariant=batch_invariant, pads=True)
    assert run(runner, limited_to(999, of_python, shapes), encoded) == sums_of(encoded)
    padded = runner.shapes.padded(encoded.lengths)
    assert {length for _, length in shapes} == {*padded.tolist()}
    assert len(shapes) < 119
    for rows, length in shapes:
        assert rows * length <= 512
    lengths = [length for _, length in shapes]
    assert lengths == sorted(lengths, reverse=True), "the longest first"


def test_some_inputs_in_any_order_in_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "INPUTS_PER_SHARD", 4)
    encoded = inputs([3, 9, 5, 3, 7, 3, 3, 9, 2, 3])
    rows = np.array([7, 0, 3, 9, 5, 1, 8])
    shards = list(runner_of(8).run(sums, encoded, rows))
    assert [len(of_shard) for of_shard, _ in shards] == [4, 3]
    assert run(runner_of(8), sums, encoded, rows) == [sums_of(encoded)[row] for row in rows]
    assert list(runner_of(8).run(sums, encoded, rows[:0])) == []


def test_what_is_not_finite_is_refused_with_its_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "INPUTS_PER_SHARD", 2)
    encoded = inputs([9, 8, 7, 6])

    def step(batch: Batch) -> list[torch.Tensor]:
        return [torch.full((len(batch[IDS]),), float("nan") if batch[IDS].shape[1] < 8 else 1.0)]

    shards = runner_of(8, name="masked LM m").run(step, encoded, np.arange(4))
    assert next(shards)[0].tolist() == [0, 1]
    refused("masked LM m .*not finite", next, shards)


def test_batch_invariant_means_same_bits_at_every_size_and_position() -> None:
    values = np.arange(8, dtype=np.float32)
    assert is_batch_invariant(lambda rows: values[rows], (2, 3, 8))
    assert not is_batch_invariant(lambda rows: values[rows] + 1e-3 * (len(rows) > 4), (2, 3, 8))
    assert not is_batch_invariant(lambda rows: values[rows] + 1e-3 * (np.arange(len(rows)) == 0), (2, 3, 8))


class Layer(torch.nn.Linear):
    """A model that is one layer."""

    base_model = property(lambda self: self)
    device = CPU


@pytest.mark.parametrize("period", [1, 2])
def test_each_input_is_a_batch_if_its_position_matters(period: int) -> None:
    def step(batch: Batch) -> list[torch.Tensor]:
        return [sums(batch)[0] + len(batch[IDS]) + torch.arange(len(batch[IDS])) % period]

    found = find_runner(Layer(4, 4), step, inputs([4, 4]), name="m", packed=1)
    assert found.shapes.rows(4) == {1: 256, 2: 1}[period]


@pytest.mark.parametrize("fail", [of_cuda, of_cpu, of_python])
def test_out_of_memory_halves_the_batch_size(fail: Fail, caplog: pytest.LogCaptureFixture) -> None:
    shapes: list[tuple[int, ...]] = []
    runner = runner_of(160, name="model large")
    encoded = inputs([10] * 19)
    assert run(runner, limited_to(5, fail, shapes), encoded) == sums_of(encoded)
    assert [rows for rows, _ in shapes] == [16, 8, 4, 4, 4, 4, 4]
    (warning,) = [message for message in caplog.messages if " 4 " in message]
    assert not missing_from(warning, "model large", "inputs of 10 tokens")
    assert runner.shapes.rows(20) == 2


def test_out_of_memory_at_batch_size_one_is_an_input_error() -> None:
    runner = runner_of(40, name="masked LM large")
    refused("masked LM large, an input of 10 tokens", run, runner, limited_to(0, of_python), inputs([10] * 3))


def test_model_too_large_for_the_device_is_an_input_error(
    tiny_mlm: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: BertForMaskedLM, device: str) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(BertForMaskedLM, "to", full)
    refused(r"masked LM tiny-bert .*out of memory", load_masked_lm, find_model(str(tiny_mlm("bert"))), device="cpu")


def test_other_errors_are_not_out_of_memory() -> None:
    def fail() -> None:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    refused("m fails on an input of 10 tokens: .*mat1", run, runner_of(40), limited_to(0, fail), inputs([10] * 3))


@pytest.mark.parametrize(("most", "expected"), [(4, [4] * 4), (2, [4, 4, 2, 2, 2, 2])])
def test_inputs_that_a_model_takes_only_one_by_one_are_filled_up_with_themselves(
    most: int, expected: list[int]
) -> None:
    rows = []
    encoded = inputs([10] * 3)

    def alike(batch: Batch) -> list[torch.Tensor]:
        rows.append(len(batch[IDS]))
        if (batch[IDS] != batch[IDS][0]).any():
            raise ValueError("All examples must have the same number of <eos> tokens")
        if len(batch[IDS]) > most:
            of_cpu()
        return sums(batch)

    assert run(runner_of(40), alike, encoded) == sums_of(encoded)
    assert rows == expected


def test_small_models_get_larger_batches_which_no_measurement_decides() -> None:
    weights = (10**6, 10**7, 9 * 10**7, 10**9)
    sizes = [batch_tokens("cpu", number, pads=True, batch_invariant=True) for number in weights]
    assert sizes == sorted({*sizes}, reverse=True)
    assert sizes[-1] == MIN_TOKENS
    assert batch_tokens("cpu", 10**6, pads=True, batch_invariant=False) < sizes[0]
    assert batch_tokens("cuda", 10**6, pads=True, batch_invariant=False) == GPU_TOKENS


def padded(lengths: Sequence[int], tokens: int = 512, **options: Any) -> list[int]:  # noqa: ANN401 - of `Shapes`
    """Return the padded lengths of pairs with these numbers of tokens."""
    shapes = Shapes(tokens, **{"pads": True, "batch_invariant": True} | options)
    found: list[int] = shapes.padded(np.array(lengths)).tolist()
    return found


def test_few_lengths_with_little_padding() -> None:
    lengths = range(1, 241)
    found = padded(lengths)
    assert found[:31] == list(lengths)[:31]
    assert padded((100, 103, 104)) == [104, 104, 108]
    added = np.array(found) / np.array(lengths) - 1
    assert added.min() == 0
    assert added.max() <= 1 / 16
    assert len(set(found[31:])) < 50
    few = padded(lengths, batch_invariant=False)
    assert len(set(few)) < len(set(found))
    assert (np.array(few) / np.array(lengths)).max() <= 1.25


@pytest.mark.parametrize("batch_invariant", [True, False])
def test_padded_pairs_have_at_least_one_padding_token(batch_invariant: bool) -> None:
    """Models skip the attention mask of a batch without padding, which can change the last bits of logits."""
    lengths = range(40, 2_000)
    found = padded(lengths, 10_000, batch_invariant=batch_invariant)
    for tokens, length in zip(lengths, found, strict=True):
        assert length > tokens


def test_pairs_are_not_padded_beyond_the_limit_of_the_model_or_in_a_batch_of_their_own() -> None:
    assert padded((61, 62, 63, 64), 4_000, max_length=64) == [62, 64, 64, 64]
    assert padded((255, 256, 300)) == [256, 256, 300]
    assert padded((110, 130), 256, batch_invariant=False) == [112, 130]
