"""Read the seeds with their variants, and check the rows of both against each other, the tagger and the options."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from generation.filters.conditions import is_form_of_any
from generation.options import UNION, Options
from generation.replacements.combine import Replacement
from generation.sentences.forms import SIDES, match_case
from generation.sentences.tagging import TaggedProblem, tag
from generation.sentences.words import (
    WORD,
    SharedWord,
    fold,
    is_negation,
    is_whole_word,
    shared_words,
    word_runs,
    words_of,
)
from generation.variants import Variant, subsample_all, variant_row
from merge_snli.base.table import count
from merge_snli.dataset.variants import seed_offsets
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import content_id
from merge_snli.validation.findings import Collector, Find, quoted
from merge_snli.validation.parquet import read_tables
from merge_snli.validation.recorded_run import SEEDS, VARIANTS, RecordedRun

SEEDS_PER_BATCH = 100
# Letters with several letters as their upper case, and these.
EXPANDING = tuple((letter, letter.upper()) for letter in "ßŉǰﬀﬁﬂﬃﬄﬅﬆ")
# How many replacements are known to be words; many seeds have the same.
KNOWN_WORDS = 100_000

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
            include those that the method leaves out. Without it, they are those of the row, without offsets.
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
        problems = []
        for row in rows:
            kept = tuple(row[name] for name in options.keep_column)
            problems.append(Problem(row["seed_id"], row["premise"], row["hypothesis"], row["label"], kept))
        tagged_problems = [None] * len(rows) if tagger is None else tag(problems, tagger)
        batch = []
        for row, problem, tagged, (number, size) in zip(rows, problems, tagged_problems, numbered, strict=False):
            if tagged is None:
                words = frozenset(word_runs((problem.premise, problem.hypothesis)))
                shared: Iterable[SharedWord] = _words_of_row(row, options)
            else:
                words = words_of(tagged)
                shared = shared_words(tagged, ignore_case=options.ignore_case)
            by_form = {(word.word_class, word.text): word for word in shared}
            batch.append(CheckedSeed(number, row, dict(islice(variants, size)), problem, words, by_form, tagged))
        yield batch


def _words_of_row(row: Row, options: Options) -> Iterator[SharedWord]:
    for name in options.classes:
        for word in row[f"{name}_words"]:
            yield SharedWord(word, name, (), ())


def check_seed(seed: CheckedSeed, run: RecordedRun, collector: Collector) -> None:
    """Check a seed's label, id, shared words and counts.

    Args:
        seed: The seed.
        run: The record of the run.
        collector: Gets the findings.
    """
    row = seed.row
    options = run.options
    find = partial(collector.find, SEEDS, seed.number)
    labels = run.record.label_names
    if not 0 <= row["label"] < len(labels):
        find("label", f"is {row['label']}; the labels are 0 to {len(labels) - 1}")
    elif options.id_column is None:
        expected = content_id(row["premise"], row["hypothesis"], labels[row["label"]])
        if not re.fullmatch(rf"{expected}(-[1-9][0-9]*)?", row["seed_id"]):
            texts = ", ".join(run.record.texts)
            find("seed_id", f"is {quoted(row['seed_id'])}; {texts} and label give {quoted(expected)}")
    for name in options.classes:
        _check_words(name, seed, options, find)


def _check_words(name: str, seed: CheckedSeed, options: Options, find: Find) -> None:
    """Check the shared words of a class, and their numbers of variants."""
    words = seed.row[f"{name}_words"]
    counts = seed.row[f"{name}_variants"]
    shared = [word.text for word in seed.shared.values() if word.word_class == name and word.left_out is None]
    if words != shared:
        find(f"{name}_words", f"is {quoted(words)}; the tagger finds {quoted(shared)}")
        return
    in_all = Counter(variant["original"] for variant in seed.variants.values() if variant["word_class"] == name)
    if in_all:
        is_right = counts == [in_all[word] for word in words]
    else:
        is_right = len(counts) == len(words) and min(counts, default=0) >= 0
        is_right &= sum(counts) < options.inflation or options.seeds_from is not None
    if not is_right:
        find(f"{name}_variants", f"is {quoted(counts)}; config all has {quoted(dict(in_all))}")


def check_variants(seed: CheckedSeed, run: RecordedRun, collector: Collector) -> None:
    """Check the variants of a seed: each replacement, and all columns that follow from it.

    Args:
        seed: The seed.
        run: The record of the run.
        collector: Gets the findings.
    """
    variants = []
    for number, row in seed.variants.items():
        find = partial(collector.find, VARIANTS, number)
        word = _find_word(row, seed, run, find)
        _check_replacement(row, seed, run.options, find)
        _check_validators(row, run, find)
        if word is not None and seed.tagged is None:
            word = _at_offsets(word, row, run.options, find)
        if word is not None:
            premise_mlms, hypothesis_mlms = (tuple(row[f"{side}_mlms"]) for side in SIDES)
            replacement = Replacement(row["replacement"], premise_mlms, hypothesis_mlms, row["log_odds"])
            variants.append(Variant(seed.problem, word, replacement))
    if len(variants) == len(seed.variants):
        _compare(seed, variants, run.options, collector)


def _at_offsets(word: SharedWord, row: Row, options: Options, find: Find) -> SharedWord | None:
    """Return a word with its offsets in the seed; None if the variant is not the seed with the word replaced there."""
    premise, hypothesis = (offsets_in_seed(row, side, ignore_case=options.ignore_case) for side in SIDES)
    for side, starts in zip(SIDES, (premise, hypothesis), strict=True):
        if not starts:
            words = f"{quoted(row['original'])} replaced by {quoted(row['replacement'])}"
            at = quoted(row[f"{side}_offsets"])
            find(side, f"is {quoted(row[side])}, not the sentence of the seed with {words} at {at}")
    return replace(word, premise=premise, hypothesis=hypothesis) if premise and hypothesis else None


def _find_word(row: Row, seed: CheckedSeed, run: RecordedRun, find: Find) -> SharedWord | None:
    """Return the shared word that a variant replaces, or None if there is no such word, which is reported."""
    word_class = row["word_class"]
    original = row["original"]
    word = seed.shared.get((word_class, original))
    if word_class not in run.options.classes:
        find("word_class", f"is {quoted(word_class)}; the classes of the run are {', '.join(run.options.classes)}")
        return None
    if word is None:
        find("original", f"{quoted(original)} is not a {word_class} that {' and '.join(run.record.texts)} share")
    elif word.left_out is not None:
        find("original", f"{quoted(original)} is not replaced by the method: {word.left_out}")
    return word


def _check_replacement(row: Row, seed: CheckedSeed, options: Options, find: Find) -> None:
    replacement, original = row["replacement"], row["original"]
    if fold(replacement) in seed.words:
        find("replacement", f"{quoted(replacement)} is a word of the seed problem")
    elif not options.scramble and is_form_of_any(replacement, seed.words, row["word_class"], options.language):
        find("replacement", f"{quoted(replacement)} is a form of a word of the seed problem")
    if not _is_word(replacement, options.language, scrambled=options.scramble):
        find("replacement", f"{quoted(replacement)} is a negation, an affix or not a whole word")
    if not _has_case_of(original, replacement):
        find("replacement", f"{quoted(replacement)} does not have the case pattern of {quoted(original)}")


@lru_cache(maxsize=KNOWN_WORDS)
def _is_word(replacement: str, language: str | None, *, scrambled: bool) -> bool:
    """Return whether a replacement may be a text; scrambled letters may also be an affix."""
    # "İ" in lower case is two characters; the second one is not a letter.
    for text in (replacement, replacement.replace("i\u0307", "İ")):
        if not scrambled and is_whole_word(text, language):
            return True
        if scrambled and WORD.fullmatch(text) and not is_negation(text, language):
            return True
    return False


def _has_case_of(original: str, replacement: str) -> bool:
    """Return whether a replacement is a word in the case pattern of the original."""
    if match_case(original, replacement) == replacement:
        return True
    for letter, upper in EXPANDING:
        if replacement.startswith(upper) and match_case(original, letter + replacement[len(upper) :]) == replacement:
            return True
    return False


def _check_validators(row: Row, run: RecordedRun, find: Find) -> None:
    """Check the masked LMs that validated a replacement, and its log-odds."""
    of_run = run.masked_lms
    validators = {f"{side}_mlms": row[f"{side}_mlms"] for side in SIDES}
    for column, names in validators.items():
        if names != [name for name in of_run if name in names]:
            find(column, f"is {quoted(names)}, but must be different names in the order {', '.join(of_run)}")
        elif not names and (run.options.sides != UNION or not any(validators.values())):
            find(column, "is empty: no masked LM validated the replacement")
    if not math.isfinite(row["log_odds"]):
        find("log_odds", f"is {row['log_odds']}, but must be finite")
    for applied in run.filters:
        conditions = dict.fromkeys(validators, applied.filter.on_validators)
        for column, drops in {**conditions, "log_odds": applied.filter.on_log_odds}.items():
            if drops is not None and row[column] != [] and drops(applied.value, row[column]):
                find(column, f"is {quoted(row[column])}: {applied} drops it ({applied.filter.reason})")


def _compare(seed: CheckedSeed, variants: Sequence[Variant], options: Options, collector: Collector) -> None:
    """Compare the rows of a seed with those that its variants give, including their order and the subsamples."""
    find = partial(collector.find, VARIANTS, min(seed.variants))
    if len({variant.id for variant in variants}) < len(variants):
        find("variant_id", f"{quoted(seed.problem.id)} has a variant more than once")
        return
    expected = subsample_all(variants, options)
    collector.count("subsamples", options.subsamples * len({variant.word.word_class for variant in expected}))
    if len(expected) < len(variants):
        word_class, number = Counter(variant.word.word_class for variant in variants).most_common()[-1]
        has = f"{quoted(seed.problem.id)} has {count(number, 'variant')} of class {word_class}"
        find("seed_id", f"{has}, fewer than the {options.inflation} required")
        return
    for (number, row), variant in zip(seed.variants.items(), expected, strict=True):
        for column, value in variant_row(variant, options).items():
            stored = tuple(row[column]) if isinstance(value, tuple) else row[column]
            if stored == value:
                continue
            message = f"is {quoted(stored)}; seed, replacements and options give {quoted(value)}"
            collector.find(VARIANTS, number, column, message)
            if column == "variant_id":  # another order, which shifts all later rows
                return


def offsets_in_seed(row: Row, side: str, *, ignore_case: bool = False) -> tuple[int, ...]:
    """Return the offsets of a replaced word in a sentence of its seed, as the variant has them.

    Without the tagger of the run, only text between spaces, punctuation and the sentence's ends is known to be a word.
    Such an occurrence must be replaced; one within a longer word may be.

    Args:
        row: A variant.
        side: The side of the sentence.
        ignore_case: Whether the run compared shared words ignoring case.

    Returns:
        The offsets; none if the sentence is not that of the seed with the word replaced.
    """
    sentence = row[f"seed_{side}"]
    original = row["original"]
    starts = seed_offsets(row, side) if original else ()
    replaced = {sentence[start : start + len(original)] for start in starts}
    whole = rf"(?<![\w\-'’/]){re.escape(original)}(?![\w\-'’/])"  # certainly not within a longer word
    words = {word.start() for word in re.finditer(whole, sentence, re.IGNORECASE if ignore_case else 0)}
    return starts if words <= {*starts} and (ignore_case or replaced <= {original}) else ()
