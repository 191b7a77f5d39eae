"""Whether replacements are of their word's class in their places, and in no relation to other words of the problem."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from generation.replacements.relations import other_words
from merge_snli.validation.finding import Finding, quoted
from merge_snli.validation.seed_groups import VARIANTS
from merge_snli.validation.variants import places_of, rules_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from generation.replacements.relations import WordNet
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.resources import RunTagger
    from merge_snli.validation.seed_words import SeedWords
    from merge_snli.validation.variants import Row


def check_classes(
    first: int,
    rows: Sequence[Row],
    words: Sequence[SeedWords],
    run: RecordedRun,
    tagger: RunTagger | None,
    checked: Counter[str],
) -> Iterator[Finding]:
    """Yield where the tagger gives a replacement in its place another class than its word's.

    Args:
        first: The number of the first row.
        rows: Rows of config `all`.
        words: The words of the seed of each.
        run: The record of the run.
        tagger: The tagger of the run; None where it is not at hand.
        checked: Gets how many replacements were tagged.
    """
    if tagger is None or not rules_of(run).of_class:
        return
    asked = [
        (at, side, place)
        for at, (row, of_seed) in enumerate(zip(rows, words, strict=True))
        for side, place in places_of(row, of_seed)
    ]
    classes = tagger.in_place.word_classes([place for _, _, place in asked])
    checked["words tagged in place"] += len(asked)
    for (at, side, place), found in zip(asked, classes, strict=True):
        wanted = rows[at]["word_class"]
        if found != wanted:
            message = f"{quoted(place.word)} is no {wanted} in the {side} but {found or 'of another class'}"
            yield Finding(VARIANTS, first + at, "replacement", message)


def check_relations(rows: Sequence[Row], words: SeedWords, wordnet: WordNet) -> Iterator[tuple[int, str, str]]:
    """Yield the replacements that WordNet relates to another word of the problem: place, column, message.

    Args:
        rows: The variants of one seed.
        words: The words of the seed; nothing is yielded where the tagger of the run is not at hand.
        wordnet: The WordNet of the run.
    """
    for (word_class, original), of_word in groupby(
        enumerate(rows), key=lambda each: (each[1]["word_class"], each[1]["original"])
    ):
        word = None if words.shared is None else words.shared.get((word_class, original))
        if word is None or words.tagged is None:
            continue
        is_related = wordnet.relation_to(other_words(words.tagged, word), word_class)
        for place, row in of_word:
            if is_related(row["replacement"]):
                yield place, "replacement", f"{quoted(row['replacement'])} is related to another word of the problem"
