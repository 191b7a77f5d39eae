"""Models that give labels: a function of sentence pairs, also async such as that of a paid API, or given answers."""

import asyncio
import hashlib
import inspect
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.errors import REASON, InputError, explained
from merge_snli.base.files import disk_errors_as_input_errors, sha256_of_json
from merge_snli.base.progress import Progress
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, are_nli
from merge_snli.models.labels import ANSWERS, FUNCTION, Missing, ModelFacts, ModelLabels, Pair, Predictor
from merge_snli.models.scored_model import ScoredModel
from merge_snli.schema import NLI_LABELS

# Labels of NLI that a function may return.
FUNCTION_LABELS = (*NLI_LABELS, NOT_ENTAILMENT)

# Returns one label per (premise, hypothesis) pair: a name, its number in the data set, or None for no answer. It
# may also return, for every pair, the probabilities of the labels in the order of their numbers.
LabelFunction = Callable[[list[Pair]], Sequence[str | int | None] | Sequence[Sequence[float]] | NDArray[Any]]

# How far the probabilities of a pair may be from adding up to 1, as with half precision.
SUM_TOLERANCE = 0.01

# Number of calls at the same time by default.
CONCURRENCY = 16

# Returns the label of one (premise, hypothesis) pair: a name, its number in the data set, or None for no answer.
AsyncLabelFunction = Callable[[Pair], Awaitable[str | int | None]]

logger = logging.getLogger(__name__)


def model_from_function(
    function: LabelFunction, data_labels: Sequence[str], *, name: str | None = None, version: str | None = None
) -> ScoredModel:
    """Wrap a function from pairs to labels.

    Args:
        function: The function; it is called with up to 512 pairs at a time.
        data_labels: The data set's labels in the order of their numbers.
        name: The name to report; the function's own name by default.
        version: A version of the function. If given, its predictions are cached under name and version.
    """
    name, labels = name or function_name(function), labels_of_answers(data_labels)
    _require_one_argument(function, f"{name} must take one argument, a list of (premise, hypothesis) pairs")
    key = {"function": name, "version": version} | ({} if labels == FUNCTION_LABELS else {"labels": labels})
    return ScoredModel(
        name=name,
        revision=None,
        digest=None if version is None else sha256_of_json(key),
        labels=ModelLabels(labels, FUNCTION),
        dtype=None,
        device=None,
        versions={},
        load=lambda: LabelPredictor(partial(_predicted, function, data_labels, name), "int64", len(labels)),
    )


def _require_one_argument(function: Callable[..., object], must: str) -> None:
    with explained(TypeError, f"{must}: {REASON}"), suppress(ValueError):  # of built-in functions without a signature
        inspect.signature(function).bind([])


