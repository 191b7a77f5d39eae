"""What the order in which a prompt lists the labels changes in the answers of a language model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.base.batches import grouped
from merge_snli.base.table import Column, Table
from merge_snli.results.prompts import PromptGroup, Scored, changed_share
from merge_snli.results.result import Result
from merge_snli.results.rows import MODEL, percent


@dataclass(frozen=True, kw_only=True)
class OrderEffect:
    """What the order of the labels changes, of one prompt; shares from 0 to 1.

    Attributes:
        prompt: Name of the prompt.
        orders: Number of orders.
        accuracy: Share of correct rows by the position at which the prompt lists the gold label; None if it never
            lists one there.
        changed_seeds: Share of the seeds whose answer is not the same in every order; None without seeds.
        changed_rows: The same share of the rows.
    """

    prompt: str
    orders: int
    accuracy: tuple[float | None, ...]
    changed_seeds: float | None
    changed_rows: float


def order_effects(scored: Scored) -> tuple[OrderEffect, ...]:
    """Return what the order changes, for each prompt of a model that was used with several orders."""
    by_prompt = grouped(
        ((result.run.prompt.unordered, result.run.prompt.shots), result)
        for result in (scored.results if isinstance(scored, PromptGroup) else ())
        if result.run.prompt is not None and result.compared_labels == result.dataset.labels
    )
    return tuple(_effect(name, results) for (name, _), results in by_prompt.items() if len(results) > 1)


def _effect(name: str, results: Sequence[Result]) -> OrderEffect:
    answers = [result.answers for result in results]
    seeds = [of_order.seeds.predicted for of_order in answers if of_order.seeds is not None]
    labels = range(1, len(results[0].dataset.labels) + 1)
    orders = [(result.run.prompt and result.run.prompt.order) or (*labels,) for result in results]
    # The number of the gold label as the prompt lists it, and whether the answer is right, of each row in each order.
    listed = np.concatenate([np.argsort(order)[of.gold] for order, of in zip(orders, answers, strict=True)])
    correct = np.concatenate([of_order.predicted == of_order.gold for of_order in answers])
    at_positions = [correct[listed == position] for position in range(len(labels))]
    return OrderEffect(
        prompt=name,
        orders=len(results),
        accuracy=tuple(float(at.mean()) if len(at) else None for at in at_positions),
        changed_seeds=changed_share(seeds) if seeds else None,
        changed_rows=changed_share([of_order.predicted for of_order in answers]),
    )


def order_table(results: Iterable[Scored], names: Sequence[str] | None = None) -> Table | None:
    """Return what the order of the labels changes, in percent, one row per model and prompt; None without any.

    Args:
        results: Results on one config of one data set, with those of several prompts grouped.
        names: Display names of the models; by default the titles of the results.
    """
    listed = list(results)
    named = zip([result.title for result in listed] if names is None else names, listed, strict=True)
    rows = [(name, effect) for name, result in named for effect in order_effects(result)]
    if not rows:
        return None
    group, row = listed[0].units
    positions = range(1, len(rows[0][1].accuracy) + 1)
    changed = [f"{unit.capitalize()}s changed" for unit in (group, row)]
    shares = [*(f"Position {number}" for number in positions), *changed]
    cells = []
    for name, of in rows:
        in_percent = map(percent, (*of.accuracy, of.changed_seeds, of.changed_rows))
        cells.append((name, of.prompt, of.orders, *in_percent))
    return Table(
        title="Order of the labels",
        columns=(MODEL, Column("Prompt", "left"), Column("Orders"), *(Column(name, format=".1f") for name in shares)),
        rows=tuple(cells),
        notes=(
            f"Position: correct share of all {row}s whose gold label the prompt lists there, over all orders.",
            f"Changed: share of all {group}s and {row}s whose answer is not the same in every order.",
        ),
    )
