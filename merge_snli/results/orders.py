"""What the order in which a prompt lists the labels changes in the answers of a language model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.base.batches import grouped
from merge_snli.base.table import Column, Table
from merge_snli.results.prompts import changed_share, results_of
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


def order_effects(scored: Result) -> tuple[OrderEffect, ...]:
    """Return what the order changes, for each prompt of a model that was used with several orders."""
    prompted = []
    for result in results_of(scored):
        prompt = result.run.prompt
        if prompt is not None and result.compared_labels == result.dataset.labels:
            prompted.append(((prompt.unordered, prompt.shots), result))
    return tuple(_effect(name, own) for (name, _), own in grouped(prompted).items() if len(own) > 1)


def _effect(name: str, results: Sequence[Result]) -> OrderEffect:
    own_order = range(1, len(results[0].dataset.labels) + 1)
    # The number of the gold label as the prompt lists it, and whether the answer is right, of each row in each order.
    listed = []
    correct = []
    on_rows = []
    on_seeds = []
    for result in results:
        answers = result.answers
        prompt = result.run.prompt
        order = own_order if prompt is None else prompt.order or own_order
        listed.append(np.argsort(order)[answers.gold])
        correct.append(answers.correct)
        on_rows.append(answers.predicted)
        if answers.seeds is not None:
            on_seeds.append(answers.seeds.predicted)
    accuracy = []
    positions = np.concatenate(listed)
    is_correct = np.concatenate(correct)
    for position in range(len(own_order)):
        there = is_correct[positions == position]
        accuracy.append(float(there.mean()) if len(there) else None)
    return OrderEffect(
        prompt=name,
        orders=len(results),
        accuracy=tuple(accuracy),
        changed_seeds=changed_share(on_seeds) if on_seeds else None,
        changed_rows=changed_share(on_rows),
    )


def order_table(results: Sequence[Result], names: Sequence[str]) -> Table | None:
    """Return what the order of the labels changes, in percent, one row per model and prompt; None without any.

    Args:
        results: Results on one config of one data set, with those of several prompts grouped.
        names: Display names of the models.
    """
    cells = []
    positions = 0
    for name, result in zip(names, results, strict=True):
        for effect in order_effects(result):
            shares = (*effect.accuracy, effect.changed_seeds, effect.changed_rows)
            cells.append((name, effect.prompt, effect.orders, *map(percent, shares)))
            positions = len(effect.accuracy)
    if not cells:
        return None
    group, row = results[0].units
    headers = [f"Position {number + 1}" for number in range(positions)]
    headers += [f"{unit.capitalize()}s changed" for unit in (group, row)]
    return Table(
        title="Order of the labels",
        columns=(MODEL, Column("Prompt", "left"), Column("Orders"), *(Column(name, format=".1f") for name in headers)),
        rows=cells,
        notes=(
            f"Position: correct share of all {row}s whose gold label the prompt lists there, over all orders.",
            f"Changed: share of all {group}s and {row}s whose answer is not the same in every order.",
        ),
    )
