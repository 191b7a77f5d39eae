"""Counts of the filters as a table, and grouped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, OTHER_CLASS
from generation.filters.fillers import KEPT
from generation.masked_lms.masked_lm import Fillers
from generation.replacements.finding import (
    FILLERS,
    WITH_CLASS,
    FilterCounts,
    count_standalone,
    counts_table,
    sum_of_tables,
)
from generation.sentences.forms import Substitution, forms
from merge_snli.dataset.answered_forms import FORMS
from tests.generation.replacements.test_finding import MLMS, PIECES, ByText, Case, cases, simple_case

COUNTS: FilterCounts = {
    ("verb", "m2", "premise"): Counter({"kept": 3}),
    ("noun", "m1", "premise"): Counter({"related": 0, "kept": 2, "fillers": 5}),
}


def test_a_table_has_the_counts_without_zeros() -> None:
    table = counts_table(COUNTS)
    assert table.column_names == ["word_class", "masked_lm", "side", "reason", "count"]
    assert table["count"].to_pylist() == [5, 2, 3]
    assert counts_table({}).num_rows == 0


def test_tables_are_summed_and_sorted() -> None:
    tables = [counts_table(COUNTS), counts_table({}), counts_table({("noun", "m1", "premise"): Counter({"kept": 1})})]
    assert [(group, list(of_group.items())) for group, of_group in sum_of_tables(tables).items()] == [
        (("noun", "m1", "premise"), [("fillers", 5), ("kept", 3)]),
        (("verb", "m2", "premise"), [("kept", 3)]),
    ]


def plain_counts(case: Case) -> FilterCounts:
    """Count one filler at a time."""
    counts: FilterCounts = defaultdict(Counter)
    texts = {"premise": case.tagged.premise.text, "hypothesis": case.tagged.hypothesis.text}
    problem_words = set(" ".join(texts.values()).lower().split())
    every = [
        (word, side, form, mlm)
        for word in case.words
        for side, starts in (("premise", word.premise), ("hypothesis", word.hypothesis))
        for form in forms(texts[side], word.text, starts)
        for mlm in MLMS
    ]
    for word, side, form, mlm in every:
        answer = case.answers[mlm].answers[form.key]
        if not isinstance(answer, Fillers):
            continue
        group = (word.word_class, mlm, side)
        counts[group][FORMS] += 1
        for piece, log_prob in zip(answer.piece_ids, answer.log_probs, strict=True):
            spelled = PIECES[piece].lower()
            written = spelled.capitalize() if word.text[0].isupper() else spelled
            lacks_capital = form.start > 0 and word.text[0].isupper() and PIECES[piece] == spelled
            is_word = PIECES[piece] not in ("not", "##s", "x2") and not lacks_capital
            tagged = ByText().word_classes([Substitution(texts[side], form.start, form.end, written)])
            fails = {
                NO_WORD.reason: not is_word,
                LESS_PROBABLE.reason: log_prob <= answer.original_log_prob,
                IN_PROBLEM.reason: spelled in problem_words,
                OTHER_CLASS.reason: not is_word or tagged != [word.word_class],
            }
            counts[group].update({FILLERS: 1, WITH_CLASS: 1, KEPT: int(not any(fails.values())), **fails})
    return counts


def count(*counted: Case, answers: Mapping[str, MaskedLMAnswers] | None = None, **options: Any) -> FilterCounts:  # noqa: ANN401
    problems = [(case.tagged, case.words) for case in counted]
    return count_standalone(problems, answers or counted[0].answers, ByText(), **options)


@given(cases())
def test_counts_match_a_plain_count(case: Case) -> None:
    counted, expected = count(case, class_forms=None), plain_counts(case)
    assert {group: +of_group for group, of_group in counted.items()} == {
        group: +of_group for group, of_group in expected.items()
    }


@given(cases(), st.integers(0, 2))
def test_sampling_affects_only_the_class_counts(case: Case, class_forms: int) -> None:
    every, some = (count(case, class_forms=number) for number in (None, class_forms))
    for key, all_of in every.items():
        for name in (FORMS, FILLERS, NO_WORD.reason, LESS_PROBABLE.reason, IN_PROBLEM.reason):
            assert some[key][name] == all_of[name]
        assert some[key][WITH_CLASS] <= min(all_of[WITH_CLASS], class_forms * len(PIECES) * all_of[FORMS])
        assert some[key][OTHER_CLASS.reason] + some[key][KEPT] <= some[key][WITH_CLASS]


def test_words_of_the_problem_are_counted_without_accents() -> None:
    of_dog = count(simple_case(["dog", "wölf"], ["dog"], "wolf"))["noun", "m1", "premise"]
    assert (of_dog[FILLERS], of_dog[IN_PROBLEM.reason]) == (1, 1)


def test_a_filler_is_counted_for_every_filter_that_drops_it() -> None:
    of_dog = count(simple_case(["dog", "of"], ["dog"], "cat", "##s", "dog", "wolf"))["noun", "m1", "premise"]
    assert (of_dog[FORMS], of_dog[FILLERS], of_dog[WITH_CLASS]) == (1, 4, 4)
    assert (of_dog[NO_WORD.reason], of_dog[IN_PROBLEM.reason], of_dog[LESS_PROBABLE.reason]) == (1, 1, 0)
    assert of_dog[OTHER_CLASS.reason] >= 1


def test_classes_are_counted_for_32_forms_by_default() -> None:
    many = [simple_case(["dog", *["of"] * length], ["dog"], "cat") for length in range(33)]
    answers = {key: answer for case in many for key, answer in case.answers["m1"].answers.items()}
    of_m1 = {"m1": MaskedLMAnswers(answers, many[0].answers["m1"].vocabulary)}
    of_dog = count(*many, answers=of_m1)["noun", "m1", "premise"]
    assert (of_dog[FORMS], of_dog[FILLERS], of_dog[WITH_CLASS]) == (33, 33, 32)
