"""Draw the premises of a config, each with the words of its hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.pairs.sentences import category_of, draw_words, fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from merge_snli.pairs.lexicon import Lexicon
    from merge_snli.pairs.pair_templates import PairTemplate
    from merge_snli.pairs.sentences import Words

MAX_DRAWS = 1_000
"""Draws in a row that may give no new premise before the words count as used up."""


@dataclass(frozen=True)
class Drawn:
    """A premise with its words.

    Attributes:
        group_id: Id of the premise.
        template: Its template.
        premise: Its text.
        words: The words of its slots and of those of its hypotheses.
        category: The categories of its nouns.
    """

    group_id: str
    template: PairTemplate
    premise: str
    words: Words
    category: str


def draw_premises(
    config: str, template: PairTemplate, count: int, lexicon: Lexicon, seed: int, *, used: set[str], is_joined: bool
) -> Iterator[Drawn]:
    """Draw different premises.

    Args:
        config: The config, part of the ids and of the seed of the draws.
        template: The template.
        count: Number of premises.
        lexicon: The words.
        seed: The seed.
        used: Premises that must not be drawn; the drawn ones are added.
        is_joined: Whether to draw words for the irrelevant sentence as well.

    Raises:
        InputError: If the lexicon has too few words for so many premises.
    """
    random = Random(f"{seed}:{config}:{template.name}")
    sentences = (*template.sentences, *([template.irrelevant] if is_joined and template.irrelevant else []))
    for number in range(count):
        words, premise = _draw_new(sentences, template, lexicon, random, used)
        if words is None:
            raise InputError(
                f"{param('premises')} is too large for the words: config {config} has only {number} different premises "
                f"of template {template.name}; pass a smaller number or a larger {param('lexicon')}"
            )
        used.add(premise)
        yield Drawn(f"{config}-{template.name}-{number:05}", template, premise, words, category_of(words, lexicon))


def _draw_new(
    sentences: Sequence[str], template: PairTemplate, lexicon: Lexicon, random: Random, used: set[str]
) -> tuple[Words | None, str]:
    for _ in range(MAX_DRAWS):
        words = draw_words(sentences, template.family, lexicon, random)
        premise = "" if words is None else fill(template.premise, words, lexicon)
        if words is not None and premise not in used:
            return words, premise
    return None, ""
