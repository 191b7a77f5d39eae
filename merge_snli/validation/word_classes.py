"""Check the tags and articles of replacements in their place, and their relations to other words of the problem."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from generation.options import POS
from generation.replacements.articles import disagrees_with_article
from generation.replacements.relations import other_words
from generation.sentences.replacing import match_occurrence_case
from generation.sentences.substitution import Substitution
from generation.sentences.tags_in_place import word_class_of
from merge_snli.validation.finding import quoted
from merge_snli.validation.recorded_run import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.options import Options
    from generation.replacements.relations import WordNet
    from generation.sentences.tags_in_place import InPlaceTagger
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.seed import CheckedSeed, Row


def check_word_classes(
    seeds: Sequence[CheckedSeed], options: Options, tagger: InPlaceTagger, collector: Collector
) -> None:
    """Report replacements whose class, tag or article in their place the filters of the run do not allow.

    Args:
        seeds: The seeds.
        options: The options of the run.
        tagger: The tagger of the run.
        collector: Gets the findings and counts.
    """
    if not (POS in options.filters or options.same_tag or options.articles) or options.scramble:
        return
    replacements = [
        (number, row, side, in_place, original_tag)
        for seed in seeds
        for number, row in seed.variants.items()
        for side, in_place, original_tag in _replacements_in_place(row, seed)
    ]
    tags = tagger.tags([in_place for _, _, _, in_place, _ in replacements])
    collector.count("words tagged in place", len(replacements))
    for (number, row, side, in_place, original_tag), tag in zip(replacements, tags, strict=True):
        for fault in _faults(row, in_place, tag, original_tag, options):
            collector.find(VARIANTS, number, "replacement", f"{quoted(in_place.word)} in the {side} {fault}")


def _faults(
    row: Row, in_place: Substitution, tag: str | None, original_tag: str | None, options: Options
) -> Iterator[str]:
    """Yield what the filters of the run do not allow of a replacement in its place."""
    word_class = word_class_of(tag)
    if POS in options.filters and word_class != row["word_class"]:
        yield f"is tagged {word_class or 'as another class'}, not {row['word_class']}"
    elif options.same_tag and tag != original_tag:
        yield f"has the tag {tag}, not {original_tag}"
    disagrees = disagrees_with_article(in_place.sentence, in_place.start, in_place.end, row["original"])
    if options.articles and disagrees(row["replacement"]):
        yield 'does not fit the "a" or "an" before it'


def _replacements_in_place(row: Row, seed: CheckedSeed) -> Iterator[tuple[str, Substitution, str | None]]:
    """Yield sentence name, place and original tag of each replacement that a masked LM validated."""
    original, word = row["original"], seed.shared.get((row["word_class"], row["original"]))
    if word is None:
        return
    for side in ("premise", "hypothesis"):
        sentence = getattr(seed.problem, side)
        tokens = () if seed.tagged is None else getattr(seed.tagged, side).tokens
        tags = {token.start: token.tag for token in tokens}
        for start in getattr(word, side) if row[f"{side}_mlms"] else ():
            end = start + len(original)
            written = match_occurrence_case(sentence[start:end], original, row["replacement"])
            yield side, Substitution(sentence, start, end, written), tags.get(start)


def check_relations(seed: CheckedSeed, wordnet: WordNet, collector: Collector) -> None:
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
