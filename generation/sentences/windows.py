"""Windows of a text that is too long for a masked LM: the sentence of an occurrence, and its neighbors that fit."""

import re
from collections.abc import Sequence

# Closing quotation marks and brackets belong to the sentence. An abbreviation such as "Dr." ends one as well: then the
# window begins or ends within a sentence, as the text of a masked LM often does.
SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|\n\s*")


def sentence_starts(text: str) -> list[int]:
    """Return the offset of the first character of each sentence, ascending from 0."""
    ends = {match.end() for match in SENTENCE_END.finditer(text)}
    return [0, *sorted(ends - {len(text)})]


def window_around(index: int, lengths: Sequence[int], limit: int) -> tuple[int, int]:
    """Return the sentences of a window.

    The preceding and the following sentences are added in turn, as long as the sum of the lengths is at most `limit`.
    If one side is at its end or its next sentence does not fit, only the other side grows.

    Args:
        index: The sentence that the window has in any case.
        lengths: The length of each sentence.
        limit: The largest sum.

    Returns:
        The index of the first sentence, and that after the last.
    """
    first, end, total = index, index + 1, lengths[index]
    open_sides = [True, True]
    while any(open_sides):
        for side, neighbor in enumerate((first - 1, end)):
            open_sides[side] &= 0 <= neighbor < len(lengths) and total + lengths[neighbor] <= limit
            if open_sides[side]:
                first, end, total = min(first, neighbor), max(end, neighbor + 1), total + lengths[neighbor]
    return first, end
