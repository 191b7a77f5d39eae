"""Run a model: how many tokens fit into a batch, to which length inputs are padded, and the last layer on one token."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from merge_snli.base.errors import InputError, param

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    Numbers = TypeVar("Numbers", torch.Tensor, NDArray[np.float32])

In = TypeVar("In")
Out = TypeVar("Out")

logger = logging.getLogger(__name__)

# Batches of this many tokens keep two cores busy and fit into their caches.
TOKENS_PER_BATCH = 512

# On a GPU. Larger batches are slower, since filling up the last batch of each length costs more than they gain.
TOKENS_PER_GPU_BATCH = 4_096

# The smallest batch size at which a batch-invariant model gives the same bits; a batch of one may be summed
# in another order.
MIN_INVARIANT_SIZE = 2

# Batch sizes compared to decide whether a model is batch-invariant.
TESTED_SIZES = (2, 3, 4, 7, 16)

SHARE_OF_FREE_MEMORY = 0.5

# Parts of the messages of torch's plain `RuntimeError`s when memory runs out, for example on the CPU.
OUT_OF_MEMORY_MESSAGES = ("out of memory", "not enough memory", "can't allocate memory")

# Tokenizers without a `model_max_length` report a number above this one; more lengths than this are all lengths.
UNLIMITED = 10**9

# One token per sentence, as an index into (batch, tokens): row and position, each of shape (batch,).
TokenIndex = tuple["torch.Tensor", "torch.Tensor"]

# Errors of the libraries if a model's files are damaged or inconsistent, or a fast path does not suit the model.
FAILURES = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    ImportError,
    RuntimeError,
    ArithmeticError,
    AssertionError,
)

# Tolerance for float32, relative to the largest value; bfloat16 deviates by about 1e-2.
FLOAT32_NOISE = 1e-4


class Batches:
    """Runs a model over inputs of one length in batches, and remembers how many tokens per batch fit into memory.

    If rounding depends on the batch size, every batch of a length is padded to the same number of rows, so that the
    output for an item does not depend on the other items. This holds until memory runs out: halving the tokens per
    batch changes the batch size of all lengths, so later outputs may differ in the last bits.
    """

    def __init__(self, model: str, item: str, tokens: int = TOKENS_PER_BATCH, *, batch_invariant: bool = False) -> None:
        """Start with full batches.

        Args:
            model: The model as messages name it, for example `masked LM roberta-base`.
            item: What messages call one input: `form` or `pair`.
            tokens: Maximum tokens per batch; a longer item gets a batch of its own.
            batch_invariant: Whether the model gives the same bits at every batch size from `MIN_INVARIANT_SIZE` on.
        """
        self._model = model
        self._item = item
        self._tokens = tokens
        self._batch_invariant = batch_invariant

    def size(self, length: int) -> int:
        """Return the batch size for items of `length` tokens."""
        return max(1, self._tokens // length)

    def rows(self, items: int, length: int) -> int:
        """Return the number of rows in the batches of some items of `length` tokens, with the rows that pad them."""
        full = self.size(length)
        last = items % full
        least = min(MIN_INVARIANT_SIZE, full) if self._batch_invariant else full
        return items + max(0, least - last) if last else items

    def run(self, step: Callable[[Sequence[In]], Sequence[Out]], items: Sequence[In], length: int) -> list[Out]:
        """Run `step` over the items in batches; if memory runs out, halve the batch size and retry.

        Args:
            step: Computes the outputs of one batch.
            items: Forms or pairs that all have the same number of tokens.
            length: That number.

        Returns:
            The outputs of `step`, in the order of the items.
        """
        outputs: list[Out] = []
        while len(outputs) < len(items):
            full = self.size(length)
            batch = items[len(outputs) : len(outputs) + full]
            padded = [*batch, *[batch[0]] * (self.rows(len(batch), length) - len(batch))]
            try:
                outputs.extend(step(padded)[: len(batch)])
                continue
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
            # Outside the handler: its traceback would keep the failed batch in memory.
            self._halve(length)
        return outputs

    def _halve(self, length: int) -> None:
        import torch

        size = self.size(length)
        if size == 1:
            raise InputError(
                f"out of memory at batch size 1: {self._model}, 1 {self._item} of {length} tokens; free some memory, "
                f"or use {param('device', 'cpu')}, {param('dtype', 'bfloat16')} or a smaller model"
            )
        self._tokens = size // 2 * length
        logger.warning(
            "out of memory: %s continues with a batch size of %d for %ss of %d tokens",
            self._model,
            size // 2,
            self._item,
            length,
        )
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def is_batch_invariant(run: Callable[[int], NDArray[np.float32]], sizes: Sequence[int] = TESTED_SIZES) -> bool:
    """Return whether a model gives the same bits at several batch sizes.

    Args:
        run: Runs the model on a batch of the given size, which begins with the inputs of the smaller batches; returns
            one row per input.
        sizes: The sizes, the largest last.
    """
    largest = run(sizes[-1])
    return all(run(size).tobytes() == largest[:size].tobytes() for size in sizes)


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error of torch or Python means that memory ran out."""
    return isinstance(error, MemoryError) or any(words in str(error) for words in OUT_OF_MEMORY_MESSAGES)


