"""The word class of a suggestion: that of its token in the sentence with only that occurrence replaced."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from generation.sentences.tagging import CLASS_OF_TAG, SENTENCES_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.sentences.in_place import InPlace
    from generation.sentences.receptive_field import ReceptiveFieldTagger
    from generation.sentences.tagging import Tagger

logger = logging.getLogger(__name__)

VERIFIED_ON = 256
"""How many of a run's first suggestions are tagged both ways before the fast way is trusted."""


class InPlaceTagger:
    """Tags suggestions in place: by the tagger's receptive field where that was seen to give the same tags.

    It keeps what tagging the same words again would cost, and whether the fast way may be trusted.
    """

    def __init__(self, tagger: Tagger) -> None:
        """Prepare for tagging.

        Args:
            tagger: What `load_tagger` gave.
        """
        self._tagger = tagger
        self._fast: ReceptiveFieldTagger | None = None
        self._verified = False

    @property
    def is_fast(self) -> bool:
        """Whether the fast way was seen to give the same tags, and is used."""
        return self._fast is not None

    def word_classes(self, places: Sequence[InPlace]) -> list[str | None]:
        """Return the word class of each suggestion in its place.

        Args:
            places: The suggestions, in any number and order.

        Returns:
            `noun`, `verb`, `adj`, `adv`; None for a closed class and where spaCy splits the suggestion into several
            tokens or joins it with its neighbours.
        """
        if not self._verified and places:
            self._fast = self._verified_fast_path(places[:VERIFIED_ON])
            self._verified = True
        tags = plain_tags(places, self._tagger) if self._fast is None else self._fast.tags(places)
        return [None if tag is None else CLASS_OF_TAG.get(tag) for tag in tags]

    def _verified_fast_path(self, places: Sequence[InPlace]) -> ReceptiveFieldTagger | None:
        from generation.sentences.receptive_field import ReceptiveFieldTagger, UnknownArchitectureError

        try:
            fast = ReceptiveFieldTagger(self._tagger)
        except UnknownArchitectureError as error:
            logger.info("tagger %s tags whole sentences: %s", self._tagger.name, error)
            return None
        try:
            same = fast.tags(places) == plain_tags(places, self._tagger)
        except (RuntimeError, ValueError, TypeError, LookupError) as error:
            logger.info("tagger %s tags whole sentences: %s", self._tagger.name, error)
            return None
        if not same:
            logger.warning("tagger %s tags whole sentences: its receptive field gave other tags", self._tagger.name)
            return None
        return fast


def plain_tags(places: Sequence[InPlace], tagger: Tagger) -> list[str | None]:
    """Tag the whole sentences with spaCy and return the Penn tag of each suggestion, None where it is no token."""
    docs = tagger.nlp.pipe((place.text for place in places), batch_size=SENTENCES_AT_ONCE)
    return [
        next((token.tag_ for token in doc if token.idx == place.start and token.text == place.word), None)
        for place, doc in zip(places, docs, strict=True)
    ]
