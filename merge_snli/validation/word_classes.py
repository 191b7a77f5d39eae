"""Check the word classes of replacements in their place, and their relations to other words of the problem."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from generation.options import POS
from generation.replacements.relations import other_words
from generation.sentences.replacing import match_occurrence_case
from generation.sentences.substitution import Substitution
from merge_snli.validation.finding import quoted
from merge_snli.validation.record import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options
    from generation.replacements.relations import WordNet
    from generation.sentences.tags_in_place import InPlaceTagger
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.seed import Row, Seed


def check_word_classes(seeds: Sequence[Seed], options: Options, tagger: InPlaceTagger, collector: Collector) -> None:
    """Report replacements that the tagger gives another class than the word they replace.

    Args:
        seeds: The seeds.
        options: The options of the run.
        tagger: The tagger of the run.
        collector: Gets the findings and counts.
    """
    if POS not in options.filters or options.scramble:
        return
    replacements = [
        (number, row, side, in_place)
        for seed in seeds
        for number, row in seed.variants.items()
        for side, in_place in _replacements_in_place(row, seed)
    ]
    word_classes = tagger.word_classes([in_place for *_, in_place in replacements])
    collector.count("words tagged in place", len(replacements))
    for (number, row, side, in_place), word_class in zip(replacements, word_classes, strict=True):
        if word_class != row["word_class"]:
            message = f"{quoted(in_place.word)} is tagged {word_class or 'as another class'} in the {side}"
            collector.find(VARIANTS, number, "replacement", f"{message}, not {row['word_class']}")


def _replacements_in_place(row: Row, seed: Seed) -> Iterator[tuple[str, Substitution]]:
    """Yield the sentence (`premise` or `hypothesis`) and place of each replacement that a masked LM validated."""
    original, word = row["original"], seed.shared.get((row["word_class"], row["original"]))
    if word is None:
        return
    for side in ("premise", "hypothesis"):
        sentence = getattr(seed.problem, side)
        for start in getattr(word, side) if row[f"{side}_mlms"] else ():
            end = start + len(original)
            yield (
                side,
                Substitution(
                    sentence, start, end, match_occurrence_case(sentence[start:end], original, row["replacement"])
                ),
            )


def check_relations(seed: Seed, wordnet: WordNet, collector: Collector) -> None:
    """Report replacements that WordNet relates to another word of the problem.

    Args:
        seed: The seed; if its sentences are not tagged, nothing is checked.
        wordnet: The WordNet of the run.
        collector: Gets the findings.
    """
    tagged = seed.tagged
    if tagged is None:
        return
    relation_to = cache(lambda word: wordnet.relation_to(other_words(tagged, word), word.word_class))
    for number, row in seed.variants.items():
        word = seed.shared.get((row["word_class"], row["original"]))
        if word is not None and relation_to(word)(row["replacement"]):
            message = f"{quoted(row['replacement'])} is related to another word of the problem"
            collector.find(VARIANTS, number, "replacement", message)
