"""Tests of the arrays that the analyses share, of leaving seeds out, and of curves and word classes by hand."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from merge_snli import Result, score
from merge_snli.answers.opening import open_config
from merge_snli.comparison.curves import model_curves
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset, scored_dataset, without_seeds
from merge_snli.comparison.word_classes import class_pairs, classes
from merge_snli.paper.table_3 import table_3
from merge_snli.results.measure import source_accuracy
from merge_snli.results.scores import SourceScores
from tests.merge_snli.comparison.made import Row, answered, rows_of
from tests.merge_snli.comparison.made import scored_dataset as made_dataset
from tests.oracles import BUNDLED, always, answers_of_groups, by_length, known, pair_of, refused, with_answers
from tests.oracles import rows_of as read_rows


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return [
        score(by_length, BUNDLED, name="by length"),
        score(always("neutral"), BUNDLED, name="always neutral"),
    ]


@pytest.fixture(scope="module")
def scored(results: list[Result]) -> ScoredDataset:
    return scored_dataset(open_config(BUNDLED, "all"), results)


def test_arrays_follow_the_rows(scored: ScoredDataset) -> None:
    rows = read_rows(BUNDLED)
    model = scored.models[0]
    verbs = scored.variants_by("word_class")["verb"]
    subsamples = known(scored.data.subsamples)
    predicted = by_length([pair_of(row) for row in rows])
    for at, row in enumerate(rows):
        seed = int(scored.groups[at])
        assert scored.ids[seed] == row["seed_id"]
        assert scored.seeds[seed][:2] == (row["seed_premise"], row["seed_hypothesis"])
        assert verbs[at] == (row["word_class"] == "verb")
        assert np.flatnonzero(subsamples[:, at]).tolist() == sorted(row["subsamples"])
        assert model.answers.predicted[at] == predicted[at]
        assert model.answers.correct[at] == (predicted[at] == row["label"])
    for column in ("original", "replacement"):
        assert scored.words[column].to_pylist() == [row[column] for row in rows]
    assert not scored.variants_by("word_class")["adv"].any()
    assert model.seeds.predicted.tolist() == by_length([seed[:2] for seed in scored.seeds])


def test_left_out_variants_are_not_counted(scored: ScoredDataset, results: list[Result]) -> None:
    """Without the first variant of each seed, the sizes of the subsamples are smaller by those that have it."""
    first = results[0]
    kept = np.ones(len(first.answers.predicted), dtype=bool)
    _, firsts = np.unique(first.answers.groups, return_index=True)
    kept[firsts] = False
    [model] = scored_dataset(scored.data, [with_answers(first, first.answers.take(kept))]).models
    left_out = ~model.answers.is_predicted
    assert np.count_nonzero(left_out) == len(scored.ids)
    fewer = scored.models[0].answers.counts().sizes.sum() - model.answers.counts().sizes.sum()
    assert fewer > 0
    assert fewer == np.count_nonzero(known(scored.data.subsamples)[:, left_out])


def test_results_on_other_data_or_with_an_unknown_variant_are_refused(
    scored: ScoredDataset, results: list[Result]
) -> None:
    first = results[0]
    other = replace(first, dataset=replace(first.dataset, digest="f" * 64))
    refused(r"by length.*ffffffff", scored_dataset, scored.data, [first, other])
    nouns = replace(first, dataset=replace(first.dataset, config="noun"))
    refused("by length.*config noun", scored_dataset, scored.data, [nouns])
    answers = first.answers
    ids = pa.array(["nothing", *answers.row_ids.to_pylist()[1:]])
    table = answers.table.set_column(0, "row_id", ids)
    changed = with_answers(first, replace(answers, table=table))
    refused(r"by length.*variant 'nothing' is not in", scored_dataset, scored.data, [changed])


MADE_ROWS = [
    *rows_of("s1", ["en", "ee"], original="cat", subsamples=(0, 1)),
    *rows_of("s2", ["nn", "en"], masked_lms=("other",)),
    *rows_of("s3", ["n-", "cn"], word_class="verb", subsamples=(1,)),
    *rows_of("s1", ["nn"], word_class="verb", log_odds=2.0),
    *answered("s4 e- n-", "s3 ne"),
]


def made_of(rows: list[Row]) -> ScoredDataset:
    named = [replace(row, replacement=f"word{MADE_ROWS.index(row)}") for row in rows]
    n_seeds = len({row.seed for row in rows})
    return made_dataset(
        named,
        models=("a", "b"),
        gold={"s3": "n"},
        on_seeds={"s1": "en", "s4": "e-"},
        annotators=[[number, 2, 3] for number in range(n_seeds)],
        masked_lms=("mlm", "other"),
    )


@pytest.mark.parametrize("out", [{"s1"}, {"s2", "s4"}, {"s3"}, {"s2", "unknown"}])
def test_the_rest_is_as_if_the_seeds_had_never_been_there(out: set[str]) -> None:
    smaller = without_seeds(made_of(MADE_ROWS), out)
    expected = made_of([row for row in MADE_ROWS if row.seed not in out])
    assert smaller.seeds == expected.seeds
    assert np.array_equal(smaller.groups, expected.groups)
    assert np.array_equal(smaller.log_odds, expected.log_odds)
    masks = expected.variants_by("masked_lm")
    for name, mask in smaller.variants_by("masked_lm").items():
        assert np.array_equal(mask, masks[name]), name
    for name in ("word_class", "original", "replacement"):
        assert smaller.words[name].to_pylist() == expected.words[name].to_pylist()
    for own, other in zip(smaller.models, expected.models, strict=True):
        assert own.result == replace(other.result, notes=own.result.notes)
        assert answers_of_groups(own.result, own.answers) == answers_of_groups(other.result, other.answers)
    assert table_3(smaller) == table_3(expected)
    if "s3" not in out:
        assert classes(smaller).curves == classes(expected).curves


def test_seeds_are_left_out_of_the_source() -> None:
    refused(r"no seed of b remains", without_seeds, made_of(MADE_ROWS), {"s1", "s2", "s3"})
    whole = made_of(MADE_ROWS)  # model a is right on s1 and s2, both entailment, s3, neutral, and s4; b is wrong on s1
    assert without_seeds(whole, {"elsewhere"}) is whole
    labels = {"entailment": source_accuracy(6, 8), "neutral": source_accuracy(1, 1)}
    source = SourceScores("snli", "0" * 64, 0, 0, source_accuracy(7, 9), labels)
    models = tuple(replace(model, result=replace(model.result, source=source)) for model in whole.models)
    sourced = replace(whole, models=models)
    of_first, of_second = without_seeds(sourced, {"s1", "s3"}).models
    first = known(of_first.result.source)
    assert first.overall == source_accuracy(5, 7)
    assert first.labels == {"entailment": first.overall}
    second = known(of_second.result.source)
    assert second.labels == {"entailment": source_accuracy(6, 7)}
    of_first, of_second = without_seeds(sourced, {"s4"}).models  # too long for b
    assert of_first.result.source is not None
    assert of_second.result.source is None


def test_undrawn_and_missing_variants_do_not_count() -> None:
    made = made_dataset(
        [
            *rows_of("s1", "e", subsamples=(0, 1)),
            *rows_of("s1", "n", subsamples=()),
            *rows_of("s2", "e", word_class="verb", subsamples=(1,)),
            *rows_of("s3", "-", word_class="verb"),
        ],
        on_seeds={"s3": "-"},
    )
    found = classes(made)
    assert len(found.curves) == 2
    for curve in found.curves.values():
        assert curve.seeds == 1
        assert curve.variants == 1
        assert curve.at(1) == 1
    assert found.tests == ()
    refused(r"Figure 5 .*config all has noun", classes, made_dataset(rows_of("s1", "en")), error=NotComputable)
    apart = made_dataset(rows_of("s1", "e") + rows_of("s2", "e", word_class="verb"))
    refused(r"Figure 6 .*config all", class_pairs, apart, error=NotComputable)


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
    found = class_pairs(made_dataset(rows))
    assert [pair.seeds for pair in found.pairs] == [2, 1, 1]
    pair = found.pairs[0]
    assert pair.first == "noun"
    assert pair.second == "verb"
    nouns = pair.first_curve
    assert nouns.at(0.5) == 0.5
    assert nouns.at(0.9) == 0
    assert nouns.variants == 4
    verbs = pair.second_curve
    assert verbs.at(0.9) == 1
    assert verbs.seeds == 2
    assert verbs.variants == 3
    [test] = found.tests  # the other pairs have one seed
    assert test.first == "noun"
    assert test.second == "verb"
    assert test.result.difference == -1
    assert test.result.n == 2
    assert test.result.p_value == 0.5  # 2 of 4 sign patterns
    assert test.adjusted_p == 0.5
    assert found.seeds_of_three == 1


def test_models_with_equal_curves_are_ranked_by_name() -> None:
    equal = model_curves(made_dataset(rows_of("s1", ["ee", "nn"]), models=("b", "a")))
    first, second = equal.curves
    assert first.models == ("a",)
    assert second.models == ("b",)
