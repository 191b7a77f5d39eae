"""Group items by key, or into batches of limited size."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def grouped(items: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Return the items of each key, with the keys in the order in which they first occur.

    Args:
        items: Each item with its key.

    Examples:
        >>> grouped((len(word), word) for word in ("one", "three", "two"))
        {3: ['one', 'two'], 5: ['three']}
    """
    groups: dict[K, list[T]] = {}
    for key, item in items:
        groups.setdefault(key, []).append(item)
    return groups


def batches_of(items: Iterable[T], size_of: Callable[[T], int], limit: int) -> Iterator[list[T]]:
    """Yield the items in batches whose sizes add up to at most `limit`; a larger item is a batch of its own."""
    batch: list[T] = []
    total = 0
    for item in items:
        size = size_of(item)
        if batch and total + size > limit:
            yield batch
            batch = []
            total = 0
        batch.append(item)
        total += size
    if batch:
        yield batch
