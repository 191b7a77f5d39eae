"""A result is compared with its data: what its answers alone do not show."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from merge_snli import Result, score
from merge_snli.answers.answers import Answers
from merge_snli.answers.data import ScoredData
from merge_snli.answers.opening import open_config
from merge_snli.results.check import require_data
from merge_snli.results.naming import file_name
from merge_snli.results.parts import part_of
from tests.merge_snli.leaderboard.conftest import SHIPPED, Pair, results, unchecked
from tests.oracles import always, known, refused

__all__ = ["results"]


@pytest.fixture(scope="module")
def data() -> ScoredData:
    return open_config(SHIPPED, "all")


def some(pairs: list[Pair]) -> list[int | str | None]:
    return [None if len(premise) % 9 == 0 else 1 for premise, _ in pairs]


two_way = always("not_entailment")


@pytest.mark.parametrize("options", [{}, {"subsample": 3}, {"limit_seeds": 10}, {"drawn": True}], ids=str)
@pytest.mark.parametrize("model", [some, two_way])
def test_a_result_fits_the_data_that_it_was_computed_on(
    data: ScoredData,
    model: Callable[[list[Pair]], list[int | str | None]],
    options: dict[str, Any],
) -> None:
    result = score(model, SHIPPED, **options)
    require_data(result, part_of(data, result.dataset))


def test_a_result_with_scores_on_the_source_fits(data: ScoredData) -> None:
    require_data(score(two_way, SHIPPED, source="recorded"), data)


def test_a_result_without_some_answers_fits(results: list[Result], data: ScoredData) -> None:
    answers = results[0].answers
    rows = np.arange(len(answers.predicted)) % 7 > 0
    left_out = replace(results[0].left_out, rows=int(np.count_nonzero(~rows)))
    require_data(unchecked(results[0], stored=answers.take(rows), left_out=left_out), data)


def with_other_gold(answers: Answers) -> Answers:
    return replace(answers, gold=answers.predicted)


def with_other_gold_of_seeds(answers: Answers) -> Answers:
    seeds = known(answers.seeds)
    return replace(answers, seeds=replace(seeds, gold=seeds.predicted))


def with_other_subsamples(answers: Answers) -> Answers:
    return replace(answers, subsamples=np.roll(known(answers.subsamples), 1, axis=1))


def with_another_word(answers: Answers) -> Answers:
    words = answers.table["replacement"].cast("string").to_pylist()
    at = answers.table.column_names.index("replacement")
    column = pa.array(["invented", *words[1:]])
    return replace(answers, table=answers.table.set_column(at, "replacement", column))


def with_rows_in_another_order(answers: Answers) -> Answers:
    order = np.arange(len(answers.predicted))[::-1]
    return replace(
        answers,
        table=answers.table.take(order),
        groups=answers.groups[order],
        gold=answers.gold[order],
        predicted=answers.predicted[order],
        subsamples=known(answers.subsamples)[:, order],
    )


def without_a_row(answers: Answers) -> Answers:
    return answers.take(np.arange(len(answers.predicted)) > 0)


def without_a_seed(answers: Answers) -> Answers:
    return answers.take(answers.groups > 0)


@pytest.mark.parametrize(
    ("forge", "named"),
    [
        (with_other_gold, "column label"),
        (with_other_gold_of_seeds, "column label"),
        (with_other_subsamples, "column subsamples"),
        (with_another_word, "column replacement"),
        (with_rows_in_another_order, "column "),
        (without_a_row, "left_out.rows is 0, and 1 variant "),
        (without_a_seed, "left_out.groups is 0, and 1 seed "),
    ],
)
def test_answers_that_are_not_those_of_the_data_are_refused(
    results: list[Result], data: ScoredData, forge: Callable[[Answers], Answers], named: str
) -> None:
    forged = unchecked(results[0], stored=forge(results[0].answers))
    refused(f"{file_name(forged)}.* config all of .*{named}", require_data, forged, data)


def test_rows_and_seeds_of_other_data_are_named(results: list[Result], data: ScoredData) -> None:
    answers = results[0].answers
    other = replace(answers, group_ids=("invented", *answers.group_ids[1:]))
    refused(f"{file_name(results[0])}.*'invented'", require_data, unchecked(results[0], stored=other), data)
    refused(r"\.json.*config noun", require_data, score(two_way, SHIPPED, config="verb"), open_config(SHIPPED, "noun"))


def test_all_right_answers_pass(results: list[Result], data: ScoredData) -> None:
    """No check finds answers that no model gave, as docs/leaderboard.md says."""
    answers = results[0].answers
    seeds = known(answers.seeds)
    perfect = replace(answers, predicted=answers.gold, seeds=replace(seeds, predicted=seeds.gold))
    require_data(unchecked(results[0], stored=perfect), data)
