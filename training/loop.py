"""The training loop: deterministic batches, AdamW, warmup and decay, bfloat16 autocast, resumable checkpoints."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
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


def batches_of(lengths: list[int], shares: list[float], recipe: LoopRecipe) -> Iterator[list[int]]:
    """Yield the batches of all epochs; see `epoch_batches`."""
    for epoch in count():
        yield from epoch_batches(lengths, shares, recipe.batch_size, seed=recipe.seed, epoch=epoch)


def parameter_groups(model: nn.Module, recipe: LoopRecipe) -> list[dict[str, Any]]:
    """Group the parameters by learning rate and weight decay; biases and layer norms have no weight decay."""
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        scale = recipe.head_scale if any(module in name for module in NEW_MODULES) else 1.0
        decay = recipe.weight_decay if parameter.dim() > 1 else 0.0
        groups.setdefault((scale, decay), []).append(parameter)
    return [{"params": of_group, "scale": scale, "weight_decay": decay} for (scale, decay), of_group in groups.items()]


def rate_at(step: int, recipe: LoopRecipe) -> float:
    """Return the learning rate of a step: linear warmup, then linear decay to zero."""
    warmup_steps = max(1, round(recipe.steps * recipe.warmup))
    if step < warmup_steps:
        return recipe.learning_rate * (step + 1) / warmup_steps
    return recipe.learning_rate * (recipe.steps - step) / max(1, recipe.steps - warmup_steps)


def train(
    model: PreTrainedModel,
    loss_of: Callable[[int, list[int]], torch.Tensor],
    batches: Iterable[list[int]],
    recipe: LoopRecipe,
    checkpoint: Path,
) -> None:
    """Train a model in place, resuming from the checkpoint if it exists.

    Args:
        model: The model, in float32.
        loss_of: Returns the loss of a step with a batch; it must depend on these only.
        batches: The batch of each step, as item indices.
        recipe: The hyperparameters.
        checkpoint: The file for model and optimizer state.
    """
    optimizer = torch.optim.AdamW(parameter_groups(model, recipe), lr=recipe.learning_rate, fused=True)
    start = _resume(model, optimizer, checkpoint)
    model.train()
    # On short sentences, eager attention trains 25% faster on a CPU than the fused kernel.
    model.set_attn_implementation("eager")
    seen = 0.0
    steps = islice(enumerate(batches), start, recipe.steps)
    for step, batch in tqdm(steps, initial=start, total=recipe.steps, mininterval=5, desc="training"):
        torch.manual_seed(recipe.seed * 1_000_003 + step)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, recipe) * group["scale"]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(step, batch)
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
