"""The estimate of a dry run: forms, time and disk space of a run by step, and its text."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from merge_snli.base.hub_ids import is_cached
from merge_snli.base.progress import format_duration
from merge_snli.base.table import Cell, Column, Table
from merge_snli.embedded import embedded_path
from merge_snli.models.shapes import BYTES_PER_PARAMETER, GB, operations_of, operations_per_second, shapes

MB = 1_000_000

COLUMNS = (
    Column("step", "left"),
    Column("forms"),
    Column("refused"),
    Column("forms/s", format=",.0f"),
    Column("time"),
    Column("MB"),
    Column("download, GB", format=",.2f"),
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """The estimated work of one stage of a run; those of masked LMs alone have forms.

    Attributes:
        name: The name of its stage.
        seconds: Its time; that of a masked LM does not include loading.
        forms: Number of forms that the masked LM predicts fillers for.
        refused: Number of forms that it cannot encode.
        tokens: Mean number of tokens of a form that it can encode.
        bytes: Size of its answers.
        download: Number of bytes to download if it is not on this machine; its time then follows from its shape.
    """

    name: str
    seconds: float
    forms: int | None = None
    refused: int | None = None
    tokens: float = 0.0
    bytes: int = 0
    download: int = 0

    @property
    def row(self) -> tuple[Cell, ...]:
        """The values of `COLUMNS`."""
        duration = format_duration(self.seconds)
        if self.forms is None:
            return self.name, None, None, None, duration, None, None
        speed = self.forms / self.seconds if self.seconds else None
        download = self.download / GB if self.download else None
        return self.name, self.forms, self.refused, speed, duration, self.bytes / MB, download


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The estimated work of a run.

    Attributes:
        problems: Number of problems with a gold label; with `seeds_from`, the number of seeds.
        sampled: Number of problems in the sample whose forms were counted.
        forms: Number of distinct forms.
        device: Device of the masked LMs.
        workers: Number of processes for the other steps.
        loading: Seconds to load the libraries, the tagger and the masked LMs; one that is not on this machine takes as
            long as the mean of those that were tried.
        steps: The stages by name, in their order.
    """

    problems: int
    sampled: int
    forms: int
    device: str
    workers: int
    loading: float
    steps: Mapping[str, Step]

    @property
    def seconds(self) -> float:
        """Seconds for the whole run."""
        return self.loading + sum(step.seconds for step in self.steps.values())


def is_not_here(name: str) -> bool:
    """Return whether only the shape of a masked LM is on this machine."""
    if name not in shapes() or embedded_path(name) or Path(name).is_dir():
        return False
    return not is_cached(name, "config.json")


def steps_by_shape(names: Iterable[str], forms: int, tried: Iterable[Step], device: str) -> dict[str, Step]:
    """Estimate masked LMs from their shapes and the speed of one layer.

    Args:
        names: Masked LMs that are not on this machine.
        forms: Number of distinct forms, which are an upper bound: a tokenizer splits some words.
        tried: The steps of masked LMs that are; the largest number of tokens per form is taken.
        device: Device of the masked LMs.
    """
    longest = max(tried, key=lambda step: step.tokens)
    speed = operations_per_second(device)
    steps = {}
    for name in names:
        seconds = forms * operations_of(name, longest.tokens, masked_lm=True) / speed
        download = shapes()[name]["parameters"] * BYTES_PER_PARAMETER
        steps[name] = Step(name=name, seconds=seconds, forms=forms, refused=0, bytes=longest.bytes, download=download)
    return steps


def estimate_text(estimate: Estimate) -> str:
    """Return an estimate as a table with a row per step."""
    steps = [Step(name="loading", seconds=estimate.loading), *estimate.steps.values()]
    answers = sum(step.bytes for step in steps) / MB
    download = sum(step.download for step in steps) / GB
    processes = "" if estimate.workers == 1 else f", {estimate.workers} processes"
    notes = [
        f"Total: about {format_duration(estimate.seconds)} on this machine ({estimate.device}{processes}) and "
        f"{answers:,.1f} MB of answers, if no answers are cached."
    ]
    shown = len(COLUMNS)
    if download:
        notes.append(
            f"To download: {download:,.1f} GB. The times of these masked LMs follow from their shapes, and their forms "
            "are an upper bound: words that a tokenizer splits have none."
        )
    else:
        shown -= 1
    notes.append("Nothing was written.")
    sampled = "" if estimate.sampled == estimate.problems else f" ({estimate.sampled:,} sampled)"
    title = f"{estimate.problems:,} problems with a gold label{sampled}: about {estimate.forms:,} forms"
    rows = [step.row[:shown] for step in steps]
    return Table(title=title, columns=COLUMNS[:shown], rows=rows, notes=notes).text()
