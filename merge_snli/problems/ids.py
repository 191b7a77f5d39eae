"""Ids made from the content of problems, with ordinals for equal ones, in memory that only repeated contents take."""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DIGITS = 12
"""Hexadecimal digits of an id that is made from the content."""


def content_id(premise: str, hypothesis: str, label: str) -> str:
    """Return the first `DIGITS` hexadecimal digits of the sha256 of a problem's content."""
    content = json.dumps([premise, hypothesis, label], ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()[:DIGITS]


def with_ordinal(identity: str, nth: int) -> str:
    """Return the id of the nth problem of equal content, counted from 1: the first has none."""
    return identity if nth == 1 else f"{identity}-{nth}"


class Ordinals:
    """Counts how often each repeated id was met so far."""

    def __init__(self, repeated: Sequence[int]) -> None:
        """Begin to count.

        Args:
            repeated: The ids of several problems, as numbers, rising.
        """
        self._repeated = repeated
        self._met = array("I", [0]) * len(repeated)

    def next(self, identity: str) -> str:
        """Return the id with the ordinal of this meeting."""
        value = int(identity, 16)
        place = bisect_left(self._repeated, value)
        if place == len(self._repeated) or self._repeated[place] != value:
            return identity
        self._met[place] += 1
        return with_ordinal(identity, self._met[place])
