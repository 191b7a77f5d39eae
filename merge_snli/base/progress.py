"""Progress of a run's stages: bars on a terminal or in a notebook, else plain lines; and a summary of their times."""

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from merge_snli.base.errors import InputError, one_line

# In a notebook without ipywidgets, tqdm.auto warns that bars are plain text.
with warnings.catch_warnings(action="ignore"):
    from tqdm.auto import tqdm as tqdm

logger = logging.getLogger(__name__)

# Time between the lines that report progress without a terminal.
SECONDS_PER_LINE = 30.0
# What often takes less time than this, in seconds, shows progress only after it.
SHOWN_AFTER = 2.0


@dataclass
class Stage:
    """One stage of a run.

    Attributes:
        name: The name of the stage.
        unit: The unit that it counts.
        bar: The progress bar, which is shown only on a terminal.
        start: When it started, in seconds of `time.monotonic`.
        done: Number of units done, without those that were cached.
        seconds: Duration of the stage.
        total: Number of units; None if unknown. It may be set, or changed, while the stage runs.
    """

    name: str
    unit: str
    bar: "tqdm[Any]"
    start: float
    done: int = 0
    seconds: float = 0.0
    total: int | None = None

    def advance(self, units: int) -> None:
        """Add units to those that are done."""
        self.done += units
        self.bar.total = self.total
        self.bar.update(units)


class Progress:
    """The stages of a run.

    Attributes:
        stages: The stages that have started, in order.
    """

    def __init__(self, *, quiet: bool = False, after: float = 0.0) -> None:
        """Start without stages.

        Args:
            quiet: Show no progress. Otherwise, bars are shown if standard error is a terminal; if not, a line is logged
                at the end of each stage and every 30 seconds.
            after: Time after which a stage is shown, in seconds; nothing is shown of one that takes less.
        """
        self.stages: list[Stage] = []
        self._quiet = quiet
        self._after = after

    @contextmanager
    def stage(self, name: str, *, unit: str, total: int | None = None, cached: int = 0) -> Iterator[Stage]:
        """Time a stage and show its progress.

        Args:
            name: The name of the stage.
            unit: The unit that it counts.
            total: Number of units; None if unknown.
            cached: Number of units that were done by an earlier run.
        """
        name = one_line(name)
        disable = True if self._quiet else None
        with tqdm(total=total, initial=cached, desc=name, unit=f" {unit}", disable=disable, delay=self._after) as bar:
            stage = Stage(name, unit, bar, time.monotonic(), total=total)
            self.stages.append(stage)
            with nullcontext() if self._quiet else _shown(stage, cached, self._after):
                try:
                    yield stage
                finally:
                    stage.seconds = time.monotonic() - stage.start

    def __str__(self) -> str:
        """Return one line per stage: its name, duration and number of units."""
        width = max((len(stage.name) for stage in self.stages), default=0)
        lines = []
        for stage in self.stages:
            unit = stage.unit.removesuffix("s") if stage.done == 1 else stage.unit
            lines.append(f"{stage.name:{width}}  {format_duration(stage.seconds):>11}  {stage.done:>10,} {unit}")
        return "\n".join(lines)


@contextmanager
def step(name: str, units: int, unit: str) -> Iterator[None]:
    """Show a stage that takes more than `SHOWN_AFTER` seconds, of which no part is known to be done before all is.

    Args:
        name: The name of the stage.
        units: Number of units.
        unit: The unit.
    """
    with Progress(after=SHOWN_AFTER).stage(name, unit=unit, total=units) as stage:
        yield
        stage.advance(units)


@contextmanager
def repeating(function: Callable[[], object], seconds: float, first: float | None = None) -> Iterator[None]:
    """Call a function regularly, in a thread, until the block ends.

    Args:
        function: The function. An error of the disk is logged, and the function is called again after the same time.
        seconds: Time from one call to the next.
        first: Time before the first call; by default the same.
    """
    stop = threading.Event()

    def run() -> None:
        wait = seconds if first is None else first
        while not stop.wait(wait):
            wait = seconds
            try:
                function()
            except (OSError, InputError) as error:
                logger.warning("%s; trying again in %s", error, format_duration(seconds))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextmanager
def _shown(stage: Stage, cached: int, after: float) -> Iterator[None]:
    """Show a stage every `SECONDS_PER_LINE`, whether or not it advances, and at its end: its bar, or lines of the log.

    Args:
        stage: The stage.
        cached: Number of units that were done by an earlier run.
        after: Seconds before it is shown first; if 0, `SECONDS_PER_LINE`.
    """

    def show() -> None:
        if not stage.bar.disable:
            stage.bar.delay = 0.0  # so that it ends with a line of its own
            stage.bar.refresh()
            return
        done = cached + stage.done
        seconds = time.monotonic() - stage.start
        unit = f" {stage.unit}"
        line = tqdm.format_meter(done, stage.total or 0, seconds, ncols=0, prefix=stage.name, unit=unit, initial=cached)
        logger.info("%s", line)

    with repeating(show, SECONDS_PER_LINE, first=after or SECONDS_PER_LINE):
        yield
    if stage.seconds >= after:
        show()


def format_duration(seconds: float) -> str:
    """Return a duration in hours and minutes, minutes and seconds, or seconds."""
    whole = round(seconds)
    hours, minutes = whole // 3_600, whole // 60 % 60
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {whole % 60:02} s" if minutes else f"{seconds:.1f} s"


@contextmanager
def without_library_bars() -> Iterator[None]:
    """Hide the progress bars of `datasets`."""
    from datasets import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    is_bar_shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        yield
    finally:
        if is_bar_shown:
            enable_progress_bars()
