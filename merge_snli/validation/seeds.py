"""Read the seeds with their variants and words, and check the rows of config `seed` against them and the tagger."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from generation.options import Options
from generation.sentences.tagging import TaggedProblem, tag
from generation.sentences.words import SharedWord, shared_words, word_runs, words_of
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import content_id
from merge_snli.validation.findings import Collector, Find, quoted
from merge_snli.validation.parquet import read_tables
from merge_snli.validation.recorded_run import SEEDS, VARIANTS, RecordedRun

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
        tagged_problems = [None] * len(rows) if tagger is None else tag(problems, tagger)
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


def _listed_words(row: Row, options: Options) -> tuple[SharedWord, ...]:
    return tuple(
        SharedWord(word, name, (rank,), ())
        for name in options.classes
        for rank, word in enumerate(row[f"{name}_words"])
    )


def check_seed(seed: CheckedSeed, run: RecordedRun, collector: Collector) -> None:
    """Check a seed's label, id, shared words and counts.

    Args:
        seed: The seed.
        run: The record of the run.
        collector: Gets the findings.
    """
    row, find = seed.row, partial(collector.find, SEEDS, seed.number)
    if 0 <= row["label"] < len(run.record.label_names):
        _check_id(row, run, find)
    else:
        find("label", f"is {row['label']}; the labels are 0 to {len(run.record.label_names) - 1}")
    for name in run.options.classes:
        listed, counts = row[f"{name}_words"], row[f"{name}_variants"]
        if len(listed) != len(counts) or len(set(listed)) != len(listed) or any(count < 0 for count in counts):
            find(f"{name}_variants", f"is {quoted(counts)}, but must be one count per word of {name}_words")
            continue
        shared = [word.text for word in seed.shared.values() if word.word_class == name and word.left_out is None]
        if listed != shared:
            find(f"{name}_words", f"is {quoted(listed)}; the tagger finds {quoted(shared)}")
        _check_counts(name, dict(zip(listed, counts, strict=True)), seed, run.options, find)


def _check_id(row: Row, run: RecordedRun, find: Find) -> None:
    """Check an id that was computed from the content."""
    if run.options.id_column is not None:
        return
    expected = content_id(row["premise"], row["hypothesis"], run.record.label_names[row["label"]])
    if not re.fullmatch(rf"{expected}(-[1-9][0-9]*)?", row["seed_id"]):
        texts = ", ".join(run.record.texts)
        find("seed_id", f"is {quoted(row['seed_id'])}; {texts} and label give {quoted(expected)}")


def _check_counts(name: str, counts: dict[str, int], seed: CheckedSeed, options: Options, find: Find) -> None:
    """Compare the counts of a word class with its variants, of which there are none if there would be too few."""
    found = Counter(row["original"] for row in seed.variants.values() if row["word_class"] == name)
    if found:
        if found != Counter({word: count for word, count in counts.items() if count}):
            find(f"{name}_variants", f"is {quoted(counts)}; config all has {quoted(dict(found))}")
    elif sum(counts.values()) >= options.inflation and options.seeds_from is None:
        find(f"{name}_variants", f"is {quoted(counts)}, enough for config {name}; config all has none")
