"""A seed with its variants and its words, for the checks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from generation.sentences.tagging import TaggedProblem, tag_sentences
from generation.sentences.words import SharedWord, shared_words, word_runs, words_of
from merge_snli.problems.reading import Problem
from merge_snli.validation.parquet import read_tables
from merge_snli.validation.recorded_run import SEEDS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from generation.options import Options
    from merge_snli.models.tagger import Tagger

SEEDS_PER_BATCH = 100

Row = dict[str, Any]


@dataclass(frozen=True)
class CheckedSeed:
    """A seed.

    Attributes:
        number: The number of its row in config `seed`.
        row: That row.
        variants: Its rows of config `all` by their numbers.
        problem: The problem.
        words: All words of premise and hypothesis without accents and case, which no replacement may be.
        shared: The shared words by class and form, in the order of class and premise. With the tagger of the run, they
            include those that the method leaves out. Without it, they are those of the row, with their rank as offset.
        tagged: The tagged problem; None without the tagger of the run.
    """

    number: int
    row: Row
    variants: Mapping[int, Row]
    problem: Problem
    words: frozenset[str]
    shared: Mapping[tuple[str, str], SharedWord]
    tagged: TaggedProblem | None


def read_seeds(
    folder: Path, counts: Iterable[int], tagger: Tagger | None, options: Options
) -> Iterator[list[CheckedSeed]]:
    """Yield the seeds in batches.

    Args:
        folder: The data set's folder; configs `all` and `seed` have the same seeds in the same order.
        counts: The number of variants of each seed.
        tagger: The tagger of the run; None if it is not available.
        options: The options of the run.
    """
    variants = enumerate(row for table in read_tables(folder / VARIANTS) for row in table.to_pylist())
    numbered = enumerate(counts)
    for table in read_tables(folder / SEEDS, SEEDS_PER_BATCH):
        rows = table.to_pylist()
        problems = [_problem(row, options) for row in rows]
        tagged_problems = [None] * len(rows) if tagger is None else _tag(problems, tagger)
        batch = []
        for row, problem, tagged, (number, size) in zip(rows, problems, tagged_problems, numbered, strict=False):
            if tagged is None:
                words = frozenset(word_runs((problem.premise, problem.hypothesis)))
                shared = _listed_words(row, options)
            else:
                words, shared = words_of(tagged), shared_words(tagged, ignore_case=options.ignore_case)
            by_form = {(word.word_class, word.text): word for word in shared}
            batch.append(CheckedSeed(number, row, dict(islice(variants, size)), problem, words, by_form, tagged))
        yield batch


def _problem(row: Row, options: Options) -> Problem:
    extra = tuple(row[name] for name in options.keep_column)
    return Problem(row["seed_id"], row["premise"], row["hypothesis"], row["label"], extra)


def _tag(problems: Sequence[Problem], tagger: Tagger) -> list[TaggedProblem]:
    premises, hypotheses = (
        tag_sentences([getattr(problem, side) for problem in problems], tagger) for side in ("premise", "hypothesis")
    )
    return [TaggedProblem(*each) for each in zip(problems, premises, hypotheses, strict=True)]


def _listed_words(row: Row, options: Options) -> tuple[SharedWord, ...]:
    return tuple(
        SharedWord(word, name, (rank,), ())
        for name in options.classes
        for rank, word in enumerate(row[f"{name}_words"])
    )
