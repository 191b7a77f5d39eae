"""Ids of problems: made from the content, numbered if contents repeat, and checked for duplicates in little memory."""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTENT_ID_DIGITS = 12
"""Hexadecimal digits of an id that is made from the content."""

HASH_BYTES = 8
"""Bytes of the hash by which ids are compared."""


def content_id(premise: str, hypothesis: str, label: str) -> str:
    """Return the first `CONTENT_ID_DIGITS` hexadecimal digits of the sha256 of a problem's content."""
    content = json.dumps([premise, hypothesis, label], ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()[:CONTENT_ID_DIGITS]


def id_hash(identity: str) -> int:
    """Return the first 64 bits of the sha256 of an id. Different ids may have the same hash."""
    return int.from_bytes(hashlib.sha256(identity.encode()).digest()[:HASH_BYTES])


def repeated_numbers(numbers: array[int]) -> array[int]:
    """Return the numbers that occur more than once.

    Args:
        numbers: At least one unsigned 64-bit number; sorted in place.

    Returns:
        Each repeated number once, in ascending order.
    """
    ordered = np.frombuffer(numbers, dtype=np.uint64)
    ordered.sort()
    return array("Q", np.unique(ordered[1:][ordered[1:] == ordered[:-1]]).tobytes())


def find_number(numbers: Sequence[int], number: int) -> int | None:
    """Return the index of a number in an ascending sequence, or None if it is not there."""
    index = bisect_left(numbers, number)
    return index if index < len(numbers) and numbers[index] == number else None


class OrdinalCounter:
    """Appends ordinals to repeated content ids: the first keeps its id, the second gets `-2`, and so on."""

    def __init__(self, repeated: Sequence[int]) -> None:
        """Start counting.

        Args:
            repeated: The content ids that occur more than once, as numbers in ascending order.
        """
        self._repeated = repeated
        self._counts = array("I", [0]) * len(repeated)

    def add_ordinal(self, identity: str) -> str:
        """Count an occurrence of a content id and return the id with the occurrence's ordinal."""
        index = find_number(self._repeated, int(identity, 16))
        if index is None:
            return identity
        self._counts[index] += 1
        ordinal = self._counts[index]
        return identity if ordinal == 1 else f"{identity}-{ordinal}"
