"""Tests of the comparison of word classes, on all seeds and on those of two classes."""

from __future__ import annotations

import pytest
from scipy import stats

from merge_snli.comparison.scored_dataset import NotComputable
from merge_snli.comparison.word_classes import class_pairs, classes
from tests.merge_snli.comparison.made import rows_of, scored_dataset


def test_curves_and_welch_over_seeds() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["ee", "en"], word_class="noun"),
            *rows_of("s2", ["ne", "nn"], word_class="noun"),
            *rows_of("s3", ["nn", "nn"], word_class="noun"),
            *rows_of("s1", ["ee", "ee"], word_class="verb"),
            *rows_of("s4", ["ee", "ne"], word_class="verb"),
            *rows_of("s4", ["cc"], word_class="adj"),
        ],
        models=("a", "b"),
    )
    found = classes(made)
    assert [(name, curve.seeds, curve.variants) for name, curve in found.curves.items()] == [
        ("noun", 3, 6),
        ("verb", 2, 4),
        ("adj", 1, 1),
    ]
    # Model a passes s1, b no noun seed; with verbs, a passes s1 and b both.
    assert [curve.at(0.9) for curve in found.curves.values()] == pytest.approx([(1 / 3 + 0) / 2, (1 / 2 + 1) / 2, 0])
    [test] = found.tests  # adjectives have one seed
    assert (test.first, test.second, test.result.unit, test.result.n) == ("noun", "verb", "seed", 5)
    expected = stats.ttest_ind([0.5, 0, 0], [1, 0.5], equal_var=False)
    assert test.result.p_value == pytest.approx(float(expected.pvalue))
    assert test.result.difference == pytest.approx(0.5 / 3 - 0.75)


def test_undrawn_and_missing_variants_do_not_count() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", "e", subsamples=(0, 1)),
            *rows_of("s1", "n", subsamples=()),
            *rows_of("s2", "e", word_class="verb", subsamples=(1,)),
            *rows_of("s3", "-", word_class="verb"),
        ],
        on_seeds={"s3": "-"},
    )
    found = classes(made)
    assert [(curve.seeds, curve.variants, curve.at(1)) for curve in found.curves.values()] == [
        (1, 1, 1),
        (1, 1, 1),
    ]
    assert found.tests == ()


def test_one_class_is_not_computable() -> None:
    with pytest.raises(NotComputable, match=r"Figure 5 .*config all has noun"):
        classes(scored_dataset(rows_of("s1", "en")))


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
