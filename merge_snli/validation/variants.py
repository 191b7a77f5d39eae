"""Whether a variant follows from its seed under the options of the run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generation.options import POS, PROB, UNION
from generation.sentences.in_place import InPlace
from generation.sentences.replacing import match_case, match_occurrence_case, replace_occurrences
from generation.sentences.whole_words import NEGATIONS, WORD, is_whole_word
from merge_snli.validation.finding import quoted
from merge_snli.validation.replaced import is_replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.sentences.words import SharedWord
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.seed_words import SeedWords

Row = dict[str, Any]
Wrong = tuple[str, str]
"""A column and what is wrong in it."""

SIDES = ("premise", "hypothesis")
EXPANDING = "ßŉǰﬀﬁﬂﬃﬄﬅﬆ"
"""Letters whose capital is several letters."""


@dataclass(frozen=True)
class Rules:
    """What the record says that every variant keeps to."""

    classes: tuple[str, ...]
    labels: int
    mlms: tuple[str, ...]
    subsamples: int
    union: bool
    more_probable: bool
    of_class: bool
    scramble: bool
    ignore_case: bool

    def is_word(self, text: str) -> bool:
        """Tell whether a replacement may look so: scrambled letters may happen to be an affix."""
        if self.scramble:
            return WORD.fullmatch(text) is not None and text.casefold() not in NEGATIONS
        return is_whole_word(text)


def rules_of(run: RecordedRun) -> Rules:
    """Return the rules of a run."""
    options = run.options
    return Rules(
        classes=options.classes,
        labels=len(run.record.problems.label_names),
        mlms=tuple(mlm.name for mlm in run.record.masked_lms),
        subsamples=options.subsamples,
        union=options.sides == UNION,
        more_probable=PROB in options.filters,
        of_class=POS in options.filters and not options.scramble,
        scramble=options.scramble,
        ignore_case=options.ignore_case,
    )


def check_variant(row: Row, seed: SeedWords, rules: Rules) -> Iterator[Wrong]:
    """Yield what of a variant does not follow from its seed.

    Args:
        row: A row of config `all`.
        seed: The words of its seed problem, from the row's own seed sentences.
        rules: What the run keeps to.
    """
    expected = f"{row['seed_id']}:{row['word_class']}:{row['original']}:{row['replacement']}"
    if row["variant_id"] != expected:
        yield "variant_id", f"is {quoted(row['variant_id'])} where its parts give {quoted(expected)}"
    if row["word_class"] not in rules.classes:
        yield "word_class", f"is {quoted(row['word_class'])}, none of the run's {', '.join(rules.classes)}"
    if not 0 <= row["label"] < rules.labels:
        yield "label", f"is {row['label']}: the labels are 0 to {rules.labels - 1}"
    yield from _check_sentences(row, seed, rules)
    yield from _check_replacement(row, seed, rules)
    yield from _check_masked_lms(row, rules)
    if not math.isfinite(row["log_odds"]) or (rules.more_probable and row["log_odds"] <= 0):
        bound = "above 0" if rules.more_probable else "a finite number"
        yield "log_odds", f"is {row['log_odds']}: it should be {bound}"
    drawn = row["subsamples"]
    if drawn != sorted(set(drawn)) or not all(0 <= number < rules.subsamples for number in drawn):
        numbers = f"rising numbers from 0 to {rules.subsamples - 1}, each once"
        yield "subsamples", f"is {quoted(row['subsamples'])}: they should be {numbers}"


def _check_sentences(row: Row, seed: SeedWords, rules: Rules) -> Iterator[Wrong]:
    """Yield where a sentence is not the seed's with every occurrence of the word replaced, and nothing else."""
    original, replacement = quoted(row["original"]), quoted(row["replacement"])
    if seed.shared is None:
        for side in SIDES:
            words = (row["original"], row["replacement"])
            if not is_replaced(row[f"seed_{side}"], row[side], *words, ignore_case=rules.ignore_case):
                yield side, f"is not seed_{side} with {replacement} for {original}"
        return
    word = seed.shared.get((row["word_class"], row["original"]))
    if word is None:
        yield "original", f"{original} is no {row['word_class']} that the seed's sentences share"
        return
    if word.left_out is not None:
        yield "original", f"{original} is a word that the method leaves out here: {word.left_out}"
    for side, starts in _starts(word):
        if row[side] != replace_occurrences(row[f"seed_{side}"], starts, word.text, row["replacement"]):
            yield side, f"is not seed_{side} with {replacement} for every {original}"


def _starts(word: SharedWord) -> tuple[tuple[str, Sequence[int]], ...]:
    return tuple(zip(SIDES, (word.premise, word.hypothesis), strict=True))


def _check_replacement(row: Row, seed: SeedWords, rules: Rules) -> Iterator[Wrong]:
    replacement, original = row["replacement"], row["original"]
    if replacement.casefold() in seed.taken:
        yield "replacement", f"{quoted(replacement)} is a word of the seed problem"
    # "İ" in lower case is two characters, of which the second is no letter.
    if not any(rules.is_word(written) for written in (replacement, replacement.replace("i\u0307", "İ"))):
        yield "replacement", f"{quoted(replacement)} is no whole word, or a negation or affix"
    if not _keeps_case(original, replacement):
        yield "replacement", f"{quoted(replacement)} is not in the case pattern of {quoted(original)}"


def _keeps_case(original: str, word: str) -> bool:
    expanded = (first + word[len(first.upper()) :] for first in EXPANDING if word.startswith(first.upper()))
    return any(match_case(original, each) == word for each in (word, *expanded))


def _check_masked_lms(row: Row, rules: Rules) -> Iterator[Wrong]:
    for side in SIDES:
        named = row[f"{side}_mlms"]
        if named != [name for name in rules.mlms if name in named]:
            yield f"{side}_mlms", f"is {quoted(named)}: each once, of and in the order of {', '.join(rules.mlms)}"
        elif not named and not rules.union:
            yield f"{side}_mlms", "is empty: no masked LM validated the replacement there"
    if rules.union and not row["premise_mlms"] and not row["hypothesis_mlms"]:
        yield "premise_mlms", "is empty, and so is hypothesis_mlms: no masked LM validated the replacement"


def places_of(row: Row, seed: SeedWords) -> Iterator[tuple[str, InPlace]]:
    """Yield a variant's replacement in each of its places where a masked LM validated it, with the side.

    Args:
        row: A row of config `all`.
        seed: The words of its seed problem; nothing is yielded where the tagger of the run is not at hand.
    """
    word = None if seed.shared is None else seed.shared.get((row["word_class"], row["original"]))
    if word is None:
        return
    for side, starts in _starts(word):
        if row[f"{side}_mlms"]:
            for start in starts:
                yield side, _in_place(row[f"seed_{side}"], start, row)


def _in_place(sentence: str, start: int, row: Row) -> InPlace:
    end = start + len(row["original"])
    return InPlace(
        sentence, start, end, match_occurrence_case(sentence[start:end], row["original"], row["replacement"])
    )
