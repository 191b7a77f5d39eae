"""Tests of two word classes on the seeds of both."""

from __future__ import annotations

import pytest

from merge_snli.analysis.class_pairs import class_pairs
from merge_snli.analysis.not_computable import NotComputable
from tests.merge_snli.analysis.made import rows_of, scored_dataset


def test_curves_are_on_common_seeds() -> None:
    rows = [
        *rows_of("s1", "en"),  # a noun that fails, verbs that pass
        *rows_of("s1", "ee", word_class="verb"),
        *rows_of("s2", "nn"),
        *rows_of("s2", "e", word_class="verb"),
        *rows_of("s2", "e", word_class="adj"),
        *rows_of("s3", "eee"),  # only nouns
        *rows_of("s4", "n", word_class="verb"),
        *rows_of("s4", "e", word_class="noun", subsamples=()),  # not drawn
    ]
    found = class_pairs(scored_dataset(rows))
    assert [(pair.first, pair.second, pair.seeds) for pair in found.pairs] == [
        ("noun", "verb", 2),
        ("noun", "adj", 1),
        ("verb", "adj", 1),
    ]
    first = found.pairs[0]
    assert (first.first_curve.at(0.5), first.first_curve.at(0.9), first.first_curve.variants) == (0.5, 0, 4)
    assert (first.second_curve.at(0.9), first.second_curve.seeds, first.second_curve.variants) == (1, 2, 3)
    [test] = found.tests  # the other pairs have one seed
    assert (test.first, test.second, test.result.difference, test.result.n) == ("noun", "verb", -1, 2)
    assert test.result.p_value == test.adjusted_p == 0.5  # 2 of 4 sign patterns
    assert found.seeds_of_three == 1


def test_p_values_are_adjusted_within_the_figure() -> None:
    rows = [
        row
        for number in range(5)
        for word_class, answer in (("noun", "n"), ("verb", "e"), ("adj", "e"))
        for row in rows_of(f"s{number}", answer, word_class=word_class)
    ]
    tests = {(test.first, test.second): test for test in class_pairs(scored_dataset(rows)).tests}
    assert {pair: test.result.p_value for pair, test in tests.items()} == {
        ("noun", "verb"): 1 / 16,
        ("noun", "adj"): 1 / 16,
        ("verb", "adj"): 1,
    }
    assert [test.adjusted_p for test in tests.values()] == pytest.approx([3 / 16, 3 / 16, 1])


def test_without_common_seeds_nothing_is_computable() -> None:
    with pytest.raises(NotComputable, match=r"Figure 6 .*config all"):
        class_pairs(scored_dataset([*rows_of("s1", "e"), *rows_of("s2", "e", word_class="verb")]))