def labels_of_answers(data_labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that answers to data may have: for NLI four, for another task those of the data."""
    return FUNCTION_LABELS if are_nli(data_labels) else tuple(data_labels)


def model_from_answers(
    answers: Mapping[Pair, str | None],
    data_labels: Sequence[str],
    *,
    name: str,
    digest: str | None,
    versions: Mapping[str, str],
    ranked: Mapping[Pair, Sequence[float]] | None = None,
) -> ScoredModel:
    """Describe the model that gave some answers.

    Args:
        answers: A label for each pair, or None for an answer that cannot be read.
        data_labels: The data set's labels in the order of their numbers.
        name: The name to report.
        digest: What identifies the model and its prompt; None if only its name does.
        versions: Versions of the libraries that called it.
        ranked: For each pair the log-likelihood of the answer for each label of the data, if the model ranked them.
    """
    possible, likelihoods = labels_of_answers(data_labels), {} if ranked is None else ranked

    def numbers(pairs: Sequence[Pair]) -> list[Any]:
        if ranked is None:
            return [_number(answers[pair], possible) if pair in answers else Missing.NOT_PREDICTED for pair in pairs]
        return [likelihoods.get(pair, [np.nan] * len(data_labels)) for pair in pairs]

    labels = possible if ranked is None else tuple(data_labels)
    return ScoredModel(
        name=name,
        revision=None,
        digest=digest,
        labels=ModelLabels(labels, ANSWERS),
        dtype=None,
        device=None,
        versions=dict(versions),
        load=lambda: LabelPredictor(numbers, "int64" if ranked is None else "float32", len(labels)),
    )


def function_name(function: object) -> str:
    """Return the name to report for a function, or an object that can be called.

    That of a `functools.partial` has a digest of its arguments, which may be long or secret.
    """
    if isinstance(function, partial):
        return f"{function_name(function.func)}-{sha256_of_json(partial_arguments(function))[:8]}"
    return str(getattr(function, "__name__", type(function).__name__))


def partial_arguments(function: object) -> str | None:
    """Return the arguments of a `functools.partial` as text, the same in every process; None for another function."""
    if not isinstance(function, partial):
        return None
    return re.sub(" at 0x[0-9a-fA-F]+", "", repr((function.args, sorted(function.keywords.items()))))


class LabelPredictor(Predictor):
    """Gives labels, or scores that were computed elsewhere, for pairs of any length."""

    facts = ModelFacts(architecture=None, parameters=None, max_length=None)
    batch_tokens = 512

    def __init__(
        self,
        numbers: Callable[[Sequence[Pair]], list[Any] | NDArray[Any]],
        dtype: Literal["int64", "float32"],
        n_outputs: int,
    ) -> None:
        """Wrap a function from pairs to the number of each label in `labels_of_answers`, or a code of `Missing`.

        With dtype float32, it returns a list of scores for each pair.
        """
        self._numbers = numbers
        self._dtype = dtype
        self.n_outputs = n_outputs

    def predict(self, pairs: Sequence[Pair]) -> NDArray[Any]:
        """Return the number of each label or a code of `Missing`, [n]; or scores, [n, n_labels]."""
        numbers = self._numbers(pairs)
        return numbers if isinstance(numbers, np.ndarray) else np.array(numbers, dtype=self._dtype)


def _predicted(
    function: LabelFunction, data_labels: Sequence[str], name: str, pairs: Sequence[Pair]
) -> list[int] | NDArray[np.float32]:
    """Return the number of each label that a function returns, or `NO_ANSWER`; or the logarithms of probabilities."""
    returned: object = function(list(pairs))
    if not isinstance(returned, Iterable):
        raise InputError(f"{name} returned {returned!r} for {len(pairs)} pairs; it must return a list of labels")
    values = [value.tolist() if hasattr(value, "tolist") else value for value in returned]  # arrays and tensors
    if len(values) != len(pairs):
        raise InputError(f"{name} returned {len(values)} labels for {len(pairs)} pairs; it must return one per pair")
    if any(isinstance(value, list | tuple) and len(value) > 1 for value in values):
        return _log_probabilities(values, data_labels, name, pairs)
    read, labels = label_reader(data_labels, name), labels_of_answers(data_labels)
    return [_number(read(value, pair), labels) for value, pair in zip(values, pairs, strict=True)]


def _log_probabilities(
    values: Sequence[Any], data_labels: Sequence[str], name: str, pairs: Sequence[Pair]
) -> NDArray[np.float32]:
    """Return the logarithm of the probability of each label in `labels_of_answers`, [n, n_labels]."""
    labels = labels_of_answers(data_labels)
    rows = np.zeros((len(values), len(labels)))
    for row, value, pair in zip(rows, values, pairs, strict=True):
        must = (
            f"{name} returned {value!r} for {' / '.join(map(repr, pair))}; probabilities must be {len(data_labels)} "
            f"numbers from 0 that add up to 1, for {', '.join(data_labels)}"
        )
        with explained((TypeError, ValueError), must):
            shares = np.asarray(value, dtype=np.float64)
        if shares.shape != (len(data_labels),) or not (shares.min() >= 0 and abs(shares.sum() - 1) <= SUM_TOLERANCE):
            raise InputError(must)
        row[[labels.index(label) for label in data_labels]] = shares
    with np.errstate(divide="ignore"):
        return np.log(rows).astype(np.float32)


def _number(label: str | None, labels: Sequence[str]) -> int:
    return Missing.NO_ANSWER if label is None else labels.index(label)


def label_reader(data_labels: Sequence[str], name: str) -> Callable[[object, Pair], str | None]:
    """Return a function that checks what a model function returned for a pair, and returns the label or None.

    It raises `InputError` for anything else than a label, its number or None.

    Args:
        data_labels: The data set's labels in the order of their numbers.
        name: Name of the model function, for messages.
    """
    labels = labels_of_answers(data_labels)
    spelled = {label.lower(): label for label in labels}

    def read(value: object, pair: Pair) -> str | None:
        if isinstance(value, Mapping):  # as the pipelines of transformers return it
            value = value.get("label", value)
        if value is None:
            return None
        if isinstance(value, str) and value.lower() in spelled:
            return spelled[value.lower()]
        number = int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else -1
        if 0 <= number < len(data_labels):
            return data_labels[number]
        raise InputError(
            f"{name} returned {value!r} for {' / '.join(map(repr, pair))}; it must return one of "
            f"{', '.join(labels)} or a number from 0 to {len(data_labels) - 1}"
        )

    return read


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
        read: The result of `label_reader`; checks each answer before it is kept.
        name: Name of the function, for the progress.
        concurrency: Number of calls at the same time.
        journal: A file to which every answer is appended as it comes. If it exists, its pairs are not called again.

    Raises:
        InputError: If an answer is not a label, or the journal cannot be written.
        Exception: What the function raises; the answers up to then are in the journal.
    """
    _require_one_argument(function, f"{name} must take one argument, a (premise, hypothesis) pair")
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
