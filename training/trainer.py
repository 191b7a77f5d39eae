"""Train a model with transformers' Trainer, in batches of similar lengths, resuming from the last checkpoint."""

import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from torch.utils.data import Sampler
from transformers import PreTrainedModel, Trainer, TrainingArguments
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from merge_snli.models.finding import find_device
from training.finetuning.options import Recipe

logger = logging.getLogger(__name__)

# The model inputs of an example, and its label if it has one.
Row: TypeAlias = dict[str, Any]

# The file that Trainer writes last, so that a checkpoint without it is incomplete.
TRAINER_STATE = "trainer_state.json"


class LengthSampler(Sampler[int]):
    """Yields examples so that those of a batch have similar lengths; the order depends on seed and epoch only.

    Trainer's own sampler by length depends on the state of the random generator, which a resumed run does not restore
    at the beginning of an epoch.
    """

    def __init__(self, lengths: list[int], batch_size: int, seed: int) -> None:
        """Set up the sampler.

        Args:
            lengths: The length of each example.
            batch_size: The batch size; the last batch may be smaller.
            seed: The random seed of the training run.
        """
        self._lengths = np.asarray(lengths)
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch; Trainer calls it at the beginning of each."""
        self._epoch = epoch

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        """Yield the examples of the epoch's batches; a batch with fewer examples is the last one."""
        rng = np.random.default_rng([self._seed, self._epoch])
        order = np.argsort(self._lengths + rng.random(len(self)) * 2, kind="stable").tolist()
        batches = [order[start : start + self._batch_size] for start in range(0, len(self), self._batch_size)]
        rng.shuffle(batches)
        for batch in sorted(batches, key=len, reverse=True):
            yield from batch


class LengthTrainer(Trainer):
    """A Trainer with batches of similar lengths."""

    def _get_train_sampler(self, train_dataset: Any = None) -> LengthSampler:  # noqa: ANN401 - as in Trainer
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        return LengthSampler([len(row["input_ids"]) for row in rows], self.args.train_batch_size, self.args.seed)


def rows_of(columns: Mapping[str, Any]) -> list[Row]:
    """Return what a tokenizer returned for several inputs as a row per input."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def train(
    model: PreTrainedModel,
    rows: list[Row],
    collator: Callable[[list[Row]], dict[str, Any]],
    recipe: Recipe,
    checkpoints: Path,
    *,
    seed: int,
    **more: Any,  # noqa: ANN401 - as in `TrainingArguments`
) -> Trainer:
    """Train a model in place.

    Args:
        model: The model, in float32.
        rows: The training examples.
        collator: Makes a batch of rows.
        recipe: The hyperparameters.
        checkpoints: The folder for checkpoints; training resumes from the last complete one.
        seed: The seed of the order of the examples, of dropout, and of masks.
        **more: Other arguments of Trainer, such as `bf16`.

    Returns:
        The Trainer, with the model.
    """
    arguments = TrainingArguments(
        output_dir=str(checkpoints),
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=2 * recipe.batch_size,
        weight_decay=recipe.weight_decay,
        warmup_steps=recipe.warmup,
        use_cpu=find_device(None) == "cpu",
        seed=seed,
        save_total_limit=1,
        logging_steps=100,
        report_to="none",
        **more,
    )
    if arguments.use_cpu:
        # On short sentences, eager attention trains 25% faster on a CPU than the fused kernel.
        model.set_attn_implementation("eager")
    trainer = LengthTrainer(model, arguments, train_dataset=rows, data_collator=collator)
    trainer.train(resume_from_checkpoint=last_checkpoint(checkpoints))
    return trainer


def last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint in a folder, or None."""
    complete = (path.parent for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*/{TRAINER_STATE}"))
    last = max(complete, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
    if last is None:
        return None
    logger.info("resuming from %s", last)
    return str(last)
