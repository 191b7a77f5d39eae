"""Check replacements in their place with the filters of the run on words and on tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from generation.filters.definitions import applied_filters
from generation.filters.filter import Place
from generation.sentences.forms import Substitution
from generation.sentences.words import forms_of_word
from merge_snli.validation.finding import quoted
from merge_snli.validation.recorded_run import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.filters.filter import Applied
    from generation.options import Options
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.resources import Resources
    from merge_snli.validation.seed import CheckedSeed, Row


class _Replacement(NamedTuple):
    """A replacement in one place where a masked LM validated it."""

    number: int
    word: str
    place: Place

    @property
    def substitution(self) -> Substitution:
        place = self.place
        return Substitution(place.sentence, place.start, place.end, place.written(self.word))


def check_in_place(seeds: Sequence[CheckedSeed], options: Options, resources: Resources, collector: Collector) -> None:
    """Report replacements that a filter of the run on words or on tags would have dropped.

    Filters that always apply are checked with the replacement itself. Scrambled replacements are not checked.

    Args:
        seeds: The seeds; those whose sentences are not tagged are not checked.
        options: The options of the run.
        resources: The tagger and the WordNet of the run.
        collector: Gets the findings and counts.
    """
    filters = [each for each in applied_filters(options) if each.filter.option is not None]
    if resources.wordnet is None:
        filters = [each for each in filters if not each.filter.needs_wordnet]
    of_words = [each for each in filters if each.filter.on_word is not None]
    of_tags = [each for each in filters if each.filter.on_tag is not None]
    if options.scramble or resources.in_place is None or not (of_words or of_tags):
        return
    replacements = [
        _Replacement(number, row["replacement"], place)
        for seed in seeds
        for number, row in seed.variants.items()
        for place in _places(row, seed, options, resources)
    ]
    tags: Sequence[str | None] = [None] * len(replacements)
    if of_tags:
        tags = resources.in_place.tags([each.substitution for each in replacements])
        collector.count("words tagged in place", len(replacements))
    for each, tag in zip(replacements, tags, strict=True):
        found = next(_dropping(each, tag, of_words, of_tags), None)
        if found is not None:
            message = f"{quoted(each.substitution.word)} in the {each.place.side}: {found} drops it"
            collector.find(VARIANTS, each.number, "replacement", f"{message} ({found.filter.reason})")


def _dropping(
    replacement: _Replacement, tag: str | None, of_words: Sequence[Applied], of_tags: Sequence[Applied]
) -> Iterator[Applied]:
    """Yield the filters that drop a replacement."""
    for each in of_words:
        on_word = each.filter.on_word
        if on_word is not None and on_word(each.value, replacement.place)(replacement.word):
            yield each
    for each in of_tags:
        on_tag = each.filter.on_tag
        if on_tag is not None and on_tag(each.value, replacement.place)(tag):
            yield each


def _places(row: Row, seed: CheckedSeed, options: Options, resources: Resources) -> Iterator[Place]:
    """Yield the places of a replacement in the sentences in which masked LMs validated it."""
    word = seed.shared.get((row["word_class"], row["original"]))
    if word is None or seed.tagged is None:
        return
    for side, _, form in forms_of_word(seed.tagged, word, options.mask):
        if row[f"{side}_mlms"]:
            yield Place(seed.tagged, word, seed.words, side, form.start, form.end, resources.wordnet)
