"""The sentences without which a result's numbers would be read wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.models.labels import INFERRED, NOT_ENTAILMENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.results.result import LeftOut, Scores

NEAR_CHANCE = 0.05
"""A model whose SA on seeds is not this much above the share of the most common label may have its labels permuted."""


def notes_on(
    scored: ScoredModel,
    data: ScoredConfig,
    labels: Sequence[str],
    left_out: LeftOut,
    scores: Scores,
    majority_share: float,
) -> tuple[str, ...]:
    """Return what a reader of a result must know, one sentence each.

    Args:
        scored: The model.
        data: What it was scored on.
        labels: The labels that the model tells apart.
        left_out: What it could not take.
        scores: Its numbers over all.
        majority_share: Share of the seeds that have the most common gold label.
    """
    return (
        *_on_labels(scored, data, labels),
        *_on_lengths(left_out),
        *_on_chance(scored, scores.seed_sample_accuracy, majority_share),
    )


def _on_labels(scored: ScoredModel, data: ScoredConfig, labels: Sequence[str]) -> Iterator[str]:
    if NOT_ENTAILMENT in labels and NOT_ENTAILMENT not in data.label_names:
        yield (
            "tells only entailment from the rest: gold neutral and contradiction count together as not_entailment, so "
            "its numbers stand beside those of other two-way models only"
        )
    if NOT_ENTAILMENT in data.label_names and NOT_ENTAILMENT not in labels:
        yield "its neutral and contradiction count together as not_entailment, for the data has only these two labels"
    if scored.labels.found == "given":
        yield f"labels given as {','.join(scored.labels.names)}"
    if scored.labels.found == INFERRED:
        yield f"labels inferred from the seeds as {','.join(scored.labels.names)}"
    if scored.labels.found == "table":
        yield f"its config names no labels; they are taken from what is known of it: {','.join(scored.labels.names)}"
    if scored.labels.overruled:
        yield f"the labels given contradict the model's own names, {','.join(scored.labels.own)}"


def _on_lengths(left_out: LeftOut) -> Iterator[str]:
    if left_out.seeds or left_out.variants:
        yield (
            f"left out for being longer than the {left_out.limit} tokens that the model takes: "
            f"{left_out.seeds} seeds and {left_out.variants} variants"
        )


def _on_chance(scored: ScoredModel, seed_accuracy: float, majority_share: float) -> Iterator[str]:
    if seed_accuracy < majority_share + NEAR_CHANCE:
        labels = ",".join(scored.labels.names)
        mend = f" are its outputs really {labels}?" if scored.labels.found != "function" else ""
        yield (
            f"warning: right on {seed_accuracy:.1%} of the seeds, near or under the {majority_share:.1%} of always "
            f"giving the most common label:{mend or ' is it what you wanted to score?'}"
        )
