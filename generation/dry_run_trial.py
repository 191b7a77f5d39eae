"""Time the steps after the masked LMs on a few problems."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pyarrow.parquet as pq

from generation.output.write_data import write_data
from generation.replacements.standalone import CLASS_FORMS, count_standalone
from generation.sentences.forms import forms_of_word
from generation.variants.variant_shards import make_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from generation.replacements.finding import MaskedLMAnswers
    from generation.sentences.tagged_shards import ProblemWords
    from generation.variants.variant_shards import Method

WARM_UP_PROBLEMS = 2
"""Number of problems that are filtered first, for the work that a run does once."""

COPIES = 8
"""Number of times that the variants are written, to tell the time per variant from the time per file."""

T = TypeVar("T")
Groups = Counter[tuple[str, str]]
"""Number of forms by word class and side."""


@dataclass(frozen=True, kw_only=True)
class TrialTimes:
    """Times of the steps on a few problems, in seconds, from which those of a run are extrapolated.

    Attributes:
        groups: The forms of these problems.
        setup: The filters on the first problems, with what a run does once.
        filters: The filters and the rows of the variants.
        standalone: Each filter on its own, on at most `CLASS_FORMS` forms per word class and side.
        writing: Writing the data set.
        writing_copies: Writing it with `COPIES` times the variants.
    """

    groups: Groups
    setup: float
    filters: float
    standalone: float
    writing: float
    writing_copies: float

    def filter_seconds(self, groups: Groups, shards: int) -> float:
        """Return the time of the filters in a run.

        Args:
            groups: The forms of the run.
            shards: The number of shards of its problems.
        """
        per_shard = Counter({group: -(-count // shards) for group, count in groups.items()})
        standalone = self.standalone * shards * _counted_alone(per_shard) / _counted_alone(self.groups)
        return self.setup + self.filters * groups.total() / self.groups.total() + standalone

    def writing_seconds(self, groups: Groups) -> float:
        """Return the time of writing the data set of a run with these forms."""
        per_copy = max(0.0, self.writing_copies - self.writing) / (COPIES - 1)
        return self.writing + per_copy * max(0.0, groups.total() / self.groups.total() - 1)


def time_steps(problems: ProblemWords, answers: Mapping[str, MaskedLMAnswers], method: Method) -> TrialTimes:
    """Filter a few problems, make their variants, and write them to a temporary folder.

    Args:
        problems: At least one problem with words to replace.
        answers: By masked LM, its answers to the forms of these words.
        method: How to make the variants; its stores are not used.
    """
    setup, _ = _timed(lambda: make_rows(problems[:WARM_UP_PROBLEMS], answers, method))
    filters, (variants, seeds, *_) = _timed(lambda: make_rows(problems, answers, method))
    standalone, _ = _timed(lambda: count_standalone(problems, answers, method.tagger, mask=method.options.mask))
    with tempfile.TemporaryDirectory() as folder:
        writing, _ = _timed(lambda: _write(Path(folder), variants, seeds, 1, method))
        writing_copies, _ = _timed(lambda: _write(Path(folder), variants, seeds, COPIES, method))
    return TrialTimes(
        groups=count_forms(problems, method.options.mask),
        setup=setup,
        filters=filters,
        standalone=standalone,
        writing=writing,
        writing_copies=writing_copies,
    )


def _write(folder: Path, variants: pa.Table, seeds: pa.Table, copies: int, method: Method) -> None:
    """Write a data set with copies of the same rows."""
    if not variants.num_rows:
        return
    out = folder / str(copies)
    out.mkdir()
    pq.write_table(variants, out / "variants")
    pq.write_table(seeds, out / "seeds")
    write_data(out, [out / "variants"] * copies, [out / "seeds"] * copies, method.options, method.label_names)


def count_forms(problems: ProblemWords, mask: str) -> Groups:
    """Count the forms of problems by word class and side."""
    return Counter(
        (word.word_class, side)
        for tagged, words in problems
        for word in words
        for side, _, _ in forms_of_word(tagged, word, mask)
    )


def _counted_alone(groups: Groups) -> int:
    """Return the number of forms on which each filter is counted on its own, in one shard."""
    return sum(min(count, CLASS_FORMS) for count in groups.values())


def _timed(step: Callable[[], T]) -> tuple[float, T]:
    start = time.monotonic()
    result = step()
    return time.monotonic() - start, result
