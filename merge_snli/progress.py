"""Progress of a run: a bar a stage with rate and time left, and what each stage took, for the summary at the end."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Iterator

TENTHS_BELOW = 100
"""Seconds are told with their tenths below that many."""


@dataclass
class Stage:
    """One stage of a run.

    Attributes:
        name: What it does.
        unit: What it counts.
        bar: Its bar, which is drawn on a terminal only.
        done: How many units it did.
        seconds: What it took.
    """

    name: str
    unit: str
    bar: tqdm[Any]
    done: int = 0
    seconds: float = 0.0

    def advance(self, units: int) -> None:
        """Count units as done."""
        self.done += units
        self.bar.update(units)


class Progress:
    """The stages of one run in their order.

    Attributes:
        stages: Those that began.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        """Begin.

        Args:
            quiet: Draw no bars; where standard error is no terminal there are none anyway.
        """
        self.stages: list[Stage] = []
        self._quiet = quiet

    @contextmanager
    def stage(self, name: str, *, unit: str, total: int | None = None) -> Iterator[Stage]:
        """Time a stage and draw its bar, with its rate and the time that is left.

        Args:
            name: What the stage does.
            unit: What is counted.
            total: How many units there are, None where that is not known.
        """
        begun = time.monotonic()
        with tqdm(total=total, desc=name, unit=f" {unit}", disable=True if self._quiet else None) as bar:
            stage = Stage(name, unit, bar)
            self.stages.append(stage)
            try:
                yield stage
            finally:
                stage.seconds = time.monotonic() - begun

    def __str__(self) -> str:
        """Return in one line a stage what was done and how long it took."""
        width = max((len(stage.name) for stage in self.stages), default=0)
        return "\n".join(
            f"{stage.name:{width}}  {_seconds(stage.seconds):>8} s  {stage.done:>10,} {stage.unit}"
            for stage in self.stages
        )


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f}" if seconds < TENTHS_BELOW else f"{seconds:,.0f}"
