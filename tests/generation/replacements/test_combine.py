"""The set operations on examples, and their properties on any suggestions."""

from hypothesis import given
from hypothesis import strategies as st

from generation.replacements.combine import Replacement, Validated, over_mlms, over_occurrences, over_sentences

WORDS = st.sampled_from("abcdefgh")
LOG_ODDS = st.dictionaries(WORDS, st.floats(0.001, 20))
OF_MLMS = st.dictionaries(st.sampled_from(["m1", "m2", "m3"]), LOG_ODDS, min_size=1)


def test_over_occurrences_intersects_and_takes_the_smallest_log_odds() -> None:
    suggestions = [{"boy": 2.0, "dog": 1.0}, {"boy": 0.5, "cat": 3.0}, {"boy": 1.0}]
    assert over_occurrences(suggestions) == {"boy": 0.5}
    assert over_occurrences(suggestions[:1]) == suggestions[0]


def test_over_mlms_unites_and_takes_the_largest_log_odds() -> None:
    assert over_mlms({"m1": {"boy": 1.0}, "m2": {"boy": 2.0, "dog": 3.0}}) == {
        "boy": Validated(("m1", "m2"), 2.0),
        "dog": Validated(("m2",), 3.0),
    }


def test_different_masked_lms_may_validate_premise_and_hypothesis() -> None:
    premise = {"boy": Validated(("m1",), 1.0), "cat": Validated(("m1",), 1.0)}
    hypothesis = {"boy": Validated(("m2",), 0.5)}
    assert over_sentences(premise, hypothesis) == (Replacement("boy", ("m1",), ("m2",), 0.5),)


def test_union_needs_validation_in_one_sentence() -> None:
    premise = {"boy": Validated(("m1",), 1.0), "cat": Validated(("m1",), -1.0)}
    hypothesis = {"boy": Validated(("m2",), 0.5), "ant": Validated(("m2",), 2.0)}
    assert over_sentences(premise, hypothesis, sides="union") == (
        Replacement("ant", (), ("m2",), 2.0),
        Replacement("boy", ("m1",), ("m2",), 0.5),
        Replacement("cat", ("m1",), (), -1.0),
    )


@given(st.lists(LOG_ODDS, min_size=1, max_size=4))
def test_one_more_occurrence_never_adds_a_word(suggestions: list[dict[str, float]]) -> None:
    every = over_occurrences(suggestions)
    assert every.keys() == set.intersection(*(set(each) for each in suggestions))
    assert all(log_odds == min(each[word] for each in suggestions) for word, log_odds in every.items())


@given(OF_MLMS, OF_MLMS, LOG_ODDS)
def test_one_more_masked_lm_never_removes_a_word(
    premise: dict[str, dict[str, float]], hypothesis: dict[str, dict[str, float]], more: dict[str, float]
) -> None:
    before = over_sentences(over_mlms(premise), over_mlms(hypothesis))
    after = over_sentences(over_mlms(premise | {"m4": more}), over_mlms(hypothesis))
    assert {each.word for each in before} <= {each.word for each in after}
    assert all(each.log_odds > 0 for each in after)
