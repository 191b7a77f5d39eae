"""Tests of marking the replaced word."""

import pytest

from merge_snli.errors import InputError
from scoring.annotation.marking import mark


@pytest.mark.parametrize(
    ("seed", "variant", "words", "expected"),
    [
        ("A cat naps.", "A dog naps.", ("cat", "dog"), ("A *cat* naps.", "A *dog* naps.")),
        (
            "A cat in a catboat.",
            "A dog in a catboat.",
            ("cat", "dog"),
            ("A *cat* in a catboat.", "A *dog* in a catboat."),
        ),
        ("Cats like cats.", "Dogs like dogs.", ("cats", "dogs"), ("*Cats* like *cats*.", "*Dogs* like *dogs*.")),
        ("RUN (now)?", "WALK (now)?", ("run", "walk"), ("*RUN* (now)?", "*WALK* (now)?")),
        ("An art cart.", "An artist cart.", ("art", "artist"), ("An *art* cart.", "An *artist* cart.")),
        ("red, red", "blue-red, blue-red", ("red", "blue-red"), ("*red*, *red*", "*blue-red*, *blue-red*")),
    ],
)
def test_exactly_the_replaced_words_are_marked(
    seed: str, variant: str, words: tuple[str, str], expected: tuple[str, str]
) -> None:
    assert mark(seed, variant, *words) == expected


@pytest.mark.parametrize("variant", ["A cat naps.", "A dog sleeps.", "A bird naps.", ""])
def test_other_changes_are_refused(variant: str) -> None:
    with pytest.raises(InputError, match="validate"):
        mark("A cat naps.", variant, "cat", "dog")
