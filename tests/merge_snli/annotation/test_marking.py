"""Tests of marking the replaced word."""

import pytest

from merge_snli.annotation.sample import mark
from merge_snli.base.errors import InputError


@pytest.mark.parametrize(
    ("seed", "variant", "starts", "words", "expected"),
    [
        ("A cat naps.", "A dog naps.", [2], ("cat", "dog"), ("A *cat* naps.", "A *dog* naps.")),
        (
            "A cat in a catboat.",
            "A dog in a catboat.",
            [2],
            ("cat", "dog"),
            ("A *cat* in a catboat.", "A *dog* in a catboat."),
        ),
        (
            "Cats like cats.",
            "Dogs like dogs.",
            [0, 10],
            ("cats", "dogs"),
            ("*Cats* like *cats*.", "*Dogs* like *dogs*."),
        ),
        ("RUN (now)?", "WALK (now)?", [0], ("run", "walk"), ("*RUN* (now)?", "*WALK* (now)?")),
        ("An art cart.", "An artist cart.", [3], ("art", "artist"), ("An *art* cart.", "An *artist* cart.")),
        ("red, red", "blue-red, blue-red", [0, 10], ("red", "blue-red"), ("*red*, *red*", "*blue-red*, *blue-red*")),
    ],
)
def test_exactly_the_replaced_words_are_marked(
    seed: str, variant: str, starts: list[int], words: tuple[str, str], expected: tuple[str, str]
) -> None:
    assert mark(seed, variant, starts, *words) == expected


def test_the_offsets_say_which_of_two_equal_words_was_replaced() -> None:
    assert mark("an art art", "an artist art", [3], "art", "artist")[1] == "an *artist* art"
    assert mark("an art art", "an art artist", [7], "art", "artist")[0] == "an art *art*"


@pytest.mark.parametrize("variant", ["A cat naps.", "A dog sleeps.", "A bird naps.", ""])
def test_other_changes_are_refused(variant: str) -> None:
    with pytest.raises(InputError, match="validate"):
        mark("A cat naps.", variant, [2], "cat", "dog")
