"""Variants replace every occurrence and change nothing else."""

from __future__ import annotations

import hashlib
import random

from hypothesis import given
from hypothesis import strategies as st

from generation.replacements.combine import Replacement
from generation.sentences.forms import replace_occurrences
from generation.sentences.words import SharedWord
from generation.variants import Variant, inflated, subsample
from merge_snli.problems.problem import Problem


def test_the_example_of_the_slides() -> None:
    seed = Problem("slides", "A small girl carries a girl.", "There is a small girl.", 0)
    variant = Variant(seed, SharedWord("girl", "noun", (8, 23), (17,)), Replacement("boy", ("m1",), ("m2",), 1.0))
    assert variant.in_text("premise")[0] == "A small boy carries a boy."
    assert variant.in_text("hypothesis")[0] == "There is a small boy."
    assert variant.id == "slides:noun:girl:boy"


@given(st.lists(st.text(alphabet=" .\n\u00a0é'\"-", max_size=5), min_size=2, max_size=6), st.text("xyz", min_size=1))
def test_only_the_occurrences_change(between: list[str], word: str) -> None:
    sentence = "dog".join(between)
    starts = [sum(map(len, between[:nth])) + 3 * (nth - 1) for nth in range(1, len(between))]
    assert replace_occurrences(sentence, starts, "dog", word)[0] == word.join(between)


SEED = Problem("s1", "A dog and a cat.", "A dog or a cat.", 0)
WORDS = {"dog": SharedWord("dog", "noun", (2,), (2,)), "cat": SharedWord("cat", "noun", (12,), (11,))}


def variants(count: int, word: str = "dog", seed: Problem = SEED) -> list[Variant]:
    return [Variant(seed, WORDS[word], Replacement(f"w{index}", ("m",), ("m",), 1.0)) for index in range(count)]


def test_the_words_of_a_class_are_pooled() -> None:
    other = Problem("s2", SEED.premise, SEED.hypothesis, 1)
    groups = inflated([*variants(3), *variants(2, "cat"), *variants(4, seed=other)], inflation=5)
    assert [(len(group), group[0].seed.id) for group in groups] == [(5, "s1")]


def test_every_subsample_has_d_distinct_variants() -> None:
    group = variants(30) + variants(7, "cat")
    numbers = subsample(group, inflation=20, subsamples=10, random_seed=0)
    assert set(numbers) == {variant.id for variant in group}
    for nth in range(10):
        assert sum(nth in of_variant for of_variant in numbers.values()) == 20


def test_subsamples_depend_on_the_random_seed_and_not_on_the_order() -> None:
    group = variants(40)
    shuffled = random.Random(1).sample(group, len(group))
    first = subsample(group, inflation=20, subsamples=3, random_seed=0)
    assert subsample(shuffled, inflation=20, subsamples=3, random_seed=0) == first
    assert subsample(group, inflation=20, subsamples=3, random_seed=1) != first
    assert subsample(group, inflation=20, subsamples=2, random_seed=0) == {
        name: tuple(number for number in of_variant if number < 2) for name, of_variant in first.items()
    }


def test_a_subsample_has_the_smallest_digests() -> None:
    group = variants(5)
    digests = {
        variant.id: hashlib.sha256(f'[7,0,"s1","noun","dog","{variant.replacement.word}"]'.encode()).hexdigest()
        for variant in group
    }
    smallest = sorted(digests, key=lambda name: digests[name])[:2]
    numbers = subsample(group, inflation=2, subsamples=1, random_seed=7)
    assert {name for name, of_variant in numbers.items() if of_variant} == set(smallest)


def test_subsamples_are_uniform() -> None:
    """Each of 40 variants is in half of 2,000 subsamples, within five standard deviations."""
    numbers = subsample(variants(40), inflation=20, subsamples=2_000, random_seed=0)
    assert all(abs(len(of_variant) - 1_000) < 5 * (2_000 * 0.25) ** 0.5 for of_variant in numbers.values())
