"""Test how items are grouped by key, and into batches of limited size."""

from merge_snli.base.batches import batches_of, grouped


def test_a_batch_is_full_before_the_limit_and_a_larger_item_is_alone() -> None:
    sizes = [60, 60, 30, 200, 1]
    assert [*map(list, batches_of(sizes, int, 100))] == [[60], [60, 30], [200], [1]]


def test_items_of_a_key_keep_their_order_and_keys_that_of_their_first_item() -> None:
    groups = grouped((len(word), word) for word in ("three", "one", "seven", "two"))
    assert list(groups.items()) == [(5, ["three", "seven"]), (3, ["one", "two"])]
