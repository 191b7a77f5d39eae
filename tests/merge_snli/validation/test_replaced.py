"""A variant's sentence compared with its seed's without a tagger."""

from __future__ import annotations

import pytest

from merge_snli.validation.replaced import is_replaced

GOOD = (
    ("A dog runs.", "A cat runs.", "dog", "cat"),
    ("dog eat dog", "cat eat cat", "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-dog.", "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-cat.", "dog", "cat"),
    ("“dog”", "“dogdog”", "dog", "dogdog"),
)
BAD = (
    ("A dog runs.", "A dog runs.", "dog", "cat"),
    ("A dog runs.", "A cat ran.", "dog", "cat"),
    ("dog eat dog", "cat eat dog", "dog", "cat"),
    ("A dog runs.", "A  cat runs.", "dog", "cat"),
    ("A dogma.", "A dogma.", "dog", "cat"),
    ("A dog runs.", "A cat runs.", "", "cat"),
)


@pytest.mark.parametrize("case", GOOD)
def test_every_word_is_replaced(case: tuple[str, str, str, str]) -> None:
    assert is_replaced(*case)


@pytest.mark.parametrize("case", BAD)
def test_anything_else_differs(case: tuple[str, str, str, str]) -> None:
    assert not is_replaced(*case)


def test_ignore_case() -> None:
    assert is_replaced("Dogs like dogs", "Cats like cats", "dogs", "cats", ignore_case=True)
    assert not is_replaced("Dogs like dogs", "cats like cats", "dogs", "cats", ignore_case=True)
