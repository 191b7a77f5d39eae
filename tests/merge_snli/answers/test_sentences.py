"""Tests of the sentences of seeds and rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from merge_snli.answers.sentences import SentencePairs, codes, numbered

PAIRS = [("a", "x"), ("b", "x"), ("a", "x"), ("a", "y"), ("b", "x")]


@pytest.fixture
def sentences() -> SentencePairs:
    return SentencePairs.of(PAIRS)


def test_equal_pairs_have_one_number_in_the_order_in_which_they_occur(sentences: SentencePairs) -> None:
    assert sentences.numbers.tolist() == [0, 1, 0, 2, 1]
    assert list(sentences.distinct) == [("a", "x"), ("b", "x"), ("a", "y")]
    assert [sentences.distinct[number] for number in sentences.numbers] == PAIRS


def test_pairs_that_are_not_asked_have_no_number_and_are_not_among_the_distinct_ones(sentences: SentencePairs) -> None:
    asked = replace(sentences, asked=np.array([False, True, True, False, True]))
    assert asked.numbers.tolist() == [-1, 0, 1, -1, 0]
    assert list(asked.distinct) == [("b", "x"), ("a", "x")]
    assert asked.take(np.array([0, 2, 4])).numbers.tolist() == [-1, 0, 1]


def test_pairs_at_some_positions_are_numbered_again(sentences: SentencePairs) -> None:
    taken = sentences.take(np.array([3, 4, 1]))
    assert list(taken) == [("a", "y"), ("b", "x"), ("b", "x")]
    assert taken.numbers.tolist() == [0, 1, 1]
    assert sentences[1:3] == (("b", "x"), ("a", "x"))


@pytest.mark.parametrize("is_dictionary", [False, True])
def test_texts_of_several_chunks_have_the_same_code_where_they_are_equal(is_dictionary: bool) -> None:
    column = pa.chunked_array([["b", "a"], ["a", None, "c"]])
    if is_dictionary:
        column = pa.chunked_array([chunk.dictionary_encode() for chunk in column.chunks])
    found = codes(column)
    assert found[3] == -1
    assert numbered(found)[0].tolist() == [0, 1, 1, 2, 3]
