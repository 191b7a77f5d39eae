"""Label names: the numbers and spellings of the source, and the names in the generated data set."""

from __future__ import annotations

import pytest

from merge_snli.problems.rows import read_label_names


def test_names_without_spelling_are_their_own_spellings() -> None:
    labels = read_label_names(("entailment", "neutral", "contradiction"))
    assert labels.names == labels.spellings == ("entailment", "neutral", "contradiction")
    assert [labels.number(text) for text in ("neutral", "2", "3", "-1", "", "Neutral", "E", "perhaps")] == [
        1,
        2,
        None,
        None,
        None,
        1,
        0,
        None,
    ]


@pytest.mark.parametrize(("text", "number"), [("e", 0), ("n", 1), ("c", 1), ("0", 0), ("2", 1), ("entailment", None)])
def test_several_spellings_may_have_the_same_name(text: str, number: int | None) -> None:
    labels = read_label_names(("e=entailment", "n=not_entailment", "c=not_entailment"))
    assert labels.names == ("entailment", "not_entailment")
    assert labels.number(text) == number
