"""Estimate a reproduction without making it: downloads, forms, pairs, and hours from a short trial."""

import timeit
import tomllib
from functools import cache
from importlib.resources import files

from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import find_device
from merge_snli.paper.reproduction.run import PaperRun, missing_packages

# Mean number of tokens of a form of SNLI test, and of a problem of it.
TOKENS_PER_FORM, TOKENS_PER_PAIR = 14, 23

BYTES_PER_PARAMETER, GB = 4, 1e9

TRIAL_SEQUENCES, TRIAL_TOKENS, TRIAL_WIDTH, TRIAL_RUNS = 64, 16, 768, 3


@cache
def shapes() -> dict[str, dict[str, int]]:
    """Return layers, width, inner width, vocabulary and parameters of known models, by Hub id or `demo:NAME`."""
    content = files("merge_snli.paper.reproduction").joinpath("models.toml").read_text(encoding="utf-8")
    return tomllib.loads(content)


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


def estimate(run: PaperRun) -> Table:
    """Estimate a run: what `PaperRun.work` does, and downloads and time of the models.

    The time of a model is its operations at the speed of one layer on this machine.

    Args:
        run: The run.

    Raises:
        InputError: If the problems cannot be read.
    """
    device = find_device(run.model_options.device)
    speed = operations_per_second(device)
    title, forms, pairs, others = run.work()
    inputs = [(name, "forms", forms, TOKENS_PER_FORM) for name in run.masked_lms]
    inputs += [(name, "pairs", pairs, TOKENS_PER_PAIR) for name in run.scored_models]
    rows, total = [], 0.0
    for name, unit, number, tokens in inputs:
        shape = shapes()[name]
        head = 2 * shape["width"] * shape["vocabulary"] if unit == "forms" else 0
        per_token = operations(shape["layers"], shape["width"], shape["inner"])
        seconds = number * (tokens * per_token + head) / speed
        total += seconds
        size = None if embedded_path(name) else shape["parameters"] * BYTES_PER_PARAMETER / GB
        rows.append((name.rpartition("/")[2], number, unit, shape["parameters"] / 1e6, size, format_duration(seconds)))
    missing = missing_packages(run)
    download = sum(row[4] or 0 for row in rows)
    return Table(
        title=title,
        columns=(
            Column("model", "left"),
            Column("number"),
            Column("of", "left"),
            Column("parameters, M", format=",.0f"),
            Column("download, GB", format=",.2f"),
            Column("time"),
        ),
        rows=(*rows, ("other steps", None, None, None, None, format_duration(others))),
        notes=(
            f"Total: about {format_duration(total + others)} on this machine ({device}, "
            f"{speed / 1e9:,.0f} GFLOP/s in a trial), and {download:,.1f} GB to download if nothing is cached.",
            "Pairs: as many as in the paper, in proportion to the problems. Downloads: 4 bytes per parameter.",
            *(f"{line}." for line in missing),
            "Nothing was written.",
        ),
    )
