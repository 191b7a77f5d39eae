"""Estimate a reproduction without making it: downloads, forms, pairs, and hours from a short trial."""

import time
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from generation.dry_run import dry_run
from generation.report.paper import PROBLEMS
from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.embedded import MASKED_LMS, PREFIX, embedded_path
from merge_snli.models.finding import find_device
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.reproduction.plan import PLAIN, Reproduction
from merge_snli.reproduction.requirements import missing_packages, scored_models
from merge_snli.reproduction.simple_pair import SimplePairRun

# Mean number of tokens of a form of SNLI test, and of a problem of it.
TOKENS_PER_FORM, TOKENS_PER_PAIR = 14, 23

# The names of the sets in the paper's Figure 8, of which it gives the number of variants.
FIGURE_8 = {"union": "P∪H", "pos": "pos", "prob": "prob", "none": "none", "scrambled": "scrambled"}

BYTES_PER_PARAMETER, GB = 4, 1e9

TRIAL_SEQUENCES, TRIAL_TOKENS, TRIAL_WIDTH, TRIAL_RUNS = 64, 16, 768, 3


@dataclass(frozen=True)
class Shape:
    """The size of a model, as in `models.toml`.

    Attributes:
        layers: Number of layers.
        width: Size of the hidden states.
        inner: Size of the feed-forward layers.
        vocabulary: Number of pieces.
        parameters: Number of parameters.
    """

    layers: int
    width: int
    inner: int
    vocabulary: int
    parameters: int

    @property
    def operations(self) -> int:
        """Floating-point operations per token, without the embeddings and the head."""
        return 2 * self.layers * self.width * (4 * self.width + 2 * self.inner)


@cache
def shapes() -> dict[str, Shape]:
    """Return the shapes of the paper's models and the bundled ones, by Hub id or `demo:NAME`."""
    content = files("merge_snli.reproduction").joinpath("models.toml").read_text(encoding="utf-8")
    return {name: Shape(**values) for name, values in tomllib.loads(content).items()}


def number_of_pairs(run: Reproduction, problems: int) -> int:
    """Return how many pairs each model is asked: as many as in the paper, in proportion to the problems.

    Args:
        run: The run.
        problems: Its number of problems.
    """
    exhibits = read_paper(MERGE).exhibits
    seeds, average, *_ = map(float, exhibits["table-2"].rows["all"])
    drawn = sum(float(exhibits["figure-8"].rows[FIGURE_8[name]][0]) for name in run.sets if name != PLAIN)
    return round((seeds * average + drawn + PROBLEMS) * problems / PROBLEMS)


def operations_per_second(device: str) -> float:
    """Time a layer of the size of BERT-base on some sentences; the fastest of a few runs counts.

    Args:
        device: The torch device.
    """
    import torch

    layer = torch.nn.TransformerEncoderLayer(TRIAL_WIDTH, 12, 4 * TRIAL_WIDTH, batch_first=True).to(device).eval()
    states = torch.zeros(TRIAL_SEQUENCES, TRIAL_TOKENS, TRIAL_WIDTH, device=device)
    times = []
    with torch.inference_mode():
        for _ in range(TRIAL_RUNS):
            start = time.perf_counter()
            layer(states).sum().item()
            times.append(time.perf_counter() - start)
    shape = Shape(1, TRIAL_WIDTH, 4 * TRIAL_WIDTH, 0, 0)
    return TRIAL_SEQUENCES * TRIAL_TOKENS * shape.operations / min(times)


def estimate(run: Reproduction | SimplePairRun) -> Table:
    """Estimate a run: the forms and the time of all but the models from a sample of the problems.

    The time of a model is its operations at the speed of one layer on this machine.

    Args:
        run: The run.

    Raises:
        InputError: If the problems cannot be read.
    """
    device = find_device(run.model_options.device)
    speed, models = operations_per_second(device), scored_models(run)
    if isinstance(run, SimplePairRun):
        title, forms, pairs, others = "Simple Pair and Extended Pair", 0, run.pairs, 0.0
    else:
        bundled = tuple(PREFIX + name for name in MASKED_LMS)
        trial = dry_run(replace(run.options, mlm=bundled))
        title, forms = f"{trial.problems:,} problems, {len(run.sets)} data set(s)", trial.forms
        pairs = number_of_pairs(run, trial.problems) if models else 0
        others = trial.reading + len(run.sets) * (trial.filters * len(run.masked_lms) / len(bundled) + trial.writing)
    asked = [(name, "forms", forms, TOKENS_PER_FORM) for name in run.masked_lms]
    asked += [(name, "pairs", pairs, TOKENS_PER_PAIR) for name in models]
    rows, total = [], 0.0
    for name, unit, number, tokens in asked:
        shape = shapes()[name]
        head = 2 * shape.width * shape.vocabulary if unit == "forms" else 0
        seconds = number * (tokens * shape.operations + head) / speed
        total += seconds
        size = None if embedded_path(name) else shape.parameters * BYTES_PER_PARAMETER / GB
        rows.append((name.rpartition("/")[2], number, unit, shape.parameters / 1e6, size, format_duration(seconds)))
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
            *(f"{each}." for each in missing),
            "Nothing was written.",
        ),
    )
