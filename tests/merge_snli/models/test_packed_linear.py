"""Packed linear layers: the same outputs as plain ones, and which models are batch-invariant with them."""

import logging
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from merge_snli.base.arrays import Floats32
from merge_snli.models.runner import checks, packed_linear
from merge_snli.models.runner.packed_linear import PackedLinear, pack, pack_layer

HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]

needs_onednn = pytest.mark.skipif(not HAS_ONEDNN, reason="this torch has no oneDNN")


def two_layers(dtype: torch.dtype = torch.float32, *, bias: bool = True) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(48, 96, bias=bias), nn.Tanh(), nn.Linear(96, 24, bias=bias)).to(dtype).eval()


@pytest.fixture(autouse=True)
def nothing_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_linear, "_TESTED", {})


def nothing() -> Floats32:
    return np.zeros(1, np.float32)


Forward = Callable[[PackedLinear, torch.Tensor], torch.Tensor]
PLAIN: Forward = PackedLinear.forward


def packed_layers(model: nn.Module) -> int:
    return sum(isinstance(module, PackedLinear) for module in model.modules())


@needs_onednn
@pytest.mark.parametrize("bias", [True, False])
def test_outputs_match_the_plain_layers(bias: bool) -> None:
    model = two_layers(bias=bias)
    rows = torch.randn(5, 7, 48)
    with torch.inference_mode():
        expected = model(rows)
        assert pack(model, lambda: model(rows).numpy())
        assert packed_layers(model) == 2
        torch.testing.assert_close(model(rows), expected, atol=1e-5, rtol=1e-5)


@needs_onednn
def test_bfloat16_stays_bfloat16() -> None:
    model = two_layers(torch.bfloat16)
    rows = torch.randn(5, 48).bfloat16()
    with torch.inference_mode():
        try:
            layer = nn.Linear(48, 96).bfloat16()
            pack_layer(layer)
            layer(rows)
        except RuntimeError as error:
            pytest.skip(f"oneDNN does not support bfloat16 on this CPU: {error}")
        expected = model(rows)
        pack(model, lambda: model(rows).float().numpy())
        assert packed_layers(model) == 2
        assert model(rows).dtype == torch.bfloat16
        torch.testing.assert_close(model(rows), expected, atol=2e-2, rtol=2e-2)


@needs_onednn
def test_rows_of_a_batch_invariant_model_do_not_depend_on_the_batch() -> None:
    model = two_layers()
    rows = torch.randn(600, 48)
    with torch.inference_mode():
        assert pack(model, lambda: model(rows).numpy())
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
    rows = torch.randn(600, 48)
    assert not pack(model, lambda: model(rows).detach().numpy())
    assert packed_layers(model) == packed


@needs_onednn
def test_few_rows_are_filled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    product = PackedLinear._product

    def blocked(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        """Rows depend on their number if there are fewer than 300, as in bfloat16 on some processors."""
        return product(layer, rows) * (1 + 1e-6 * (len(rows) < 300))

    monkeypatch.setattr(PackedLinear, "_product", blocked)
    model = two_layers()
    rows = torch.randn(600, 48)
    with torch.inference_mode():
        assert pack(model, lambda: model(rows).numpy()) == 384
        whole = model(rows)
        for count in (1, 2, 33, 299, 384, 500):
            assert torch.equal(model(rows[:count]), whole[:count])
        assert torch.equal(model(rows[:60].view(5, 12, 48)), whole[:60].view(5, 12, 24))


@needs_onednn
def test_model_that_reads_weights_directly_is_unpacked(caplog: pytest.LogCaptureFixture) -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return rows @ self.layer.weight[:4].T

    model = Reader().eval()
    rows = torch.randn(3, 8)
    weights = model.layer.weight.detach().clone()
    expected = model(rows).detach()
    with caplog.at_level(logging.INFO, logger=checks.__name__):
        assert not pack(model, lambda: model(rows).detach().numpy())
    assert "does not suit" in caplog.text
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

    other = Other().eval()
    ids = torch.tensor([[1, 2, 3]])
    assert not pack(other, lambda: other(ids).detach().numpy())
    assert packed_layers(other) == 1
    assert not pack(nn.Sequential(nn.Conv1d(2, 2, 1), nn.Linear(2, 2)), nothing)
    assert pack(nn.Sequential(nn.Embedding(9, 48), two_layers()), nothing)
    assert not pack(nn.Sequential(nn.Embedding(9, 48)), nothing)


@needs_onednn
def test_few_rows_are_tested_for_a_head_with_many_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[int] = []

    def counting(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        tested.append(len(rows))
        return PLAIN(layer, rows)

    monkeypatch.setattr(PackedLinear, "forward", counting)
    monkeypatch.setattr(packed_linear, "MAX_TESTED_OUTPUTS", 1_000)
    assert pack(nn.Sequential(nn.Linear(8, 100)).eval(), nothing)
    assert max(tested) == 8
    tested.clear()
    assert pack(nn.Sequential(nn.Linear(8, 100)).eval(), nothing)
    assert not tested, "the same kernel"


@needs_onednn
def test_nothing_is_packed_without_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops, "mkldnn", object())
    model = two_layers()
    assert not pack(model, nothing)
    assert packed_layers(model) == 0
