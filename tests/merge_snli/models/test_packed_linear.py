"""Test packed linear layers: same outputs, batch invariance, and unpacking."""

from __future__ import annotations

import logging

import pytest
import torch
from torch import nn

from merge_snli.models import packed_linear
from merge_snli.models.packed_linear import PackedLinear, pack

HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]

pytestmark = pytest.mark.skipif(not HAS_ONEDNN, reason="this torch has no oneDNN")


def two_layers(dtype: torch.dtype = torch.float32, *, bias: bool = True) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(48, 96, bias=bias), nn.Tanh(), nn.Linear(96, 24, bias=bias)).to(dtype).eval()


def packed_layers(model: nn.Module) -> int:
    return sum(isinstance(module, PackedLinear) for module in model.modules())


@pytest.mark.parametrize("bias", [True, False])
def test_outputs_match_the_plain_layers(bias: bool) -> None:
    model, rows = two_layers(bias=bias), torch.randn(5, 7, 48)
    with torch.inference_mode():
        expected = model(rows)
        assert pack(model, lambda: model(rows), "m")
        assert packed_layers(model) == 2
        torch.testing.assert_close(model(rows), expected, atol=1e-5, rtol=1e-5)


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


def test_rows_of_a_batch_invariant_model_do_not_depend_on_the_batch() -> None:
    model, rows = two_layers(), torch.randn(600, 48)
    with torch.inference_mode():
        assert pack(model, lambda: model(rows), "m")
        whole = model(rows)
        for count in (2, 4, 9, 33, 100, 301, 599):
            assert torch.equal(model(rows[:count]), whole[:count])
            assert torch.equal(model(rows[-count:]), whole[-count:])


def test_rows_that_depend_on_the_batch_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PackedLinear.forward

    def rounding_by_batch_size(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        return plain(layer, rows) * (1 + 1e-6 * (len(rows) < 100))

    monkeypatch.setattr(PackedLinear, "forward", rounding_by_batch_size)
    model = two_layers()
    assert not pack(model, lambda: None, "m")
    assert packed_layers(model) == 2


def test_outputs_coarser_than_float32_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = PackedLinear.forward

    def coarse(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        return plain(layer, rows.bfloat16().float())

    monkeypatch.setattr(PackedLinear, "forward", coarse)
    model = two_layers()
    assert not pack(model, lambda: None, "m")
    assert packed_layers(model) == 0


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
    assert not pack(other, lambda: other(ids), "m")
    assert packed_layers(other) == 1
    assert not pack(nn.Sequential(nn.Conv1d(2, 2, 1), nn.Linear(2, 2)), lambda: None, "m")
    assert pack(nn.Sequential(nn.Embedding(9, 48), two_layers()), lambda: None, "m")


def test_model_without_packed_layers_is_not_batch_invariant() -> None:
    """For example an int8 model, which quantizes all rows of a batch together."""
    assert not pack(nn.Sequential(nn.Embedding(9, 48)), lambda: None, "m")


def test_few_rows_are_tested_for_a_head_with_many_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    tested: list[int] = []
    plain = PackedLinear.forward

    def counting(layer: PackedLinear, rows: torch.Tensor) -> torch.Tensor:
        tested.append(len(rows))
        return plain(layer, rows)

    monkeypatch.setattr(PackedLinear, "forward", counting)
    monkeypatch.setattr(packed_linear, "MAX_TESTED_OUTPUTS", 1_000)
    assert pack(nn.Sequential(nn.Linear(8, 100)).eval(), lambda: None, "m")
    assert max(tested) == 10


def test_nothing_is_packed_without_onednn(monkeypatch: pytest.MonkeyPatch) -> None:
    class Without:
        pass

    monkeypatch.setattr(torch.ops, "mkldnn", Without())
    model = two_layers()
    assert not pack(model, lambda: None, "m")
    assert packed_layers(model) == 0
