"""Tests of the curves by word class, and of the tests between classes."""

from __future__ import annotations

import pytest
from scipy import stats

from merge_snli.analysis.classes import classes
from merge_snli.analysis.not_computable import NotComputable
from tests.merge_snli.analysis.made import rows_of, scored_dataset


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
    assert [(each.name, each.curve.seeds, each.curve.variants) for each in found.curves] == [
        ("noun", 3, 6),
        ("verb", 2, 4),
        ("adj", 1, 1),
    ]
    # Model a passes s1, b no noun seed; with verbs, a passes s1 and b both.
    assert [each.curve.at(0.9) for each in found.curves] == pytest.approx([(1 / 3 + 0) / 2, (1 / 2 + 1) / 2, 0])
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
    assert [(each.curve.seeds, each.curve.variants, each.curve.at(1)) for each in found.curves] == [
        (1, 1, 1),
        (1, 1, 1),
    ]
    assert found.tests == ()


def test_one_class_is_not_computable() -> None:
    with pytest.raises(NotComputable, match=r"Figure 5 .*config all has noun"):
        classes(scored_dataset(rows_of("s1", "en")))
