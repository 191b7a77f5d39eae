"""Find the tagger and the WordNet of a run, identified by their digests."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.filters.lexical import load_wordnet
from generation.sentences.tagging import InPlaceTagger
from merge_snli.base.errors import InputError, Message
from merge_snli.dataset.record import generation_of
from merge_snli.models.tagger import find_tagger, installed_tagger

if TYPE_CHECKING:
    from generation.filters.lexical import WordNet
    from merge_snli.models.tagger import Tagger
    from merge_snli.validation.collector import Collector
    from merge_snli.validation.recorded_run import RecordedRun


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


def find_resources(run: RecordedRun, tagger: str | None, collector: Collector) -> Resources:
    """Find the tagger and the WordNet of a run; what is not available is reported as not checked.

    Args:
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets what cannot be checked.

    Raises:
        InputError: If the pipeline that the user names cannot be loaded.
    """
    if tagger is not None:
        _load_tagger(tagger)
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
    """Return the WordNet of a run.

    Raises:
        InputError: If it is not available.
    """
    wordnet = load_wordnet()
    recorded = generation_of(run.record).wordnet
    if recorded is None or recorded.digest != wordnet.digest:
        raise InputError(f"the run used another WordNet than the installed {wordnet.version}")
    return wordnet


def _find_tagger(run: RecordedRun, name: str | None) -> tuple[Tagger, InPlaceTagger]:
    """Return the tagger of a run.

    Raises:
        InputError: If it is not available.
    """
    found, expected = _load_tagger(name or installed_tagger(run.options.tagger)), generation_of(run.record).tagger
    tagger, _ = found
    if tagger.digest != expected.digest:
        raise InputError(
            f"the run's tagger {expected.name} {expected.version} has the digest {expected.digest[:12]}…, "
            f"the installed one {tagger.digest[:12]}…"
        )
    return found


@functools.lru_cache(maxsize=1)
def _load_tagger(name: str | None) -> tuple[Tagger, InPlaceTagger]:
    tagger = find_tagger(name)
    _ = tagger.nlp  # loaded here, so that a pipeline that cannot be loaded is reported once
    return tagger, InPlaceTagger(tagger)
