"""Call an async function, such as that of a paid API, with pairs; no answer is lost if the run stops."""

import asyncio
import hashlib
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event

from merge_snli.base.files import disk_errors_as_input_errors
from merge_snli.base.progress import Progress
from merge_snli.models.function import partial_arguments
from merge_snli.models.labels import Pair

# Number of calls at the same time by default.
CONCURRENCY = 16

# Returns the label of one (premise, hypothesis) pair: a name, its number in the data set, or None for no answer.
AsyncLabelFunction = Callable[[Pair], Awaitable[str | int | None]]

logger = logging.getLogger(__name__)


def is_async(function: object) -> bool:
    """Return whether a function, or the `__call__` of an object, is async."""
    called = _without_arguments(function)
    return inspect.iscoroutinefunction(called) or inspect.iscoroutinefunction(type(called).__call__)


def journal_name(function: AsyncLabelFunction, name: str, version: str | None) -> str:
    """Return the file name of the journal of a function: another one if its name, version or arguments change."""
    key = json.dumps([name, version, partial_arguments(function)])
    return f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.jsonl"


def _code_digest(function: object) -> str:
    """Return a digest of the code of a function, or of the class of an object."""
    called = _without_arguments(function)
    code = called if inspect.isroutine(called) else type(called)
    try:
        text = inspect.getsource(code)
    except (OSError, TypeError):  # typed into an interpreter
        text = repr(getattr(called, "__code__", code))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _without_arguments(function: object) -> object:
    """Return the function of a `functools.partial`, and any other function as it is."""
    return function.func if isinstance(function, partial) else function


def call_all(
    function: AsyncLabelFunction,
    pairs: Sequence[Pair],
    *,
    read: Callable[[object, Pair], str | None],
    name: str,
    concurrency: int,
    journal: Path | None,
) -> dict[Pair, str | None]:
    """Call a function with every pair.

    Args:
        function: The function.
        pairs: Distinct pairs.
        read: The result of `merge_snli.models.function.label_reader`; checks each answer before it is kept.
        name: Name of the function, for the progress.
        concurrency: Number of calls at the same time.
        journal: A file to which every answer is appended as it comes. If it exists, its pairs are not called again.

    Raises:
        InputError: If an answer is not a label, or the journal cannot be written.
        Exception: What the function raises; the answers up to then are in the journal.
    """
    code = _code_digest(function)
    known = {} if journal is None else _read_journal(journal)
    stored = {pair: known[key] for pair in pairs if (key := _key(pair)) in known}
    answers = {pair: label for pair, (label, _) in stored.items()}
    if answers:
        other = sum(by != code for _, by in stored.values())
        before = f", {other:,} of them from before its code changed" if other else ""
        logger.warning(
            "%s: reusing %s answers in %s%s; delete it to start over",
            name,
            f"{len(answers):,}",
            journal,
            before,
        )
    missing = [pair for pair in pairs if pair not in answers]
    stop = Event()
    with (
        Progress().stage(name, unit="pairs", total=len(pairs), cached=len(answers)) as stage,
        _writer(journal, code) as keep,
    ):

        def answered(pair: Pair, answer: object) -> None:
            answers[pair] = label = read(answer, pair)
            keep(pair, label)
            stage.advance(1)

        # A thread of its own, because a notebook already runs an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            calls = thread.submit(asyncio.run, _call(function, missing, concurrency, answered, stop))
            try:
                calls.result()
            finally:
                stop.set()  # after an error or Ctrl-C, the calls under way end, because they are paid for
    return answers


async def _call(
    function: AsyncLabelFunction,
    pairs: Sequence[Pair],
    concurrency: int,
    answered: Callable[[Pair, object], None],
    stop: Event,
) -> None:
    """Call the function with the pairs until one call fails or `stop` is set; then raise the first error."""
    waiting = iter(pairs)

    async def worker() -> None:
        for pair in waiting:
            if stop.is_set():
                return
            try:
                answered(pair, await function(pair))
            except BaseException:
                stop.set()
                raise

    ended = await asyncio.gather(*(worker() for _ in range(min(concurrency, len(pairs)))), return_exceptions=True)
    for error in ended:
        if error is not None:
            raise error


def _key(pair: Pair) -> str:
    return hashlib.sha256(json.dumps(pair).encode()).hexdigest()[:32]


def _read_journal(journal: Path) -> dict[str, tuple[str | None, str]]:
    """Read the answer to each pair, and the digest of the code that gave it; a line that a crash cut off is ignored."""
    answers: dict[str, tuple[str | None, str]] = {}
    if journal.is_file():
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, TypeError):
                key, label, code = json.loads(line)
                answers[key] = label, code
    return answers


@contextmanager
def _writer(journal: Path | None, code: str) -> Iterator[Callable[[Pair, str | None], None]]:
    """Open a journal, and yield a function that appends an answer to it."""
    if journal is None:
        yield lambda pair, label: None
        return
    with disk_errors_as_input_errors(journal.parent):
        journal.parent.mkdir(parents=True, exist_ok=True)
        journal.touch()
    with journal.open("a", encoding="utf-8") as file:

        def keep(pair: Pair, label: str | None) -> None:
            with disk_errors_as_input_errors(journal.parent):
                file.write(f"\n{json.dumps([_key(pair), label, code])}")
                file.flush()

        yield keep
