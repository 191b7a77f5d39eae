"""Test how items are grouped into batches of limited size."""

from merge_snli.base.batches import batches_of


def test_a_batch_is_full_before_the_limit_and_a_larger_item_is_alone() -> None:
    texts = ["a" * 60, "b" * 60, "c" * 30, "d" * 200, "e"]
    assert [[text[0] for text in batch] for batch in batches_of(texts, len, 100)] == [["a"], ["b", "c"], ["d"], ["e"]]
