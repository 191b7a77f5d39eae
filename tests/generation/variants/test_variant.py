"""Variants replace every occurrence and change nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from generation.replacements.combine import Replacement
from generation.sentences.replacing import replace_occurrences
from generation.sentences.words import SharedWord
from generation.variants.variant import Variant
from merge_snli.problems.reading import Problem


def test_the_example_of_the_slides() -> None:
    seed = Problem("slides", "A small girl carries a girl.", "There is a small girl.", 0)
    word = SharedWord("girl", "noun", (8, 23), (17,))
    variant = Variant(seed, word, Replacement("boy", ("m1",), ("m2",), 1.0))
    assert variant.premise == "A small boy carries a boy."
    assert variant.hypothesis == "There is a small boy."
    assert variant.id == "slides:noun:girl:boy"


@given(st.lists(st.text(alphabet=" .\n\u00a0é'\"-", max_size=5), min_size=2, max_size=6), st.text("xyz", min_size=1))
def test_only_the_occurrences_change(between: list[str], word: str) -> None:
    sentence = "dog".join(between)
    starts = [sum(map(len, between[:nth])) + 3 * (nth - 1) for nth in range(1, len(between))]
    assert replace_occurrences(sentence, starts, "dog", word) == word.join(between)
