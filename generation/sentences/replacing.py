"""Replace a word in a sentence, in the case pattern of the word that stood there."""

from collections.abc import Sequence


def match_case(original: str, word: str) -> str:
    """Write `word` in the case pattern of `original`.

    Args:
        original: The word that is replaced.
        word: The suggestion, as the masked LM's vocabulary writes it.

    Returns:
        `word` in lower case, with a capital, or in capitals, as `original` is; as it is where `original` is neither.
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
    """Put `word` in the place of `original` at each of the offsets.

    Args:
        sentence: The sentence.
        starts: Offsets of the first characters of the occurrences, rising.
        original: What stands there, in whatever case.
        word: What is to stand there, in the case pattern of `original`.
    """
    for start in reversed(starts):
        end = start + len(original)
        sentence = sentence[:start] + match_occurrence_case(sentence[start:end], original, word) + sentence[end:]
    return sentence


def match_occurrence_case(occurrence: str, original: str, word: str) -> str:
    """Write a replacement as an occurrence of the shared word asks for.

    Args:
        occurrence: The shared word as it is written in this place.
        original: The shared word's own text, whose case pattern `word` has.
        word: The replacement.
    """
    return word if occurrence == original else match_case(occurrence, word)
