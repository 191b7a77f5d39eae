"""Check the word classes of replacements in their place, and their relations to other words of the problem."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from generation.options import POS
from generation.replacements.relations import other_words
from merge_snli.validation.finding import quoted
from merge_snli.validation.seed_groups import VARIANTS
from merge_snli.validation.seed_words import seed_texts
from merge_snli.validation.variants import replacements_in_place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generation.replacements.relations import WordNet
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.record import RecordedRun
    from merge_snli.validation.resources import RunTagger
    from merge_snli.validation.seed_groups import Row, SeedGroup
    from merge_snli.validation.seed_words import SeedWords, Texts


def check_word_classes(
    first: int,
    rows: Sequence[Row],
    words: Mapping[Texts, SeedWords],
    run: RecordedRun,
    tagger: RunTagger | None,
    collector: Collector,
) -> None:
    """Report replacements that the tagger gives another class than the word they replace.

    Args:
        first: The number of the first row.
        rows: Rows of config `all`.
        words: The words of the seeds.
        run: The record of the run.
        tagger: The tagger of the run; None if it is not available.
        collector: Gets the findings and counts.
    """
    if tagger is None or POS not in run.options.filters or run.options.scramble:
        return
    replacements = [
        (number, row, side, in_place)
        for number, row in enumerate(rows, first)
        for side, in_place in replacements_in_place(row, words[seed_texts(row)])
    ]
    word_classes = tagger.in_place.word_classes([in_place for *_, in_place in replacements])
    collector.count("words tagged in place", len(replacements))
    for (number, row, side, in_place), word_class in zip(replacements, word_classes, strict=True):
        if word_class != row["word_class"]:
            message = f"{quoted(in_place.word)} is tagged {word_class or 'as another class'} in the {side}"
            collector.find(VARIANTS, number, "replacement", f"{message}, not {row['word_class']}")


def check_relations(group: SeedGroup, words: SeedWords, wordnet: WordNet, collector: Collector) -> None:
    """Report replacements that WordNet relates to another word of the problem.

    Args:
        group: The variants of one seed.
        words: The words of the seed; without tagged sentences, nothing is checked.
        wordnet: The WordNet of the run.
        collector: Gets the findings.
    """
    numbered = enumerate(group.rows, group.first)
    for key, of_word in groupby(numbered, key=lambda each: (each[1]["word_class"], each[1]["original"])):
        word = None if words.shared is None else words.shared.get(key)
        if word is None or words.tagged is None:
            continue
        is_related = wordnet.relation_to(other_words(words.tagged, word), word.word_class)
        for number, row in of_word:
            if is_related(row["replacement"]):
                message = f"{quoted(row['replacement'])} is related to another word of the problem"
                collector.find(VARIANTS, number, "replacement", message)
