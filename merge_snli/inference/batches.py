"""Batches: how much a model is asked at once, and what happens where memory does not suffice."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    import numpy as np
    import numpy.typing as npt

    One = TypeVar("One")
    Other = TypeVar("Other")

logger = logging.getLogger(__name__)

TOKENS_PER_BATCH = 512
"""Batches of this many tokens keep two cores busy and their caches warm."""

MAX_TOKENS_PER_BATCH = 8_192
"""More tokens make a GPU hardly faster, and the last batch of each length, which may be made up, longer."""

LEAST = 2
"""A model that is batch_invariant but for batches of one is asked for two."""

SIZES_TRIED = (2, 3, 4, 7, 16)
"""In batches of these sizes it is tried whether a model is batch_invariant."""

SHARE_OF_FREE_MEMORY = 0.5

SPOKEN_OF_MEMORY = ("out of memory", "not enough memory", "can't allocate memory")
"""How torch says that memory ran out where it raises a plain `RuntimeError`, as on the processor."""


class Batches:
    """Cuts items of one length into batches; keeps how large they may be, which falls where memory ends.

    Where a model rounds otherwise in a batch of another size, every batch of a length is made up to the same size, so
    that what is answered to an item does not depend on the others.
    """

    def __init__(self, model: str, item: str, tokens: int = TOKENS_PER_BATCH, *, batch_invariant: bool = False) -> None:
        """Begin with full batches.

        Args:
            model: What is asked, for messages, such as `masked LM roberta-base`.
            item: What it is asked about, for messages: `form` or `pair`.
            tokens: How many tokens a batch may have; an item that has more is a batch by itself.
            batch_invariant: Whether the model is known to give the same bits in batches of any size, `LEAST` at least.
        """
        self._model = model
        self._item = item
        self._tokens = tokens
        self._batch_invariant = batch_invariant

    def size(self, length: int) -> int:
        """Return how many items of `length` tokens make a batch."""
        return max(1, self._tokens // length)

    def run(self, step: Callable[[Sequence[One]], Sequence[Other]], items: Sequence[One], length: int) -> list[Other]:
        """Run `step` over the items batch by batch; where memory runs out, batches are halved and it goes on.

        Args:
            step: Answers a whole batch.
            items: Forms or pairs of the same number of tokens.
            length: That number.

        Returns:
            What `step` returned, in the order of the items.

        Raises:
            InputError: Where memory does not suffice for one item.
        """
        answers: list[Other] = []
        while len(answers) < len(items):
            full = self.size(length)
            batch = items[len(answers) : len(answers) + full]
            least = min(LEAST, full) if self._batch_invariant else full
            made_up = [*batch, *[batch[0]] * (least - len(batch))]
            try:
                answers.extend(step(made_up)[: len(batch)])
                continue
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
            # Outside the handler, whose error would keep the failed batch in memory.
            self._halve(length)
        return answers

    def _halve(self, length: int) -> None:
        size = self.size(length)
        if size == 1:
            raise InputError(
                f"memory does not suffice for {self._model} with one {self._item} of {length} tokens at a time: "
                "free some, or use --device cpu, --dtype bfloat16 or a smaller model"
            )
        self._tokens = size // 2 * length
        logger.warning(
            "memory ran out: %s goes on with %d %ss of %d tokens a batch", self._model, size // 2, self._item, length
        )
        free_unused_memory()


def is_batch_invariant(answer: Callable[[int], npt.NDArray[np.float32]]) -> bool:
    """Tell whether a model gives the same bits in batches of several sizes.

    Args:
        answer: Asks the model about the same item so many times in one batch; returns an answer a row.
    """
    most = answer(SIZES_TRIED[-1])
    return all(answer(size).tobytes() == most[:size].tobytes() for size in SIZES_TRIED)


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error of torch or Python means that memory ran out."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in SPOKEN_OF_MEMORY)


def free_unused_memory() -> None:
    """Give back what torch keeps of a GPU's memory for later."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def tokens_per_batch(device: str, run: Callable[[], int]) -> int:
    """Return how many tokens a batch may have on a device.

    Args:
        device: `cpu`, `cuda`, `cuda:1` ….
        run: Asks a trial batch there and returns how many tokens it had.

    Returns:
        On a GPU a power of two by its free memory, of which half is used at most, and by what the trial took; else
        `TOKENS_PER_BATCH`.
    """
    import torch

    if not device.startswith("cuda"):
        return TOKENS_PER_BATCH
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    tokens = run()
    taken = max(1, torch.cuda.max_memory_allocated(device) - before)
    free, _ = torch.cuda.mem_get_info(device)
    fit = int(free * SHARE_OF_FREE_MEMORY / taken * tokens)
    return min(MAX_TOKENS_PER_BATCH, 1 << max(fit, 1).bit_length() - 1)
