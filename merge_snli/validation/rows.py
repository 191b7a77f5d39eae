"""Check the rows of configs `all` and `seed`, seed by seed, with the tagger and the WordNet of the run."""

import functools
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from pathlib import Path

from generation.filters.filter import Applied, Occurrence, occurrences_of_word
from generation.filters.lexical import WordNet, load_wordnet
from generation.options import Options
from generation.sentences.tagging import InPlaceTagger
from merge_snli.base.errors import InputError, Message
from merge_snli.base.progress import SHOWN_AFTER, Progress, step
from merge_snli.dataset.record import generation_of
from merge_snli.models.tagger import Tagger, tagger_of_run
from merge_snli.schema import ALL
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.parquet import read_column
from merge_snli.validation.recorded_run import SEEDS, VARIANTS, RecordedRun
from merge_snli.validation.seeds import CheckedSeed, check_seed, check_variants, read_seeds


def check_rows(folder: Path, run: RecordedRun, tagger: str | None, collector: Collector) -> None:
    """Check the rows of configs `all` and `seed`.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets the findings and counts.
    """
    with step("loading the tagger", 1, "taggers"):
        in_place = _find_tagger(run, tagger, collector)
    wordnet = _find_wordnet(run, collector)
    if run.options.scramble:
        collector.skip("word classes and relations of replacements: their letters are scrambled")
    sizes = []
    of_variants = []
    for seed_id, group in groupby(read_column(folder / VARIANTS, "seed_id")):
        of_variants.append(seed_id)
        sizes.append(sum(1 for _ in group))
    if not _check_seed_ids(read_column(folder / SEEDS, "seed_id"), of_variants, collector):
        return
    run_tagger = None if in_place is None else in_place.tagger
    with Progress(after=SHOWN_AFTER).stage("checking rows", unit="seeds", total=len(sizes)) as stage:
        for batch in read_seeds(folder, sizes, run_tagger, run.options):
            if in_place is not None:
                _check_in_place(batch, run, in_place, wordnet, collector)
            for seed in batch:
                collector.count("seeds")
                collector.count("variants", len(seed.variants))
                check_seed(seed, run, collector)
                check_variants(seed, run, collector)
                stage.advance(1)


def _check_seed_ids(seeds: Iterable[str], of_variants: Iterable[str], collector: Collector) -> bool:
    """Return whether the variants have the seeds of config `seed` in ascending order; report the first difference."""
    previous = ""
    for number, (seed_id, expected) in enumerate(zip_longest(seeds, of_variants)):
        if seed_id is None or seed_id != expected or seed_id <= previous:
            order = f"config {ALL} has {quoted(expected)} there, and the ids are in ascending order"
            collector.find(SEEDS, number, "seed_id", f"is {quoted(seed_id)}, after {quoted(previous)}; {order}")
            return False
        previous = seed_id
    return True


def _check_in_place(
    seeds: Sequence[CheckedSeed],
    run: RecordedRun,
    tagger: InPlaceTagger,
    wordnet: WordNet | None,
    collector: Collector,
) -> None:
    """Report replacements that a filter of the run on words or on tags would have dropped.

    Filters that always apply are checked with the replacement itself. Scrambled replacements are not checked.
    """
    options = run.options
    texts = run.record.texts.by_column
    filters = [
        applied
        for applied in run.filters
        if (applied.filter.option or applied.filter.on_tag)
        and (wordnet is not None or not applied.filter.needs_wordnet)
    ]
    if options.scramble or not filters:
        return
    occurrences = []
    for seed in seeds:
        of_words = _occurrences(seed, options, wordnet)
        for number, row in seed.variants.items():
            for occurrence in of_words.get((row["word_class"], row["original"]), ()):
                if row[f"{occurrence.side}_mlms"]:
                    occurrences.append((number, row["replacement"], occurrence))
    written = [occurrence.replaced_by(word) for _, word, occurrence in occurrences]
    tags: Sequence[str | None] = [None] * len(occurrences)
    parses = [True] * len(occurrences)
    if any(applied.filter.on_tag is not None for applied in filters):
        tags = tagger.tags(written)
        collector.count("words tagged in place", len(occurrences))
    if any(applied.filter.on_parse is not None for applied in filters):
        parses = tagger.same_parses(written)
    for (number, word, occurrence), substitution, tag, is_same in zip(occurrences, written, tags, parses, strict=True):
        for applied in filters:
            if _drops(applied, occurrence, word, tag, is_same):
                message = f"in the {texts[occurrence.side]}: {applied} drops it ({applied.filter.reason})"
                collector.find(VARIANTS, number, "replacement", f"{quoted(substitution.word)} {message}")
                break


def _drops(applied: Applied, occurrence: Occurrence, word: str, tag: str | None, is_same_parse: bool) -> bool:
    """Return whether a filter on words, tags or parses drops a replacement at an occurrence."""
    filter_ = applied.filter
    if filter_.on_word is not None:
        return filter_.on_word(occurrence)(word)
    if filter_.on_parse is not None:
        return filter_.on_parse(occurrence)(is_same_parse)
    return filter_.on_tag is not None and filter_.on_tag(occurrence)(tag)


def _occurrences(
    seed: CheckedSeed, options: Options, wordnet: WordNet | None
) -> dict[tuple[str, str], list[Occurrence]]:
    """Return the occurrences of the replaced words of a seed, by class and form; none without the tagger of the run."""
    found: dict[tuple[str, str], list[Occurrence]] = {}
    for row in seed.variants.values():
        key = row["word_class"], row["original"]
        if seed.tagged is not None and key in seed.shared and key not in found:
            word = seed.shared[key]
            forms = occurrences_of_word(seed.tagged, word, options.mask, problem_words=seed.words, wordnet=wordnet)
            found[key] = [occurrence for _, occurrence in forms]
    return found


def _find_wordnet(run: RecordedRun, collector: Collector) -> WordNet | None:
    """Return the WordNet of a run; None if the run did not use it, or it is not available, which is reported."""
    if not run.options.no_relations or run.options.scramble:
        return None
    recorded = generation_of(run.record).wordnet
    try:
        wordnet = load_wordnet()
    except InputError as error:
        collector.skip(Message(f"relations to other words: {error.message.marked}"))
        return None
    if recorded is not None and recorded.digest == wordnet.digest:
        return wordnet
    collector.skip(
        Message(f"relations to other words: the run used another WordNet than the installed {wordnet.version}")
    )
    return None


def _find_tagger(run: RecordedRun, name: str | None, collector: Collector) -> InPlaceTagger | None:
    """Return the tagger of a run; None if it is not available, which is reported.

    Raises:
        InputError: If the pipeline that the user names cannot be loaded.
    """
    try:
        tagger, message = tagger_of_run(run.record, name)
        if message is None:
            return _loaded(tagger)
    except InputError as error:
        if name is not None:
            raise
        message = error.message.marked
    collector.skip(Message(f"word classes and word boundaries: {message}"))
    return None


@functools.lru_cache(maxsize=1)
def _loaded(tagger: Tagger) -> InPlaceTagger:
    _ = tagger.nlp  # loaded here, so that a pipeline that cannot be loaded is reported once
    return InPlaceTagger(tagger)
