"""Find the places at which two JSON values differ."""

from collections.abc import Callable, Iterator
from operator import eq
from typing import Any


def differences(
    found: object, expected: object, place: str = "", *, is_equal: Callable[[object, object], bool] = eq
) -> Iterator[tuple[str, object, object]]:
    """Yield each innermost place at which two JSON values differ: its dotted path, and the two values.

    Args:
        found: A value.
        expected: The value that it must have.
        place: The dotted path of the value in its document; empty for the whole document.
        is_equal: Compares two values that are not objects with the same keys, or lists of the same length.

    Examples:
        >>> list(differences({"a": [1, 2]}, {"a": [1, 3]}))
        [('a.1', 2, 3)]
    """
    pairs: dict[Any, tuple[object, object]] = {}
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        pairs = {key: (found[key], expected[key]) for key in expected}
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = dict(enumerate(zip(found, expected, strict=True)))
    elif not is_equal(found, expected):
        yield place, found, expected
    for key, (value, expected_value) in pairs.items():
        yield from differences(value, expected_value, f"{place}.{key}".lstrip("."), is_equal=is_equal)
