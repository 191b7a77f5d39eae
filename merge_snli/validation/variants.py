"""Check that a variant follows from its seed under the options of the run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from generation.options import PROB, UNION
from generation.sentences.in_place import InPlace
from generation.sentences.replacing import match_case, match_occurrence_case, replace_occurrences
from generation.sentences.whole_words import NEGATIONS, WORD, is_whole_word
from merge_snli.validation.finding import quoted
from merge_snli.validation.replaced import is_replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options
    from generation.sentences.words import SharedWord
    from merge_snli.validation.collector import Find
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.seed_groups import Row
    from merge_snli.validation.seed_words import SeedWords

SIDES = ("premise", "hypothesis")
EXPANDING = "ßŉǰﬀﬁﬂﬃﬄﬅﬆ"
"""Letters with several letters as their upper case."""


def check_variant(row: Row, seed: SeedWords, run: RecordedRun, find: Find) -> None:
    """Check all columns of a variant.

    Args:
        row: A row of config `all`.
        seed: The words of its seed problem, from the seed's sentences in the row.
        run: The record of the run.
        find: Gets the findings.
    """
    options = run.options
    expected = f"{row['seed_id']}:{row['word_class']}:{row['original']}:{row['replacement']}"
    if row["variant_id"] != expected:
        find("variant_id", f"is {quoted(row['variant_id'])}; its parts give {quoted(expected)}")
    if row["word_class"] not in options.classes:
        find("word_class", f"is {quoted(row['word_class'])}; the classes of the run are {', '.join(options.classes)}")
    if not 0 <= row["label"] < len(run.label_names):
        find("label", f"is {row['label']}; the labels are 0 to {len(run.label_names) - 1}")
    _check_sentences(row, seed, find, ignore_case=options.ignore_case)
    _check_replacement(row, seed, options, find)
    _check_masked_lms(row, run, find)
    if not math.isfinite(row["log_odds"]) or (PROB in options.filters and row["log_odds"] <= 0):
        find("log_odds", f"is {row['log_odds']}, but must be {'above 0' if PROB in options.filters else 'finite'}")
    drawn = row["subsamples"]
    if drawn != sorted(set(drawn)) or not all(0 <= number < options.subsamples for number in drawn):
        limits = f"0 to {options.subsamples - 1}"
        find("subsamples", f"is {quoted(drawn)}, but must be different numbers from {limits} in ascending order")


def _check_sentences(row: Row, seed: SeedWords, find: Find, *, ignore_case: bool) -> None:
    """Check that every occurrence of the word was replaced, and nothing else."""
    original, replacement = row["original"], row["replacement"]
    message = f"every {quoted(original)} replaced by {quoted(replacement)}"
    if seed.shared is None:
        for side in SIDES:
            if not is_replaced(row[f"seed_{side}"], row[side], original, replacement, ignore_case=ignore_case):
                find(side, f"is not seed_{side} with {message}")
        return
    word = seed.shared.get((row["word_class"], original))
    if word is None:
        find("original", f"{quoted(original)} is not a {row['word_class']} that premise and hypothesis share")
        return
    if word.left_out is not None:
        find("original", f"{quoted(original)} is not replaced by the method: {word.left_out}")
    for side, starts in _occurrences(word):
        if row[side] != replace_occurrences(row[f"seed_{side}"], starts, word.text, replacement):
            find(side, f"is not seed_{side} with {message}")


def _occurrences(word: SharedWord) -> tuple[tuple[str, Sequence[int]], ...]:
    """Return the offsets of a word by sentence."""
    return tuple(zip(SIDES, (word.premise, word.hypothesis), strict=True))


def _check_replacement(row: Row, seed: SeedWords, options: Options, find: Find) -> None:
    replacement, original = row["replacement"], row["original"]
    if replacement.casefold() in seed.words:
        find("replacement", f"{quoted(replacement)} is a word of the seed problem")
    # "İ" in lower case is two characters; the second one is not a letter.
    if not any(_is_word(text, options) for text in (replacement, replacement.replace("i\u0307", "İ"))):
        find("replacement", f"{quoted(replacement)} is a negation, an affix or not a whole word")
    if not _has_case_of(original, replacement):
        find("replacement", f"{quoted(replacement)} does not have the case pattern of {quoted(original)}")


def _is_word(text: str, options: Options) -> bool:
    """Return whether a replacement may be `text`; scrambled letters may also be an affix."""
    if options.scramble:
        return WORD.fullmatch(text) is not None and text.casefold() not in NEGATIONS
    return is_whole_word(text)


def _has_case_of(original: str, word: str) -> bool:
    expanded = (first + word[len(first.upper()) :] for first in EXPANDING if word.startswith(first.upper()))
    return any(match_case(original, each) == word for each in (word, *expanded))


def _check_masked_lms(row: Row, run: RecordedRun, find: Find) -> None:
    is_union = run.options.sides == UNION
    for side in SIDES:
        names = row[f"{side}_mlms"]
        if names != [name for name in run.mlm_names if name in names]:
            message = f"is {quoted(names)}, but must be different names in the order {', '.join(run.mlm_names)}"
            find(f"{side}_mlms", message)
        elif not names and not is_union:
            find(f"{side}_mlms", "is empty: no masked LM validated the replacement")
    if is_union and not row["premise_mlms"] and not row["hypothesis_mlms"]:
        find("premise_mlms", "and hypothesis_mlms are empty: no masked LM validated the replacement")


def replacements_in_place(row: Row, seed: SeedWords) -> Iterator[tuple[str, InPlace]]:
    """Yield the sentence (`premise` or `hypothesis`) and place of each replacement that a masked LM validated.

    Args:
        row: A row of config `all`.
        seed: The words of its seed problem; without the tagger of the run, nothing is yielded.
    """
    word = None if seed.shared is None else seed.shared.get((row["word_class"], row["original"]))
    if word is None:
        return
    for side, starts in _occurrences(word):
        if row[f"{side}_mlms"]:
            for start in starts:
                yield side, _in_place(row[f"seed_{side}"], start, row)


def _in_place(sentence: str, start: int, row: Row) -> InPlace:
    end = start + len(row["original"])
    return InPlace(
        sentence, start, end, match_occurrence_case(sentence[start:end], row["original"], row["replacement"])
    )
