"""Score the answers of a model that was run elsewhere, with the evaluation of `scoring.score`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.stored import read_split
from merge_snli.models.function import model_from_answers
from merge_snli.scoring.predictions.predict import predict_pairs
from merge_snli.scoring.results.evaluate import evaluate

if TYPE_CHECKING:
    from merge_snli.models.predictor import Pair
    from merge_snli.scoring.predictions.scored_data import ScoredData
    from merge_snli.scoring.results.records import PromptRecord
    from merge_snli.scoring.results.result import Result

ID_COLUMNS = ("variant_id", "pair_id")
"""The columns of ids of rows in stored data sets."""


@dataclass(frozen=True)
class ImportedAnswers:
    """The answers of one model that was run elsewhere.

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


def score_answers(answers: ImportedAnswers, data: ScoredData, *, partial: bool = False) -> Result:
    """Compute the result of a model from its answers.

    Args:
        answers: The answers.
        data: The data, or the part of it, that the model was asked.
        partial: Leave out and count the groups without all their answers.

    Raises:
        InputError: If answers are missing without `partial`, or every group lacks one.
    """
    missing = sum(pair not in answers.labels for pair in data.pairs)
    if missing and not partial:
        raise InputError(
            f"{answers.source} has no answers to {missing:,} of the {len(data.pairs):,} distinct pairs of "
            f"{data.place}: finish the run, give all its files together, or add {param('partial', True)} to leave out "
            f"the {data.units[0]}s without all their answers"
        )
    scored = model_from_answers(answers.labels, name=answers.model, digest=answers.digest, versions=answers.versions)
    predictions, facts = predict_pairs(scored.load, data.pairs, None, name=scored.name)
    return evaluate(scored, facts, predictions, data, prompt=answers.prompt)


def pairs_by_id(data: ScoredData) -> dict[str, Pair]:
    """Return the pair of each anchor and row of whole data by id; empty for a file, whose rows have no ids."""
    if data.dataset is None:
        return {}
    table = read_split(data.dataset, str(data.config))
    ids = table.column(next(name for name in ID_COLUMNS if name in table.column_names)).to_pylist()
    found = {name: data.pairs[pair] for name, pair in zip(ids, data.row_pairs.tolist(), strict=True)}
    if data.anchors is not None:
        seeds = zip(data.group_ids, data.anchors.pairs.tolist(), strict=True)
        found |= {name: data.pairs[pair] for name, pair in seeds}
    return found
