"""Progress bars of a run's stages, and a summary of their times."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SECONDS_WITH_TENTHS = 100
"""Times above this are shown in whole seconds."""


@dataclass
class Stage:
    """One stage of a run.

    Attributes:
        name: The name of the stage.
        unit: The unit that it counts.
        bar: The progress bar, which is shown only on a terminal.
        done: Number of units done.
        seconds: Duration of the stage.
    """

    name: str
    unit: str
    bar: tqdm[Any]
    done: int = 0
    seconds: float = 0.0

    def advance(self, units: int) -> None:
        """Add units to those that are done."""
        self.done += units
        self.bar.update(units)


class Progress:
    """The stages of a run.

    Attributes:
        stages: The stages that have started, in order.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        """Start without stages.

        Args:
            quiet: Show no bars. Without a terminal on standard error none are shown in any case.
        """
        self.stages: list[Stage] = []
        self._quiet = quiet

    @contextmanager
    def stage(self, name: str, *, unit: str, total: int | None = None) -> Iterator[Stage]:
        """Time a stage and show its progress bar.

        Args:
            name: The name of the stage.
            unit: The unit that it counts.
            total: Number of units; None if unknown.
        """
        start = time.monotonic()
        with tqdm(total=total, desc=name, unit=f" {unit}", disable=True if self._quiet else None) as bar:
            stage = Stage(name, unit, bar)
            self.stages.append(stage)
            try:
                yield stage
            finally:
                stage.seconds = time.monotonic() - start

    def __str__(self) -> str:
        """Return one line per stage: its name, duration and number of units."""
        width = max((len(stage.name) for stage in self.stages), default=0)
        return "\n".join(
            f"{stage.name:{width}}  {_seconds(stage.seconds):>8} s  {stage.done:>10,} {stage.unit}"
            for stage in self.stages
        )


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f}" if seconds < MAX_SECONDS_WITH_TENTHS else f"{seconds:,.0f}"