def tokens_per_batch(device: str, run: Callable[[], object], tokens: int) -> int:
    """Return the maximum number of tokens per batch on a device.

    Args:
        device: A torch device such as `cpu`, `cuda` or `cuda:1`.
        run: Runs a trial batch on the device.
        tokens: The number of tokens of that batch.

    Returns:
        On a GPU, the largest power of two, up to `TOKENS_PER_GPU_BATCH`, that fits into half of the free memory,
        estimated from the trial; `TOKENS_PER_BATCH` otherwise.
    """
    import torch

    if not device.startswith("cuda"):
        return TOKENS_PER_BATCH
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    run()
    used = max(1, torch.cuda.max_memory_allocated(device) - before)
    free, _ = torch.cuda.mem_get_info(device)
    fit = int(free * SHARE_OF_FREE_MEMORY / used * tokens)
    return min(TOKENS_PER_GPU_BATCH, 1 << max(fit, 1).bit_length() - 1)


def padded_length(tokens: int, *, lengths_per_doubling: int, batch_tokens: int, max_length: int | None) -> int:
    """Return the length to which a pair of `tokens` tokens is padded, or `tokens` if it is not padded.

    It depends on the pair's own length and on the model, never on other pairs, since padding changes the last bits of
    logits.

    Args:
        tokens: Number of tokens of the pair.
        lengths_per_doubling: Number of padded lengths from one power of two to the next. Pairs of fewer than twice as
            many tokens are not padded.
        batch_tokens: Maximum number of tokens per batch. If two padded pairs do not fit, pairs are not padded.
        max_length: Maximum number of tokens per pair, or None if there is no limit.
    """
    step = (1 << max(tokens, 1).bit_length() - 1) // lengths_per_doubling
    if step <= 1:
        return tokens
    padded = (tokens // step + 1) * step
    fits = max_length is None or padded <= max_length
    return padded if fits and 2 * padded <= batch_tokens else tokens


def max_length(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """Return the maximum number of tokens per input, special tokens included, or None if there is no limit.

    The limit is the smaller of the tokenizer's `model_max_length` and the number of usable position embeddings.
    RoBERTa-like models number positions from `padding_idx + 1`, so only 512 of their 514 embeddings are usable.

    Args:
        model: A loaded model.
        tokenizer: Its tokenizer.
    """
    limits = [tokenizer.model_max_length]
    positions = getattr(model.config, "max_position_embeddings", None) or 0
    if positions > 0:
        limits.append(positions - _unused_positions(model))
    limit = min(limits)
    return int(limit) if limit < UNLIMITED else None


def _unused_positions(model: PreTrainedModel) -> int:
    embeddings = [module for name, module in model.named_modules() if name.endswith("position_embeddings")]
    padding = [index for module in embeddings if (index := getattr(module, "padding_idx", None)) is not None]
    return max(padding, default=-1) + 1


def last_attention(model: PreTrainedModel) -> torch.nn.Module | None:
    """Return the attention module of the last layer, or None if the layers are not built as in BERT or RoBERTa."""
    from torch.nn import ModuleList

    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    return getattr(layers[-1], "attention", None) if isinstance(layers, ModuleList) and len(layers) else None


@contextmanager
def select_after_attention(attention: torch.nn.Module | None, tokens: TokenIndex) -> Iterator[None]:
    """Pass only one token per sentence on from the attention of the last layer, inside the block.

    The encoder then returns hidden states of shape (batch, 1, width). Not every model supports this: compare its
    outputs first.

    Args:
        attention: The result of `last_attention`; if None, nothing changes.
        tokens: The tokens to keep.
    """
    if attention is None:
        yield
        return

    def select(_module: torch.nn.Module, _inputs: Any, outputs: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
        hidden_states, *others = outputs
        return hidden_states[tokens][:, None], *others

    handle = attention.register_forward_hook(select)
    try:
        yield
    finally:
        handle.remove()


def outputs_match(fast: Callable[[], Numbers], plain: Callable[[], Numbers], noise: float = FLOAT32_NOISE) -> bool:
    """Return whether a fast path computes the same values as the plain one, up to rounding; False if it fails.

    Args:
        fast: Computes values of any shape on the fast path.
        plain: Computes the expected values, of the same shape.
        noise: Tolerance, relative to the largest expected value.
    """
    try:
        actual, expected = fast(), plain()
        return bool(abs(actual - expected).max() <= noise * abs(expected).max())
    except FAILURES as error:
        logger.info("a fast path does not suit the model: %s", error)
        return False
