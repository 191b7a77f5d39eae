"""Find the positions at which two JSON values differ."""

from collections.abc import Callable, Iterator
from operator import eq
from typing import Any


def differences(
    value: object, expected: object, position: str = "", *, is_equal: Callable[[object, object], bool] = eq
) -> Iterator[tuple[str, object, object]]:
    """Yield each innermost position at which two JSON values differ: its dotted path, and the two values.

    Args:
        value: A value.
        expected: The value that it must have.
        position: The dotted path of the value in its document; empty for the whole document.
        is_equal: Compares two values that are not objects with the same keys, or lists of the same length.

    Examples:
        >>> list(differences({"a": [1, 2]}, {"a": [1, 3]}))
        [('a.1', 2, 3)]
    """
    pairs: dict[Any, tuple[object, object]] = {}
    if isinstance(value, dict) and isinstance(expected, dict) and value.keys() == expected.keys():
        pairs = {key: (value[key], expected[key]) for key in expected}
    elif isinstance(value, list) and isinstance(expected, list) and len(value) == len(expected):
        pairs = dict(enumerate(zip(value, expected, strict=True)))
    elif not is_equal(value, expected):
        yield position, value, expected
    for key, (inner, expected_inner) in pairs.items():
        yield from differences(inner, expected_inner, f"{position}.{key}".lstrip("."), is_equal=is_equal)
