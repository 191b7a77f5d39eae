"""A variant's sentence compared with its seed's without a tagger."""

from __future__ import annotations

import pytest

from merge_snli.validation.seeds import is_replaced

Case = tuple[str, str, tuple[int, ...], str, str]

GOOD = (
    ("A dog runs.", "A cat runs.", (2,), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (0, 8), "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-dog.", (2,), "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-cat.", (2, 16), "dog", "cat"),
    ("“dog”", "“dogdog”", (1,), "dog", "dogdog"),
)
BAD = (
    ("A dog runs.", "A dog runs.", (2,), "dog", "cat"),
    ("A dog runs.", "A cat ran.", (2,), "dog", "cat"),
    ("dog eat dog", "cat eat dog", (0,), "dog", "cat"),
    ("A dog runs.", "A  cat runs.", (3,), "dog", "cat"),
    ("A dogma.", "A dogma.", (), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (2,), "", "cat"),
    ("A dog runs.", "A cat runs.", (), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (3,), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (-9,), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (8, 0), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (0, 0, 8), "dog", "cat"),
)


@pytest.mark.parametrize("case", GOOD)
def test_every_word_is_replaced(case: Case) -> None:
    assert is_replaced(*case)


@pytest.mark.parametrize("case", BAD)
def test_anything_else_differs(case: Case) -> None:
    assert not is_replaced(*case)


def test_ignore_case() -> None:
    assert is_replaced("Dogs like dogs", "Cats like cats", (0, 10), "dogs", "cats", ignore_case=True)
    assert not is_replaced("Dogs like dogs", "Cats like cats", (0, 10), "dogs", "cats")
    assert not is_replaced("Dogs like dogs", "cats like cats", (0, 10), "dogs", "cats", ignore_case=True)
