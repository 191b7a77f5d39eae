"""Evaluate pattern accuracy while transformers' Trainer fine-tunes a classifier."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from merge_snli.answers.answers import Predicted
from merge_snli.answers.joining import align
from merge_snli.answers.part import part_of_data
from merge_snli.answers.reading import read_config
from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError, param
from merge_snli.base.option import require_at_least
from merge_snli.base.typed import typed
from merge_snli.dataset.label_spellings import INFER
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.models.labels import compared_labels, find_model_labels, labels_on, positions
from merge_snli.models.runner.loading import output_names
from merge_snli.results.measure import scores
from merge_snli.schema import ALL

TOKENS_PER_BATCH = 4096


class PatternAccuracyCallback(TrainerCallback):
    """Evaluates a classifier on a MERGE data set every few steps, when the Trainer evaluates, and after the training.

    The scores go through `Trainer.log`, and so to every tracker of the Trainer: `eval_pattern_accuracy` (PA(0.9)),
    `eval_variant_accuracy`, `eval_seed_accuracy` and `eval_qt`. They are among the metrics of `Trainer.evaluate`, so
    `metric_for_best_model="pattern_accuracy"` selects the best checkpoint and stops early.

        trainer.add_callback(PatternAccuracyCallback(trainer, "demo:dataset", every=100, limit_seeds=50))
    """

    @typed
    def __init__(
        self,
        trainer: Trainer,
        dataset: str | Path | MergeDataset,
        *,
        config: str = ALL,
        every: int = 500,
        limit_seeds: int | None = 100,
        subsample: int = 0,
        model_labels: Sequence[str] | str | None = None,
    ) -> None:
        """Read the data set.

        Args:
            trainer: The Trainer, with a tokenizer as its `processing_class` or in its data collator.
            dataset: Folder or Hub id of a MERGE data set.
            config: `all` or a word class.
            every: Number of steps from one evaluation to the next.
            limit_seeds: Number of seeds; None for all.
            subsample: The subsample whose variants are used.
            model_labels: The label of each output, in order, unless the model's config names them.

        Raises:
            InputError: If the data set cannot be used, a number is out of range, the labels are unknown, or the Trainer
                has no tokenizer.
        """
        require_at_least("every", every, 1)
        opened = dataset if isinstance(dataset, MergeDataset) else find_dataset(str(dataset))
        self._data = part_of_data(read_config(opened, config), limit_seeds=limit_seeds, subsample=subsample)
        self._trainer = trainer
        self._every = every
        self._scores: tuple[int, dict[str, float]] | None = None
        self._tokenizer: Any = trainer.processing_class or getattr(trainer.data_collator, "tokenizer", None)
        if self._tokenizer is None:
            raise InputError("the Trainer has no tokenizer: pass Trainer(…, processing_class=tokenizer)")
        self._model = cast("Any", trainer.model)  # typed as Module | None
        names = output_names(self._model.config)
        called = "the Trainer's model"
        labels, origin = find_model_labels(names, given=model_labels, model=called)
        data_labels = self._data.label_names
        self._labels = labels_on(labels, data_labels, origin=origin, config_names=names, model=called)
        if not self._labels:
            raise InputError(
                f"{param('model_labels', INFER)} is not possible while a model is trained: give the labels"
            )

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,  # noqa: ANN401 - what else the Trainer passes
    ) -> None:
        """Go before callbacks that read metrics, such as `EarlyStoppingCallback`."""
        callbacks = self._trainer.callback_handler.callbacks
        callbacks.remove(self)
        callbacks.insert(0, self)
        self._scores = None

    def on_step_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,  # noqa: ANN401 - what else the Trainer passes
    ) -> None:
        """Evaluate every few steps."""
        if state.global_step % self._every == 0:
            self._scores_at(state.global_step)

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,  # noqa: ANN401 - what else the Trainer passes
    ) -> None:
        """Add the scores to the metrics, from which the Trainer selects the best checkpoint."""
        kwargs["metrics"].update(self._scores_at(state.global_step))

    def on_train_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,  # noqa: ANN401 - what else the Trainer passes
    ) -> None:
        """Evaluate the trained model."""
        if args.load_best_model_at_end:  # its weights are not those of the last step
            self._scores = None
        self._scores_at(state.global_step)

    def _scores_at(self, step: int) -> dict[str, float]:
        """Return the scores of the model as it is at a step; log them if they are new."""
        if self._scores is None or self._scores[0] != step or not self._trainer.is_in_train:
            self._scores = step, self._evaluate()
            self._trainer.log({**self._scores[1]})
        return self._scores[1]

    def _evaluate(self) -> dict[str, float]:
        data = self._data
        compared = compared_labels(self._labels, data.label_names)
        predicted = np.array(positions(self._labels, compared))[self._best_outputs()]
        measured = scores(align(data, Predicted(predicted), compared), intervals=False)
        values = {
            "eval_pattern_accuracy": measured.pattern_accuracy.mean,
            "eval_variant_accuracy": measured.sample_accuracy.mean,
            "eval_seed_accuracy": measured.seed_accuracy,
            "eval_qt": measured.qt,
        }
        return {name: value for name, value in values.items() if value is not None}

    def _best_outputs(self) -> Ints:
        """Return the number of the most probable output of each pair, [n_pairs]; long pairs are truncated."""
        model = self._model
        premises, hypotheses = zip(*self._data.pairs, strict=True)
        encoded = self._tokenizer(list(premises), list(hypotheses), truncation=True)
        lengths = list(map(len, encoded["input_ids"]))
        best = np.zeros(len(lengths), dtype=np.int64)
        training = model.training
        model.eval()
        try:
            with torch.no_grad():
                for batch in _batches(lengths):
                    rows = {name: [values[pair] for pair in batch] for name, values in encoded.items()}
                    inputs = self._tokenizer.pad(rows, return_tensors="pt").to(model.device)
                    best[batch] = model(**inputs).logits.argmax(dim=-1).cpu().numpy()
        finally:
            model.train(training)
        return best


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Divide pairs into batches of similar lengths, of at most `TOKENS_PER_BATCH` tokens with padding."""
    batches: list[list[int]] = [[]]
    for pair in sorted(range(len(lengths)), key=lambda pair: -lengths[pair]):
        if batches[-1] and lengths[batches[-1][0]] * (len(batches[-1]) + 1) > TOKENS_PER_BATCH:
            batches.append([])
        batches[-1].append(pair)
    return batches
