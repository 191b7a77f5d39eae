"""Score the answers of a model that was run elsewhere, with the evaluation of `scoring.score`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from merge_snli.dataset import read_split
from merge_snli.errors import InputError, param
from scoring.models.answers import model_from_answers
from scoring.predictions.predict import predict_pairs
from scoring.results.evaluate import evaluate

if TYPE_CHECKING:
    from scoring.models.predictor import Pair
    from scoring.predictions.pairs import ScoredConfig
    from scoring.results.records import PromptRecord
    from scoring.results.result import Result


@dataclass(frozen=True)
class Answers:
    """The answers of one model.

    Attributes:
        source: The files that they were read from, for messages.
        model: Name of the model.
        labels: The answer to each pair: a label, or None if it cannot be read.
        texts: What a language model wrote, by pair; empty for other models and where it ranked the labels.
        prompt: How a language model was asked; None for other models.
        digest: What identifies the model and how it was asked; None if only its name does.
        versions: Versions of the libraries that asked it.
    """

    source: str
    model: str
    labels: dict[Pair, str | None]
    texts: dict[Pair, str] = field(default_factory=dict)
    prompt: PromptRecord | None = None
    digest: str | None = None
    versions: dict[str, str] = field(default_factory=dict)


def score_answers(answers: Answers, data: ScoredConfig, *, partial: bool = False) -> Result:
    """Compute the result of a model from its answers.

    Args:
        answers: The answers.
        data: The config, or the part of it, that the model was asked.
        partial: Leave out and count the seeds without answers to themselves and all their variants.

    Raises:
        InputError: If answers are missing without `partial`, or every seed lacks one.
    """
    missing = sum(pair not in answers.labels for pair in data.pairs)
    if missing and not partial:
        raise InputError(
            f"{answers.source} has no answers to {missing:,} of the {len(data.pairs):,} distinct pairs of config "
            f"{data.config} of {data.dataset.name}: finish the run, give all its files together, or add "
            f"{param('partial', True)} to leave out the seeds without all their answers"
        )
    scored = model_from_answers(answers.labels, name=answers.model, digest=answers.digest, versions=answers.versions)
    predictions, facts = predict_pairs(scored.load, data.pairs, None, name=scored.name)
    return evaluate(scored, facts, predictions, data, prompt=answers.prompt)


def pairs_by_id(data: ScoredConfig) -> dict[str, Pair]:
    """Return the pair of each seed and variant of a whole config, by id."""
    seeds = zip(data.seed_ids, data.seed_pairs.tolist(), strict=True)
    variant_ids = read_split(data.dataset, data.config).column("variant_id").to_pylist()
    variants = zip(variant_ids, data.variant_pairs.tolist(), strict=True)
    return {name: data.pairs[pair] for name, pair in (*variants, *seeds)}
