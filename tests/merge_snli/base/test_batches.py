"""Test how items are grouped by key, and into batches of limited size."""

from merge_snli.base.batches import batches_of, grouped


def test_a_batch_is_full_before_the_limit_and_a_larger_item_is_alone() -> None:
    texts = ["a" * 60, "b" * 60, "c" * 30, "d" * 200, "e"]
    assert [[text[0] for text in batch] for batch in batches_of(texts, len, 100)] == [["a"], ["b", "c"], ["d"], ["e"]]


def test_items_of_a_key_keep_their_order_and_keys_that_of_their_first_item() -> None:
    groups = grouped((len(word), word) for word in ("three", "one", "seven", "two"))
    assert list(groups.items()) == [(5, ["three", "seven"]), (3, ["one", "two"])]
