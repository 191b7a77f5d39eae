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
    # Each letter is the set of its models, as the bits of a number.
    bits = {model: 1 << rank for rank, model in enumerate(models)}
    letters = [(1 << len(models)) - 1]
    for first, second in differing:
        both = bits[first] | bits[second]
        kept, split = [], []
        for letter in letters:
            if letter & both == both:
                split += [letter - bits[first], letter - bits[second]]
            else:
                kept.append(letter)
        letters = list(kept)
        for part in split:
            if not any(part & letter == part for letter in kept):
                letters.append(part)
    texts = dict.fromkeys(models, "")
    ranks = []
    for letter in letters:
        ranks.append([rank for rank in range(len(models)) if letter >> rank & 1])
    for number, of_letter in enumerate(sorted(ranks)):
        for rank in of_letter:
            texts[models[rank]] += _letter(number)
    return texts


def _letter(number: int) -> str:
    """Return the letters a to z, then a1 to z1 and so on."""
    suffix, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(suffix) if suffix else "")
