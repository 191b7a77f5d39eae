"""Which forms masked LMs could fill: shares in words, and when they are a warning."""

from __future__ import annotations

import pytest

from merge_snli.dataset.answered_forms import IN_WINDOW, SPLIT, TOO_LONG, has_few_fillers, shares_text


@pytest.mark.parametrize(
    ("in_window", "too_long", "split", "text", "few"),
    [
        (0, 0, 0, "every form as it is", False),
        (
            0.62,
            0,
            0.094,
            "62 % of forms masked within a window of the text, 9 % of forms split by the tokenizer",
            False,
        ),
        (0, 0.12, 0.09, "12 % of forms too long, 9 % of forms split by the tokenizer", True),
        (0.9, 0, 0.2, "90 % of forms masked within a window of the text, 20 % of forms split by the tokenizer", False),
    ],
)
def test_shares_of_forms_in_words(in_window: float, too_long: float, split: float, text: str, few: bool) -> None:
    shares = {IN_WINDOW: in_window, TOO_LONG: too_long, SPLIT: split}
    assert shares_text(shares) == text
    assert has_few_fillers(shares) == few
