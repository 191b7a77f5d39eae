"""Base forms of nouns and verbs: regular by WordNet's rules, irregular by its lists."""

from __future__ import annotations

import pytest

from merge_snli.models.base_forms import base_forms


@pytest.mark.parametrize(
    ("word", "word_class", "others"),
    [
        ("girls", "noun", {"girl"}),
        ("boxes", "noun", {"box"}),
        ("women", "noun", {"woman"}),
        ("leaves", "noun", {"leaf", "leave"}),
        ("dog", "noun", set()),
        ("dress", "noun", set()),
        ("xyzzies", "noun", set()),
        ("running", "verb", {"run"}),
        ("ran", "verb", {"run"}),
        ("carries", "verb", {"carry"}),
        ("closed", "verb", {"close"}),
        ("are", "verb", {"be"}),
        ("bring", "verb", set()),
        ("girls", "verb", set()),
        ("girls", "adj", set()),
    ],
)
def test_a_word_with_its_base_forms(word: str, word_class: str, others: set[str]) -> None:
    assert base_forms(word, word_class) == {word} | others
