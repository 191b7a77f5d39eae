"""Replace a word in a sentence and keep its case pattern."""

from collections.abc import Sequence


def match_case(original: str, word: str) -> str:
    """Return `word` in the case pattern of `original`.

    Args:
        original: The word to replace.
        word: The suggestion, as it is in the masked LM's vocabulary.

    Returns:
        `word` in lower case, capitalized or in upper case, like `original`; unchanged if `original` mixes cases.
    """
    capitals = [letter.isupper() for letter in original if letter.isalpha()]
    if not any(capitals):
        return word.lower()
    if all(capitals) and len(capitals) > 1:
        return word.upper()
    if capitals[0] and not any(capitals[1:]):
        return word[:1].upper() + word[1:].lower()
    return word


def replace_occurrences(sentence: str, starts: Sequence[int], original: str, word: str) -> str:
    """Replace `original` with `word` at each offset.

    Args:
        sentence: The sentence.
        starts: Offsets of the first characters of the occurrences, ascending.
        original: The word to replace; its occurrences may have other cases.
        word: The replacement, in the case pattern of `original`.
    """
    for start in reversed(starts):
        end = start + len(original)
        sentence = sentence[:start] + match_occurrence_case(sentence[start:end], original, word) + sentence[end:]
    return sentence


def replaced_offsets(sentence: str, starts: Sequence[int], original: str, word: str) -> tuple[int, ...]:
    """Return the offsets at which the replacements of `replace_occurrences` start; the arguments are the same."""
    offsets, shift = [], 0
    for start in starts:
        offsets.append(start + shift)
        occurrence = sentence[start : start + len(original)]
        shift += len(match_occurrence_case(occurrence, original, word)) - len(original)
    return tuple(offsets)


def match_occurrence_case(occurrence: str, original: str, word: str) -> str:
    """Return a replacement in the case pattern of one occurrence of the shared word.

    Args:
        occurrence: The shared word as it is written at this occurrence.
        original: The text of the shared word.
        word: The replacement, in the case pattern of `original`.
    """
    return word if occurrence == original else match_case(occurrence, word)
