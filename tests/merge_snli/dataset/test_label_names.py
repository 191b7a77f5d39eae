"""A number and a text become labels by different functions."""

import pytest

from merge_snli.dataset.label_names import NO_LABEL, names_in_order, names_of_entries, say_nothing
from merge_snli.dataset.label_spellings import find_label, whole_number
from merge_snli.schema import NLI_LABELS


def test_names_in_order_are_read_by_name_spelling_and_position() -> None:
    labels = names_in_order(NLI_LABELS)
    texts = {"neutral": "neutral", "Neutral": "neutral", "E": "entailment", "perhaps": None, "2": None, "": NO_LABEL}
    for text, label in texts.items():
        assert labels.of_text(text) == label
    for number, name in {0: "entailment", 2: "contradiction", 3: None, -1: NO_LABEL, -2: None}.items():
        assert labels.of_number(number) == name


@pytest.mark.parametrize(
    ("are_numbers", "text", "label"),
    [(True, "1.0", "neutral"), (True, "3", None), (False, "1", None), (False, "-", NO_LABEL)],
)
def test_the_type_of_the_column_says_whether_a_text_is_a_number(are_numbers: bool, text: str, label: str) -> None:
    assert names_in_order(NLI_LABELS, are_numbers=are_numbers).read(text) == label


def test_names_that_are_numbers_are_not_positions() -> None:
    labels = names_in_order(("1", "2", "3"))
    assert labels.of_number(0) == "1"
    assert labels.of_number(3) is None
    assert labels.of_text("0") is None
    assert labels.of_text("3") == "3"


def test_several_spellings_may_have_the_same_name() -> None:
    labels = names_of_entries(("e=entailment", "n=not_entailment", "c=not_entailment"))
    assert labels.names == ("entailment", "not_entailment")
    assert labels.of_text("e") == "entailment"
    assert labels.of_text("c") == "not_entailment"
    assert labels.of_text("entailment") is None
    assert labels.of_number(2) == "not_entailment"


def test_entries_for_numbers_name_these_numbers_only() -> None:
    labels = names_of_entries(("1=entailment", "2=neutral", "-1=contradiction"))
    assert labels.names == NLI_LABELS
    for number, name in {0: None, 1: "entailment", 2: "neutral", -1: "contradiction"}.items():
        assert labels.of_number(number) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [("-1", -1), ("2.0", 2), ("007", 7), ("1.5", None), ("+1", None), ("²", None), ("12345", None), ("", None)],
)
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("-1", "0.0"), True),
        (("LABEL_0", "label_10"), True),
        (("1", "other"), False),
        (("label 1", "label 2"), False),
    ],
)
def test_names_that_say_nothing(names: tuple[str, ...], expected: bool) -> None:
    assert say_nothing(names) == expected


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("Not-Equivalent", ("not_equivalent", "equivalent"), "not_equivalent"),
        ("a b", ("a-b", "a_b"), None),
        ("a_b", ("a-b", "a_b"), "a_b"),
        ("1", ("-1", "0"), None),
        ("?", ("+", "-"), None),
        ("-", ("+", "-"), "-"),
    ],
)
def test_a_label_is_found_by_its_name_or_its_only_spelling(
    text: str, labels: tuple[str, ...], expected: str | None
) -> None:
    assert find_label(text, labels) == expected
