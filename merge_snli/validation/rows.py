"""Check the rows of configs `all` and `seed`, seed by seed, with the tagger and the WordNet of the run."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from pathlib import Path

from generation.filters.definitions import applied_filters
from generation.filters.filter import Applied, Occurrence, occurrences_of_word
from generation.filters.lexical import WordNet, load_wordnet
from generation.options import Options
from generation.sentences.tagging import InPlaceTagger
from merge_snli.base.errors import InputError, Message
from merge_snli.dataset.record import generation_of
from merge_snli.models.tagger import Tagger, find_tagger, installed_tagger, other_tagger
from merge_snli.schema import ALL
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.parquet import read_column
from merge_snli.validation.recorded_run import SEEDS, VARIANTS, RecordedRun
from merge_snli.validation.seeds import CheckedSeed, Row, check_seed, read_seeds
from merge_snli.validation.variants import check_variants


@dataclass(frozen=True)
class Resources:
    """What a run used to select replacements; None for what is not available or was not used.

    Attributes:
        tagger: The tagger of sentences.
        in_place: The same, for replacements in their place.
        wordnet: The WordNet.
    """

    tagger: Tagger | None
    in_place: InPlaceTagger | None
    wordnet: WordNet | None


def check_rows(folder: Path, run: RecordedRun, resources: Resources, collector: Collector) -> None:
    """Check the rows of configs `all` and `seed`.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        resources: The tagger and WordNet of the run.
        collector: Gets the findings and counts.
    """
    groups = [(seed_id, sum(1 for _ in group)) for seed_id, group in groupby(read_column(folder / VARIANTS, "seed_id"))]
    seed_ids = list(read_column(folder / SEEDS, "seed_id"))
    if not _check_seed_ids([seed_id for seed_id, _ in groups], seed_ids, collector):
        return
    for batch in read_seeds(folder, [count for _, count in groups], resources.tagger, run.options):
        check_in_place(batch, run, resources, collector)
        for seed in batch:
            collector.count("seeds")
            collector.count("variants", len(seed.variants))
            check_seed(seed, run, collector)
            check_variants(seed, run, collector)


def _check_seed_ids(found: Sequence[str], seeds: Sequence[str], collector: Collector) -> bool:
    """Return whether the variants have the seeds of config `seed` in ascending order; report the first difference."""
    for number, (seed_id, expected) in enumerate(zip_longest(seeds, found)):
        if seed_id != expected:
            problem = "is missing" if seed_id is None else f"is {quoted(seed_id)}"
            of_all = "has no more seeds" if expected is None else f"has the seed {quoted(expected)} next"
            collector.find(SEEDS, number, "seed_id", f"{problem}; config {ALL} {of_all}")
            return False
    for number, (seed_id, following) in enumerate(pairwise(seeds), 1):
        if following <= seed_id:
            collector.find(
                SEEDS, number, "seed_id", f"{quoted(following)} is out of order: it follows {quoted(seed_id)}"
            )
            return False
    return True


def check_in_place(seeds: Sequence[CheckedSeed], run: RecordedRun, resources: Resources, collector: Collector) -> None:
    """Report replacements that a filter of the run on words or on tags would have dropped.

    Filters that always apply are checked with the replacement itself. Scrambled replacements are not checked.

    Args:
        seeds: The seeds; those whose sentences are not tagged are not checked.
        run: The record of the run.
        resources: The tagger and the WordNet of the run.
        collector: Gets the findings and counts.
    """
    options, texts = run.options, run.record.texts.by_column
    filters = [each for each in applied_filters(options) if each.filter.option or each.filter.on_tag]
    if resources.wordnet is None:
        filters = [each for each in filters if not each.filter.needs_wordnet]
    if options.scramble or resources.in_place is None or not filters:
        return
    occurrences = [
        (number, row["replacement"], occurrence)
        for seed in seeds
        for number, row in seed.variants.items()
        for occurrence in _occurrences(row, seed, options, resources)
    ]
    written = [occurrence.replaced_by(word) for _, word, occurrence in occurrences]
    tags: Sequence[str | None] = [None] * len(occurrences)
    parses = [True] * len(occurrences)
    if any(each.filter.on_tag is not None for each in filters):
        tags = resources.in_place.tags(written)
        collector.count("words tagged in place", len(occurrences))
    if any(each.filter.on_parse is not None for each in filters):
        parses = resources.in_place.same_parses(written)
    for (number, word, occurrence), substitution, tag, is_same in zip(occurrences, written, tags, parses, strict=True):
        found = next((each for each in filters if _drops(each, occurrence, word, tag, is_same)), None)
        if found is not None:
            message = f"in the {texts[occurrence.side]}: {found} drops it ({found.filter.reason})"
            collector.find(VARIANTS, number, "replacement", f"{quoted(substitution.word)} {message}")


def _drops(applied: Applied, occurrence: Occurrence, word: str, tag: str | None, is_same_parse: bool) -> bool:
    """Return whether a filter on words, tags or parses drops a replacement in a place."""
    each, value = applied
    if each.on_word is not None:
        return each.on_word(value, occurrence)(word)
    if each.on_parse is not None:
        return each.on_parse(value, occurrence)(is_same_parse)
    return each.on_tag is not None and each.on_tag(value, occurrence)(tag)


def _occurrences(row: Row, seed: CheckedSeed, options: Options, resources: Resources) -> Iterator[Occurrence]:
    """Yield the places of a replacement in the sentences in which masked LMs validated it."""
    word = seed.shared.get((row["word_class"], row["original"]))
    if word is None or seed.tagged is None:
        return
    occurrences = occurrences_of_word(
        seed.tagged, word, options.mask, problem_words=seed.words, wordnet=resources.wordnet
    )
    for _, occurrence in occurrences:
        if row[f"{occurrence.side}_mlms"]:
            yield occurrence


def find_resources(run: RecordedRun, tagger: str | None, collector: Collector) -> Resources:
    """Find the tagger and the WordNet of a run; what is not available is reported as not checked.

    Args:
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets what cannot be checked.
    """
    if tagger is not None:
        _load_tagger(tagger, run.options.language)
    run_tagger = in_place = wordnet = None
    try:
        run_tagger, in_place = _find_tagger(run, tagger)
    except InputError as error:
        collector.skip(Message(f"word classes and word boundaries: {error.message.marked}"))
    try:
        wordnet = _find_wordnet(run) if run.options.no_relations and not run.options.scramble else None
    except InputError as error:
        collector.skip(Message(f"relations to other words: {error.message.marked}"))
    if run.options.scramble:
        collector.skip("word classes and relations of replacements: their letters are scrambled")
    return Resources(run_tagger, in_place, wordnet)


def _find_wordnet(run: RecordedRun) -> WordNet:
    """Return the WordNet of a run."""
    wordnet = load_wordnet()
    recorded = generation_of(run.record).wordnet
    if recorded is None or recorded.digest != wordnet.digest:
        raise InputError(f"the run used another WordNet than the installed {wordnet.version}")
    return wordnet


def _find_tagger(run: RecordedRun, name: str | None) -> tuple[Tagger, InPlaceTagger]:
    """Return the tagger of a run."""
    found = _load_tagger(
        name or installed_tagger(run.options.tagger), run.options.language, parser=run.options.same_parse
    )
    message = other_tagger(found[0], generation_of(run.record).tagger)
    if message is not None:
        raise InputError(message)
    return found


@functools.lru_cache(maxsize=1)
def _load_tagger(name: str | None, language: str | None, *, parser: bool = False) -> tuple[Tagger, InPlaceTagger]:
    tagger = find_tagger(name, language=language, parser=parser)
    _ = tagger.nlp  # loaded here, so that a pipeline that cannot be loaded is reported once
    return tagger, InPlaceTagger(tagger)
