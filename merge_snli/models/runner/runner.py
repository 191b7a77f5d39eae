"""Run a model on encoded inputs in batches of fixed shapes, and return what it computes shard by shard."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch

from merge_snli.base.arrays import Floats32, Ints
from merge_snli.base.errors import InputError, param, reason
from merge_snli.models.runner.encoded import MASK, Encoded, Shard
from merge_snli.models.runner.shapes import Shapes

logger = logging.getLogger(__name__)

# A shard has at least so many inputs, or is what was computed in so many seconds: the most that a crash can lose.
INPUTS_PER_SHARD, SECONDS_PER_SHARD = 2_048, 10.0

# Parts of the messages of torch's plain `RuntimeError`s when memory runs out, for example on the CPU.
OUT_OF_MEMORY_MESSAGES = ("out of memory", "not enough memory", "can't allocate memory")

# The inputs on which a model is tested when it is loaded.
FIRST_TWO = np.arange(2)

# Inputs of one padded length on the device of a model: token ids and, if it has them, mask and token types, [n,
# length], and the columns of the inputs, [n, …].
Batch: TypeAlias = dict[str, torch.Tensor]
# What a model computes for a batch: one or more tensors, each with one row per input.
Step: TypeAlias = Callable[[Batch], Sequence[torch.Tensor]]
# Some inputs, and what a model has computed for them, on its device.
Computed: TypeAlias = tuple[Ints, list[torch.Tensor]]


def make_batch(encoded: Encoded, rows: Ints, length: int, device: torch.device) -> Batch:
    """Return some inputs as a batch, padded to a length; copying to a GPU does not wait."""
    arrays = {name: values[rows] for name, values in encoded.columns.items()}
    for name in encoded.tokens:
        arrays[name] = encoded.matrix(name, rows, length)
    if encoded.pad is not None:
        arrays[MASK] = np.arange(length) < encoded.lengths[rows, np.newaxis]
    batch = {}
    for name, values in arrays.items():
        tensor = torch.from_numpy(values)
        if device.type == "cuda":
            tensor = tensor.pin_memory().to(device, non_blocking=True)
        batch[name] = tensor.to(device).long()
    return batch


def run_once(
    step: Step, encoded: Encoded, device: torch.device, rows: Ints = FIRST_TWO, *, padding: int = 0
) -> Floats32:
    """Return the first output of `step` for one batch, with some padding tokens after the longest input."""
    with torch.inference_mode():
        outputs = step(make_batch(encoded, rows, int(encoded.lengths.max()) + padding, device))
        values: Floats32 = outputs[0].cpu().numpy()
    return values


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error of torch or Python means that memory ran out."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in OUT_OF_MEMORY_MESSAGES)


@dataclass(frozen=True)
class Runner:
    """Runs a model in batches; if memory runs out, with fewer rows.

    Attributes:
        name: The model as messages name it, for example `masked LM roberta-base`.
        device: The device of the model.
        shapes: The shapes of the batches, at first of full ones.
    """

    name: str
    device: torch.device
    shapes: Shapes

    def run(self, step: Step, encoded: Encoded, rows: Ints) -> Iterator[Shard]:
        """Run a model on inputs, from the longest to the shortest.

        Args:
            step: Computes one batch.
            encoded: The inputs.
            rows: Those to run it on.

        Yields:
            Some of the rows, and the outputs of `step` for each, which do not depend on the other rows.

        Raises:
            InputError: If the model fails, there is too little memory for one input, or an output is not finite.
        """
        shard: list[Computed] = []
        start = time.monotonic()
        for batch in self._batches(step, encoded, rows):
            shard.append(batch)
            inputs = sum(len(of_batch) for of_batch, _ in shard)
            if inputs >= INPUTS_PER_SHARD or time.monotonic() - start > SECONDS_PER_SHARD:
                yield self._read(shard)
                shard = []
                start = time.monotonic()
        if shard:
            yield self._read(shard)

    def _batches(self, step: Step, encoded: Encoded, rows: Ints) -> Iterator[Computed]:
        lengths = encoded.lengths[rows]
        padded = self.shapes.padded(lengths)
        # Inputs that are not padded are not in batches with others.
        keys = 2 * padded + (padded > lengths)
        order = np.argsort(-keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order])) + 1
        for same in np.split(order, starts):
            done = 0
            while done < len(same):
                length = int(padded[same[0]])
                batch = rows[same[done : done + self.shapes.rows(length)]]
                outputs = self._compute(step, encoded, batch, length)
                if outputs is not None:
                    yield batch, outputs
                    done += len(batch)

    def _compute(self, step: Step, encoded: Encoded, rows: Ints, length: int) -> list[torch.Tensor] | None:
        """Return the outputs for a batch; None if memory runs out, after which batches are smaller."""
        try:
            with torch.inference_mode():
                filled = np.resize(rows, self.shapes.computed(len(rows), length))
                outputs = step(make_batch(encoded, filled, length, self.device))
                return [values[: len(rows)] for values in outputs]
        except (RuntimeError, IndexError, ValueError, MemoryError) as error:
            out_of_memory = is_out_of_memory(error)
            if not out_of_memory and len(rows) == 1:
                raise InputError(f"{self.name} fails on an input of {length} tokens: {reason(error)}") from error
        # Outside the handler, whose traceback would keep the failed batch in memory.
        if not out_of_memory:
            # BART takes pairs with different numbers of end tokens, which may be part of a text, only one by one.
            alone = []
            for row in np.split(rows, len(rows)):
                of_row = self._compute(step, encoded, row, length)
                if of_row is None:
                    return None
                alone.append(of_row)
            return [torch.cat(column) for column in zip(*alone, strict=True)]
        fewer = self.shapes.halve(length)
        if not fewer:
            raise InputError(
                f"out of memory at batch size 1: {self.name}, an input of {length} tokens; free some memory, or "
                f"use {param('device', 'cpu')}, {param('dtype', 'bfloat16')} or a smaller model"
            )
        message = "out of memory: %s continues with a batch size of %d for inputs of %d tokens"
        logger.warning(message, self.name, fewer, length)
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return None

    def _read(self, shard: list[Computed]) -> Shard:
        """Return the outputs of a shard, for which a GPU is waited for, and check that they are finite."""
        of_batches, outputs = zip(*shard, strict=True)
        arrays = [np.concatenate([values.cpu() for values in column]) for column in zip(*outputs, strict=True)]
        if not all(np.isfinite(values).all() for values in arrays):
            raise InputError(
                f"{self.name} returns numbers that are not finite; check its weights, or use "
                f"{param('dtype', 'float32')}"
            )
        return np.concatenate(of_batches), arrays
