"""Check that the variants of a seed follow from the seed and their replacements under the options of the run."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from generation.filters.conditions import is_form_of_any
from generation.filters.definitions import applied_filters
from generation.options import UNION, Options
from generation.replacements.combine import Replacement
from generation.sentences.forms import match_case, match_occurrence_case
from generation.sentences.words import WORD, SharedWord, fold, is_negation, is_whole_word
from generation.variants import Variant, subsample_all, variant_row
from merge_snli.base.table import count
from merge_snli.dataset.variants import masked_lm_names, replaced_words
from merge_snli.validation.findings import Collector, Find, quoted
from merge_snli.validation.recorded_run import VARIANTS, RecordedRun
from merge_snli.validation.seeds import CheckedSeed, Row

SIDES = ("premise", "hypothesis")
# Letters with several letters as their upper case.
EXPANDING = "ßŉǰﬀﬁﬂﬃﬄﬅﬆ"


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
        _check_masked_lms(row, run, find)
        _check_log_odds(row["log_odds"], run.options, find)
        if word is not None:
            premise_mlms, hypothesis_mlms = (tuple(row[f"{side}_mlms"]) for side in SIDES)
            replacement = Replacement(row["replacement"], premise_mlms, hypothesis_mlms, row["log_odds"])
            variants.append(Variant(seed.problem, word, replacement))
    if len(variants) == len(seed.variants):
        _compare(seed, variants, run.options, collector)


def _check_log_odds(log_odds: float, options: Options, find: Find) -> None:
    if not math.isfinite(log_odds):
        find("log_odds", f"is {log_odds}, but must be finite")
        return
    for dropped in _dropped_by(options, "on_log_odds", log_odds):
        find("log_odds", f"is {log_odds}: {dropped}")


def _dropped_by(options: Options, condition: str, value: object) -> Iterator[str]:
    """Yield the filters of a run of which one condition drops a value."""
    for each in applied_filters(options):
        drops = getattr(each.filter, condition)
        if drops is not None and drops(each.value, value):
            yield f"{each} drops it ({each.filter.reason})"


def _find_word(row: Row, seed: CheckedSeed, run: RecordedRun, find: Find) -> SharedWord | None:
    """Return the shared word that a variant replaces, or None if there is no such word, which is reported."""
    word_class, original = row["word_class"], row["original"]
    if word_class not in run.options.classes:
        find("word_class", f"is {quoted(word_class)}; the classes of the run are {', '.join(run.options.classes)}")
        return None
    word = seed.shared.get((word_class, original))
    if word is None:
        texts = " and ".join(run.record.texts)
        find("original", f"{quoted(original)} is not a {word_class} that {texts} share")
    elif word.left_out is not None:
        find("original", f"{quoted(original)} is not replaced by the method: {word.left_out}")
    return word


def _check_replacement(row: Row, seed: CheckedSeed, options: Options, find: Find) -> None:
    replacement, original = row["replacement"], row["original"]
    if fold(replacement) in seed.words:
        find("replacement", f"{quoted(replacement)} is a word of the seed problem")
    elif not options.scramble and is_form_of_any(replacement, seed.words, row["word_class"], options.language):
        find("replacement", f"{quoted(replacement)} is a form of a word of the seed problem")
    # "İ" in lower case is two characters; the second one is not a letter.
    if not any(_is_word(text, options) for text in (replacement, replacement.replace("i\u0307", "İ"))):
        find("replacement", f"{quoted(replacement)} is a negation, an affix or not a whole word")
    if not _has_case_of(original, replacement):
        find("replacement", f"{quoted(replacement)} does not have the case pattern of {quoted(original)}")


def _is_word(text: str, options: Options) -> bool:
    """Return whether a replacement may be `text`; scrambled letters may also be an affix."""
    if options.scramble:
        return WORD.fullmatch(text) is not None and not is_negation(text, options.language)
    return is_whole_word(text, options.language)


def _has_case_of(original: str, word: str) -> bool:
    expanded = (first + word[len(first.upper()) :] for first in EXPANDING if word.startswith(first.upper()))
    return any(match_case(original, each) == word for each in (word, *expanded))


def _check_masked_lms(row: Row, run: RecordedRun, find: Find) -> None:
    is_union, of_run = run.options.sides == UNION, masked_lm_names(run.record)
    for side in SIDES:
        names = row[f"{side}_mlms"]
        if names != [name for name in of_run if name in names]:
            message = f"is {quoted(names)}, but must be different names in the order {', '.join(of_run)}"
            find(f"{side}_mlms", message)
        elif names:
            for dropped in _dropped_by(run.options, "on_validators", tuple(names)):
                find(f"{side}_mlms", f"is {quoted(names)}: {dropped}")
        elif not is_union:
            find(f"{side}_mlms", "is empty: no masked LM validated the replacement")
    if is_union and not row["premise_mlms"] and not row["hypothesis_mlms"]:
        find("premise_mlms", "and hypothesis_mlms are empty: no masked LM validated the replacement")


def _compare(seed: CheckedSeed, variants: Sequence[Variant], options: Options, collector: Collector) -> None:
    """Compare the rows of a seed with those that its variants give, including their order and the draws."""
    first = min(seed.variants)
    for word_class, number in Counter(variant.word.word_class for variant in variants).items():
        collector.count("draws", options.subsamples)
        if number < options.inflation:
            message = (
                f"has {count(number, 'variant')} of class {word_class}, fewer than the {options.inflation} required"
            )
            collector.find(VARIANTS, first, "seed_id", f"{quoted(seed.problem.id)} {message}")
            return
    if len({variant.id for variant in variants}) < len(variants):
        collector.find(VARIANTS, first, "variant_id", f"{quoted(seed.problem.id)} has a variant more than once")
        return
    for (number, row), each in zip(seed.variants.items(), subsample_all(variants, options), strict=True):
        for column, expected in _expected_row(row, each, seed, options).items():
            if row[column] != expected:
                message = f"is {quoted(row[column])}; seed, replacements and options give {quoted(expected)}"
                collector.find(VARIANTS, number, column, message)
                if column == "variant_id":  # another order, which shifts all later rows
                    return


def _expected_row(row: Row, each: Variant, seed: CheckedSeed, options: Options) -> Row:
    """Return the row that a variant gives; its sentences are only compared by their text without the tagger."""
    expected = variant_row(each, options) | {"log_odds": row["log_odds"]}
    if seed.tagged is None:
        original, replacement = row["original"], row["replacement"]
        for side in SIDES:
            before, after = row[f"seed_{side}"], row[side]
            starts = expected[f"{side}_offsets"] = row[f"{side}_offsets"]
            is_valid = is_replaced(before, after, starts, original, replacement, ignore_case=options.ignore_case)
            expected[side] = after if is_valid else f"{before} with {original} at the offsets {starts} as {replacement}"
    return {name: list(value) if isinstance(value, tuple) else value for name, value in expected.items()}


def is_replaced(
    seed: str, sentence: str, starts: Sequence[int], original: str, replacement: str, *, ignore_case: bool = False
) -> bool:
    """Return whether `sentence` is `seed` with every word `original` replaced.

    Without the tagger of the run, only text between spaces, punctuation and the sentence's ends is known to be a word.
    Such an occurrence must be replaced; one within a longer word may be.

    Args:
        seed: The seed's sentence.
        sentence: The variant's sentence.
        starts: The offsets at which the replacement starts in `sentence`.
        original: The word to replace.
        replacement: The word that replaces it.
        ignore_case: Whether the run compared shared words ignoring case.
    """
    if not original:
        return False
    found = replaced_words(seed, sentence, starts, original, replacement)
    occurrences = re.finditer(re.escape(original), seed, re.IGNORECASE if ignore_case else 0)
    words = {occurrence.start() for occurrence in occurrences if _is_whole(seed, occurrence)}
    return (
        bool(found)
        and words <= {each.seed[0] for each in found}
        and all(
            (ignore_case or seed[slice(*each.seed)] == original)
            and sentence[slice(*each.variant)] == match_occurrence_case(seed[slice(*each.seed)], original, replacement)
            for each in found
        )
    )


def _is_whole(seed: str, occurrence: re.Match[str]) -> bool:
    """Return whether an occurrence is certainly not part of a longer word."""
    around = seed[occurrence.start() - 1 : occurrence.start()] + seed[occurrence.end() : occurrence.end() + 1]
    return not any(character.isalnum() or character in "-'’_/" for character in around)
