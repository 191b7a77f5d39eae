"""Fill the slots of a template with words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from merge_snli.pairs.pair_templates import N_IS_A, SVO, clauses, slots

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from random import Random

    from merge_snli.pairs.lexicon import Lexicon, Verb

NOUNS = "nso"
"""The letters of the slots that nouns fill."""

FIRST_LETTER = re.compile(r"(^|\. )([a-z])")

Words = dict[str, str]
"""Words by slot: nouns without article, verbs in the past."""


def fill(template: str, words: Mapping[str, str], lexicon: Lexicon) -> str:
    """Return a sentence: the template with words in its slots, articles before the nouns, and capitals.

    Args:
        template: The sentence with slots.
        words: The word of each slot.
        lexicon: Has the articles and the negated forms.
    """
    values = {slot: lexicon.phrase(word) if slot[0] in NOUNS else word for slot, word in words.items()}
    values |= {f"not_{slot}": lexicon.negated[word] for slot, word in words.items() if slot.startswith("v")}
    return capitalized(template.format_map(values))


def capitalized(text: str) -> str:
    """Return a text with a capital at the start of each sentence."""
    return FIRST_LETTER.sub(lambda match: match[1] + match[2].upper(), text)


def draw_words(sentences: Sequence[str], family: str, lexicon: Lexicon, random: Random) -> Words | None:
    """Draw different words for all slots of some sentences.

    Args:
        sentences: Sentences with slots of one family.
        family: `n_is_a` or `svo`.
        lexicon: The words.
        random: The generator.

    Returns:
        The word of each slot; None if the drawn words do not go together, so that the caller draws again.
    """
    names = slots(sentences)
    return {N_IS_A: _draw_n_is_a, SVO: _draw_svo}[family](names, clauses(sentences), lexicon, random)


def category_of(words: Words, lexicon: Lexicon) -> str:
    """Return the category of the nouns, such as `fruits`, or of first subject and object, such as `human-objects`."""
    nouns = (words["n1"],) if "n1" in words else (words["s1"], words["o1"])
    return "-".join(lexicon.category_of[noun].name for noun in nouns)


def _draw_n_is_a(names: Sequence[str], _: object, lexicon: Lexicon, random: Random) -> Words | None:
    category = random.choice(list(lexicon.categories.values()))
    pools = {"n": category.nouns, "a": category.adjectives}
    drawn = {kind: random.sample(pool, sum(name[0] == kind for name in names)) for kind, pool in pools.items()}
    if any(_has_apart(words, category.apart) for words in drawn.values()):
        return None
    return {name: drawn[name[0]].pop(0) for name in names}


def _draw_svo(
    names: Sequence[str], clauses: Collection[tuple[str, str, str]], lexicon: Lexicon, random: Random
) -> Words | None:
    numbers = sorted({name[1] for name in names})
    verbs = dict(zip(numbers, random.sample(lexicon.verbs, len(numbers)), strict=True))
    words: Words = {}
    for number, verb in verbs.items():
        words |= {f"s{number}": _noun(verb.subjects, lexicon, random), f"v{number}": verb.past}
        words[f"o{number}"] = _noun(verb.objects, lexicon, random)
    nouns = [word for slot, word in words.items() if slot[0] != "v"]
    taken = all(lexicon.takes(verbs[verb[1]], words[subject], words[obj]) for subject, verb, obj in clauses)
    if not taken or len(set(nouns)) < len(nouns) or _is_apart(nouns, verbs.values(), lexicon):
        return None
    return words


def _noun(categories: Sequence[str], lexicon: Lexicon, random: Random) -> str:
    return random.choice(lexicon.categories[random.choice(categories)].nouns)


def _is_apart(nouns: Sequence[str], verbs: Collection[Verb], lexicon: Lexicon) -> bool:
    return _has_apart(nouns, lexicon.apart_nouns) or _has_apart([verb.past for verb in verbs], lexicon.apart)


def _has_apart(words: Sequence[str], apart: frozenset[frozenset[str]]) -> bool:
    return any(frozenset((first, second)) in apart for first in words for second in words if first != second)
