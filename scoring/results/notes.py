"""Write the notes of a result: caveats without which its scores would be misread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoring.models.labels import INFERRED, NOT_ENTAILMENT, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scoring.models.scored_model import ScoredModel
    from scoring.predictions.pairs import ScoredConfig
    from scoring.results.result import LeftOut, Scores

CHANCE_MARGIN = 0.05
"""SA on seeds below the share of the most common label plus this margin suggests permuted labels."""


def notes_on(
    scored: ScoredModel,
    data: ScoredConfig,
    labels: Sequence[str],
    left_out: LeftOut,
    scores: Scores,
    majority_share: float,
) -> tuple[str, ...]:
    """Return what a reader of a result must know, one sentence per note.

    Args:
        scored: The model.
        data: The config it was scored on.
        labels: The labels that the model distinguishes.
        left_out: Seeds and variants that are too long for the model.
        scores: The scores on all seeds and variants.
        majority_share: Share of the seeds that have the most common gold label.
    """
    return (
        *_label_notes(scored, data, labels),
        *_length_notes(left_out),
        *_chance_notes(scored, scores.seed_sample_accuracy, majority_share),
    )


def _label_notes(scored: ScoredModel, data: ScoredConfig, labels: Sequence[str]) -> Iterator[str]:
    names = ",".join(scored.labels.names)
    if NOT_ENTAILMENT in labels and NOT_ENTAILMENT not in data.label_names:
        yield (
            "two-way model: gold neutral and contradiction count as not_entailment, so compare its scores only with "
            "those of other two-way models"
        )
    if NOT_ENTAILMENT in data.label_names and NOT_ENTAILMENT not in labels:
        yield "predictions of neutral and contradiction count as not_entailment, because the data has only two labels"
    if scored.labels.origin == "given":
        yield f"labels given as {names}"
    if scored.labels.origin == INFERRED:
        yield f"labels inferred from the seeds as {names}"
    if scored.labels.origin == TABLE:
        yield f"the model's config names no labels; known labels used: {names}"
    if scored.labels.overrides_config:
        yield f"the given labels contradict the model's config, {','.join(scored.labels.config_names)}"


def _length_notes(left_out: LeftOut) -> Iterator[str]:
    if left_out.seeds or left_out.variants:
        yield (
            f"{left_out.seeds} seeds and {left_out.variants} variants left out: longer than the model's maximum of "
            f"{left_out.max_length} tokens"
        )


def _chance_notes(scored: ScoredModel, seed_accuracy: float, majority_share: float) -> Iterator[str]:
    if seed_accuracy < majority_share + CHANCE_MARGIN:
        of_model = scored.labels.origin != "function"
        hint = f"check the label order {','.join(scored.labels.names)}" if of_model else "check the function"
        yield (
            f"warning: accuracy on seeds is {seed_accuracy:.1%}, close to or below the {majority_share:.1%} of always "
            f"predicting the most common label; {hint}"
        )
