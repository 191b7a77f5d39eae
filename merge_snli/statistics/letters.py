"""Show which models of a family differ by letters."""

from collections.abc import Sequence
from string import ascii_lowercase


def compact_letters(models: Sequence[str], differing: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Assign letters to models so that two models share a letter if and only if they do not differ.

    Uses Piepho's method (2004): a letter that a differing pair shares is split in two, and a letter whose models all
    share another letter is dropped.

    Args:
        models: Models, best first; the best gets the first letter.
        differing: Pairs that differ.

    Returns:
        The letters of each model, such as "a" or "ab".

    Examples:
        >>> compact_letters(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    ranks = {model: rank for rank, model in enumerate(models)}
    letters = [frozenset(ranks.values())]  # the models of each letter
    for first, second in differing:
        both = {ranks[first], ranks[second]}
        kept = [letter for letter in letters if not both <= letter]
        for letter in letters:
            if both <= letter:
                for part in (letter - {ranks[first]}, letter - {ranks[second]}):
                    if not any(part <= other for other in kept):
                        kept.append(part)
        letters = kept
    texts = dict.fromkeys(models, "")
    for number, of_letter in enumerate(sorted(map(sorted, letters))):
        for rank in of_letter:
            texts[models[rank]] += _letter(number)
    return texts


def _letter(number: int) -> str:
    """Return the letters a to z, then a1 to z1 and so on."""
    suffix, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(suffix) if suffix else "")
