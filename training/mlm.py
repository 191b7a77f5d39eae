"""Train a masked LM."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from training.batches import BatchPlan
from training.data import MNLI_DEV, SNLI_DEV, held_out_problems, training_problems, unique_sentences, with_stops
from training.loop import Recipe, train
from training.masking import IGNORED, choice_rates, mask_batch
from training.mlm_figures import forms_of, masked_lm_figures

logger = logging.getLogger(__name__)

MAX_PIECES = 64
MNLI_SHARE = 0.5


def masked_lm_sentences(data: Path) -> dict[str, float]:
    """Return the training sentences with their probabilities to be in an epoch (0.5 for MultiNLI).

    Sentences that also occur in held-out problems are excluded.
    """
    held_out = set(unique_sentences(held_out_problems(data, SNLI_DEV) + held_out_problems(data, MNLI_DEV)))
    sentences: dict[str, float] = {}
    for name, share in ((MNLI_DEV, MNLI_SHARE), (SNLI_DEV, 1.0)):
        sentences |= dict.fromkeys(with_stops(unique_sentences(training_problems(data, name))), share)
    return {sentence: share for sentence, share in sentences.items() if sentence not in held_out}


def train_masked_lm(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sentences: dict[str, float],
    recipe: Recipe,
    checkpoint: Path,
) -> None:
    """Train a masked LM in place on sentences with their probabilities to be in an epoch."""
    encodings = tokenizer.backend_tokenizer.encode_batch(list(sentences))
    pairs = [
        (np.asarray(encoding.ids), choice_rates(text, encoding), share)
        for (text, share), encoding in zip(sentences.items(), encodings, strict=True)
        if len(encoding.ids) <= MAX_PIECES
    ]
    logger.info("%d sentences of at most %d pieces", len(pairs), MAX_PIECES)
    plan = BatchPlan(
        [len(ids) for ids, _, _ in pairs], [share for _, _, share in pairs], recipe.batch_size, recipe.seed
    )
    regular = np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids)
    head = masked_lm_head(model)

    def loss_of(step: int) -> torch.Tensor:
        batch = mask_batch(
            [pairs[item][0] for item in plan[step]],
            [pairs[item][1] for item in plan[step]],
            np.random.default_rng([recipe.seed, 1, step]),
            mask_id=tokenizer.mask_token_id,
            pad_id=tokenizer.pad_token_id,
            regular=regular,
        )
        targets = torch.from_numpy(batch.targets)
        rows = targets != IGNORED
        hidden = model.base_model(
            input_ids=torch.from_numpy(batch.ids), attention_mask=torch.from_numpy(batch.attention)
        ).last_hidden_state
        return cross_entropy(head(hidden[rows]), targets[rows])

    train(model, loss_of, recipe, checkpoint)


def log_validation(folder: Path, data: Path) -> None:
    """Evaluate a masked LM on the forms of the held-out problems of SNLI dev and log the result."""
    forms = forms_of(held_out_problems(data, SNLI_DEV))
    logger.info("held-out SNLI dev: %s", masked_lm_figures(folder, forms))


def masked_lm_head(model: PreTrainedModel) -> torch.nn.Module:
    """Return the module of a masked LM that computes logits from hidden states."""
    name = "cls" if hasattr(model, "cls") else "lm_head"
    return model.get_submodule(name)
