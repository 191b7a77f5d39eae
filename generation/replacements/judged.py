"""Drop the replacements that were not judged good, of seeds that have enough variants to be judged."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from generation.options import Options
from generation.replacements.finding import FilteredWord, dropped_from_sides
from generation.seeds_from import Seeds
from generation.sentences.words import SharedWord
from merge_snli.dataset.judgments import VariantJudgments

# Reasons why a variant is dropped.
NOT_GOOD, NOT_JUDGED = "not judged good", "not judged"
# The other variants.
GOOD_VARIANT = "judged good"


def variant_id(seed_id: str, word: SharedWord, replacement: str) -> str:
    """Return the id of a variant: the seed's id, word class, original and replacement, joined by colons."""
    return f"{seed_id}:{word.word_class}:{word.text}:{replacement}"


def drop_by_judgments(
    words: Sequence[FilteredWord], judgments: VariantJudgments, options: Options, seeds: Seeds | None = None
) -> list[FilteredWord]:
    """Drop the replacements whose variants are not judged good.

    A variant without judgments is dropped for a reason of its own. The words of a class that has too few variants for
    a seed stay as they are, since a data set without judgments does not have its variants either.

    Args:
        words: All shared words of some problems, with their replacements.
        judgments: The judgments.
        options: `inflation` and `min_judged` are read.
        seeds: The only seeds to make variants of; None for all problems.
    """
    variants: Counter[tuple[str, str]] = Counter()
    for word in words:
        variants[word.group] += len(word.replacements)
    judged = []
    for word in words:
        has_enough = variants[word.group] >= options.inflation
        is_seed = has_enough and (seeds is None or seeds.has(*word.group))
        judged.append(_judged(word, judgments, options.min_judged) if is_seed else word)
    return judged


def _judged(filtered: FilteredWord, judgments: VariantJudgments, minimum: float) -> FilteredWord:
    kept = []
    dropped = [*filtered.dropped]
    judged = {}
    for replacement in filtered.replacements:
        identity = variant_id(filtered.tagged.problem.id, filtered.word, replacement.word)
        mean = judgments.means.get(identity)
        if mean is not None and mean >= minimum:
            judged[identity] = GOOD_VARIANT
            kept.append(replacement)
        else:
            judged[identity] = NOT_JUDGED if mean is None else NOT_GOOD
            dropped += dropped_from_sides(replacement, judged[identity])
    return replace(filtered, replacements=tuple(kept), dropped=tuple(dropped), judged=judged)
