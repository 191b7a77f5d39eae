"""What the run judged words by, where it is at hand: the tagger and WordNet, told by their digests."""

from __future__ import annotations

import functools
import importlib.metadata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.replacements.relations import load_wordnet
from generation.sentences.tagging import load_tagger
from generation.sentences.tags_in_place import InPlaceTagger
from merge_snli.errors import InputError

if TYPE_CHECKING:
    from generation.replacements.relations import WordNet
    from generation.sentences.tagging import Tagger
    from merge_snli.validation.record import RecordedRun


@dataclass(frozen=True)
class RunTagger:
    """The tagger that the run used, and the same for suggestions in their place."""

    tagger: Tagger
    in_place: InPlaceTagger


@dataclass(frozen=True)
class Resources:
    """What the run judged words by; None for what is not at hand, or was not asked."""

    tagger: RunTagger | None
    wordnet: WordNet | None


def find_resources(run: RecordedRun, tagger: str | None) -> tuple[Resources, list[str]]:
    """Find what the run judged words by.

    Args:
        run: The record of the run.
        tagger: The spaCy pipeline as the user names it; None for what the record says.

    Returns:
        What is at hand, and one sentence for each thing that is not.
    """
    reasons = []
    found = find_run_tagger(run, tagger)
    if isinstance(found, str):
        reasons.append(f"word classes, and which places are words: {found}")
    wordnet = find_run_wordnet(run) if run.options.no_relations else None
    if isinstance(wordnet, str):
        reasons.append(f"relations to other words: {wordnet}")
    return Resources(None if isinstance(found, str) else found, None if isinstance(wordnet, str) else wordnet), reasons


def find_run_wordnet(run: RecordedRun) -> WordNet | str:
    """Find the WordNet of a run, or one sentence that says why it is not at hand."""
    try:
        wordnet = load_wordnet()
    except InputError as error:
        return str(error)
    recorded = run.record.wordnet
    if recorded is None or recorded.digest != wordnet.digest:
        return f"the WordNet {wordnet.version} at hand is not the run's"
    return wordnet


def find_run_tagger(run: RecordedRun, name: str | None = None) -> RunTagger | str:
    """Find the tagger of a run.

    What the record names is loaded only where it is an installed package: the data set may come from anyone, and a
    folder of that name may be part of it.

    Args:
        run: The record of the run.
        name: The pipeline as the user names it; None for what the record says.

    Returns:
        The tagger, or one sentence that says why it is not at hand.

    Raises:
        InputError: Where the pipeline that the user names cannot be loaded.
    """
    recorded = run.options.tagger
    if name is None and recorded is not None and not _is_installed(recorded):
        return f"the run's tagger {recorded!a} is no installed package: name its folder with --tagger"
    try:
        found = _load(name or recorded)
    except InputError as error:
        if name is not None:
            raise
        return str(error)
    if found.tagger.digest != run.record.tagger.digest:
        return (
            f"the run's tagger {run.record.tagger.name} {run.record.tagger.version} has the digest "
            f"{run.record.tagger.digest[:12]}…, the one at hand {found.tagger.digest[:12]}…"
        )
    return found


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.distribution(package)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return False
    return True


@functools.lru_cache(maxsize=1)
def _load(name: str | None) -> RunTagger:
    tagger = load_tagger(name)
    return RunTagger(tagger, InPlaceTagger(tagger))
