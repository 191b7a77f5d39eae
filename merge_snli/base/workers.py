"""Worker processes of this machine, which take the items of a stage one after another.

They are spawned, so that they are the same on every operating system, and do not import the user's main module. They
end when the process that started them ends or leaves the block, whatever they are doing.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from logging.handlers import BufferingHandler
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any

from tqdm import std

from merge_snli.base.errors import InputError
from merge_snli.base.files import ON_WINDOWS
from merge_snli.base.garbage import collect_rarely
from merge_snli.base.progress import Stage, tqdm

SECONDS_PER_POLL = 0.2

# Windows waits for at most 63 handles, of which the pool needs two.
MOST_ON_WINDOWS = 61

# The counts of the workers together: units that are done, their total, and items that are taken.
DONE, TOTAL, TAKEN = range(3)
UNKNOWN = -1

# In a worker: the counts.
_counts: list[Any] = []


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Workers:
    """Worker processes; they start with the first tasks, and stay until the end of `started`."""

    number: int
    _pool: ProcessPoolExecutor
    _counts: Any

    def run(self, work: Callable[[Stage], None], items: int, stage: Stage) -> None:
        """Do the same work in every worker, and wait until all have ended. Their warnings are logged once.

        Args:
            work: A function that can be pickled. It does the items of `next_item`, counts the units of these, and sets
                the total to that of all items.
            items: The number of items.
            stage: Receives the sum of the units, and the total.
        """
        counts = self._counts.get_obj()  # without its lock, which a killed worker may hold
        counts[:] = 0, UNKNOWN, 0
        with _inheritable():
            running = {self._pool.submit(_do, work) for _ in range(min(self.number, items))}
        logged: set[str] = set()
        while running:
            done, running = wait(running, SECONDS_PER_POLL, FIRST_EXCEPTION)
            stage.total = None if counts[TOTAL] == UNKNOWN else counts[TOTAL]
            stage.advance(counts[DONE] - stage.done)
            try:
                for task in sorted(done, key=lambda task: task.exception() is not None):  # an error is raised last
                    for record in task.result():
                        if (message := record.getMessage()) not in logged:
                            logged.add(message)
                            logging.getLogger(record.name).handle(record)
            except BrokenProcessPool as error:
                raise InputError(
                    "a worker process was killed, perhaps because memory ran out: run the same command again, with "
                    "fewer ⟦workers⟧ if so; finished work is kept"
                ) from error


@contextmanager
def started(number: int) -> Iterator[Workers]:
    """Yield workers that end with the block.

    Args:
        number: The number of processes; on Windows, there are at most 61.
    """
    number = min(number, MOST_ON_WINDOWS) if ON_WINDOWS else number
    context = get_context("spawn")
    counts = context.Array("q", 3)
    alive, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(number, context, initializer=_start, initargs=(counts, alive))
    try:
        yield Workers(number, pool, counts)
    finally:
        held.close()
        with _inheritable():  # a second Ctrl-C waits until they have ended
            pool.shutdown()
        alive.close()


@contextmanager
def _inheritable() -> Iterator[None]:
    """Give the processes that a block starts a main module without the user's script, and no Ctrl-C."""
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    set_mask = getattr(signal, "pthread_sigmask", None)  # not on Windows: its workers ignore Ctrl-C once they run
    mask = set_mask and set_mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if set_mask is not None:
            set_mask(signal.SIG_SETMASK, mask)


def _start(counts: object, alive: Connection) -> None:
    """Prepare a worker, before it imports any library: the workers together use each core once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows sends a Ctrl-C to every process of the console
    os.environ["OMP_NUM_THREADS"] = "1"
    collect_rarely()
    std.tqdm.set_lock(threading.RLock())  # that of tqdm is a semaphore, which a worker that ends would leave behind
    _counts[:] = [counts]
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive: Connection) -> None:
    """End this process when the other end of a pipe is closed."""
    with suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)


def next_item() -> int:
    """Return in a worker the number of the first item that none has taken, and take it."""
    counts = _counts[0]
    with counts.get_lock():
        counts[TAKEN] += 1
        return int(counts[TAKEN]) - 1


class _SharedStage(Stage):
    """Counts the units of all workers together."""

    def advance(self, units: int) -> None:
        """Add units to those that are done, and set the total, which is the same in all workers."""
        counts = _counts[0]
        with counts.get_lock():
            counts[DONE] += units
            counts[TOTAL] = UNKNOWN if self.total is None else self.total


def _do(work: Callable[[Stage], None]) -> list[logging.LogRecord]:
    """Work in a worker, and return the warnings."""
    log = BufferingHandler(sys.maxsize)
    logging.getLogger().handlers = [log]
    work(_SharedStage("", "", tqdm(disable=True), start=0.0))
    return log.buffer
