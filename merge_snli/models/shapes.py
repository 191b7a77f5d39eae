"""The shapes of known models, and the time that models of these shapes take on this machine."""

import timeit
from functools import cache

from merge_snli.base.files import toml_beside

# A download has 4 bytes of each parameter.
BYTES_PER_PARAMETER, GB = 4, 1e9

TRIAL_SEQUENCES, TRIAL_TOKENS, TRIAL_WIDTH, TRIAL_RUNS = 64, 16, 768, 3


@cache
def shapes() -> dict[str, dict[str, int]]:
    """Return layers, width, inner width, vocabulary and parameters of known models, by Hub id or `demo:NAME`."""
    return toml_beside(__file__)


def operations_of(name: str, tokens: float, *, masked_lm: bool) -> float:
    """Return the floating-point operations for one input of a known model, without the embeddings.

    Args:
        name: The model, one of `shapes`.
        tokens: The number of its tokens.
        masked_lm: Whether the head over the vocabulary is applied to one of them.
    """
    shape = shapes()[name]
    head = 2 * shape["width"] * shape["vocabulary"] if masked_lm else 0
    return tokens * operations(shape["layers"], shape["width"], shape["inner"]) + head


def operations(layers: int, width: int, inner: int) -> int:
    """Return the floating-point operations per token, without the embeddings and the head.

    Args:
        layers: Number of layers.
        width: Size of the hidden states.
        inner: Size of the feed-forward layers.
    """
    return 2 * layers * width * (4 * width + 2 * inner)


def operations_per_second(device: str) -> float:
    """Time a layer of the size of BERT-base on some sentences; the fastest of a few runs counts.

    Args:
        device: The torch device.
    """
    import torch

    layer = torch.nn.TransformerEncoderLayer(TRIAL_WIDTH, 12, 4 * TRIAL_WIDTH, batch_first=True).to(device).eval()
    states = torch.zeros(TRIAL_SEQUENCES, TRIAL_TOKENS, TRIAL_WIDTH, device=device)
    with torch.inference_mode():
        times = timeit.repeat(lambda: layer(states).sum().item(), number=1, repeat=TRIAL_RUNS)
    return TRIAL_SEQUENCES * TRIAL_TOKENS * operations(1, TRIAL_WIDTH, 4 * TRIAL_WIDTH) / min(times)
