"""The training loop: deterministic batches, AdamW, warmup and decay, bfloat16 autocast, resumable checkpoints."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from tqdm import tqdm
from transformers import PreTrainedModel

from training.finetuning.data import epoch_batches

logger = logging.getLogger(__name__)

SAVE_EVERY = 100
LOG_EVERY = 100
NEW_MODULES = ("pooler.", "classifier.")


class BatchPlan:
    """Maps training steps to batches; epochs are created when they are needed."""

    def __init__(self, lengths: list[int], shares: list[float], size: int, seed: int) -> None:
        """Set up batches of `size` items; see `epoch_batches`."""
        self._arguments = (lengths, shares, size, seed)
        self._batches: list[list[int]] = []
        self._epoch = 0

    def __getitem__(self, step: int) -> list[int]:
        """Return the item indices of a step's batch."""
        lengths, shares, size, seed = self._arguments
        while step >= len(self._batches):
            self._batches += epoch_batches(lengths, shares, size, seed=seed, epoch=self._epoch)
            self._epoch += 1
        return self._batches[step]


@dataclass(frozen=True)
class LoopRecipe:
    """Hyperparameters of a training run.

    `head_scale` multiplies the learning rate of a new pooler and classifier.
    """

    steps: int
    learning_rate: float
    batch_size: int
    seed: int = 0
    warmup: float = 0.06
    weight_decay: float = 0.01
    head_scale: float = 1.0


def parameter_groups(model: nn.Module, recipe: LoopRecipe) -> list[dict[str, Any]]:
    """Group the parameters by learning rate and weight decay; biases and layer norms have no weight decay."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        scale = recipe.head_scale if any(part in name for part in NEW_MODULES) else 1.0
        decay = recipe.weight_decay if parameter.dim() > 1 else 0.0
        groups.setdefault((scale, decay), []).append(parameter)
    return [{"params": found, "scale": scale, "weight_decay": decay} for (scale, decay), found in groups.items()]


def rate_at(step: int, recipe: LoopRecipe) -> float:
    """Return the learning rate of a step: linear warmup, then linear decay to zero."""
    warmup_steps = max(1, round(recipe.steps * recipe.warmup))
    if step < warmup_steps:
        return recipe.learning_rate * (step + 1) / warmup_steps
    return recipe.learning_rate * (recipe.steps - step) / max(1, recipe.steps - warmup_steps)


def train(model: PreTrainedModel, loss_of: Callable[[int], torch.Tensor], recipe: LoopRecipe, checkpoint: Path) -> None:
    """Train a model in place, resuming from the checkpoint if it exists.

    Args:
        model: The model, in float32.
        loss_of: Returns the loss of a step; it must depend on the step number only.
        recipe: The hyperparameters.
        checkpoint: The file for model and optimizer state.
    """
    optimizer = torch.optim.AdamW(parameter_groups(model, recipe), lr=recipe.learning_rate, fused=True)
    start = _resume(model, optimizer, checkpoint)
    model.train()
    # On short sentences, eager attention trains 25% faster on a CPU than the fused kernel.
    model.set_attn_implementation("eager")
    seen = 0.0
    for step in tqdm(range(start, recipe.steps), initial=start, total=recipe.steps, mininterval=5, desc="training"):
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, recipe) * group["scale"]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(step)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen += loss.item()
        if (step + 1) % LOG_EVERY == 0:
            logger.info("step %d: loss %.3f", step + 1, seen / LOG_EVERY)
            seen = 0.0
        if (step + 1) % SAVE_EVERY == 0 or step + 1 == recipe.steps:
            _save(model, optimizer, step + 1, checkpoint)
    model.train(False)


def _resume(model: nn.Module, optimizer: torch.optim.Optimizer, checkpoint: Path) -> int:
    if not checkpoint.is_file():
        return 0
    state = torch.load(checkpoint, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    logger.info("resuming at step %d from %s", state["step"], checkpoint)
    return int(state["step"])


def _save(model: nn.Module, optimizer: torch.optim.Optimizer, step: int, checkpoint: Path) -> None:
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    temporary = checkpoint.with_suffix(".part")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, temporary)
    temporary.replace(checkpoint)
