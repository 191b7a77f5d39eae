"""The training loop: resumed training gives the same weights, learning rates, batches."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification

from training import loop
from training.finetuning.data import epoch_batches
from training.loop import LoopRecipe, batches_of, rate_at, train

RECIPE = LoopRecipe(steps=6, learning_rate=1e-2, batch_size=2, seed=5, head_scale=3.0)


def tiny_model() -> BertForSequenceClassification:
    torch.manual_seed(0)
    config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    return BertForSequenceClassification(config)


def trained(checkpoint: Path, stop_at: int | None = None) -> BertForSequenceClassification:
    model = tiny_model()

    def loss_of(step: int, items: list[int]) -> torch.Tensor:
        if step == stop_at:
            raise KeyboardInterrupt
        ids = torch.full((2, 3), items[0] + step + 1)
        loss: torch.Tensor = model(input_ids=ids, labels=torch.tensor([step % 2, 0])).loss
        return loss

    train(model, loss_of, batches_of([3, 3, 3, 3], [1.0] * 4, RECIPE), RECIPE, checkpoint)
    return model


@pytest.mark.usefixtures("one_thread")
def test_resumed_training_gives_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SAVE_EVERY", 2)
    whole = trained(tmp_path / "whole.pt")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "broken.pt", stop_at=5)
    resumed = trained(tmp_path / "broken.pt")
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], value, rtol=0, atol=0)


def test_learning_rates_have_warmup_and_decay() -> None:
    recipe = LoopRecipe(steps=100, learning_rate=1.0, batch_size=1, warmup=0.1)
    rates = [rate_at(step, recipe) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[9] == 1.0
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == pytest.approx(1 / 90)


def test_the_batches_are_those_of_the_epochs_one_after_another() -> None:
    lengths, shares = [length % 7 for length in range(50)], [1.0] * 25 + [0.5] * 25
    recipe = LoopRecipe(steps=20, learning_rate=1.0, batch_size=8, seed=1)
    epochs = [epoch_batches(lengths, shares, 8, seed=1, epoch=epoch) for epoch in range(3)]
    batches = [batch for epoch in epochs for batch in epoch]
    assert list(islice(batches_of(lengths, shares, recipe), len(batches))) == batches
    assert epochs[0] != epochs[1]
    assert max(map(len, batches)) == 8


def test_an_epoch_has_each_item_at_most_once_according_to_its_share() -> None:
    batches = epoch_batches([1] * 1_000, [1.0] * 500 + [0.5] * 500, 64, seed=1, epoch=3)
    items = [item for batch in batches for item in batch]
    assert len(items) == len(set(items))
    assert set(range(500)) <= set(items)
    assert 200 < len(set(items) - set(range(500))) < 300
