"""Leave seeds out of a scored data set, such as those that a reader judged mislabeled (section 5.5 of the paper)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.analysis.scored_dataset import answered_groups, take_groups
from merge_snli.base.errors import InputError
from merge_snli.models.labels import Missing
from merge_snli.scoring.answers import asked_answers
from merge_snli.scoring.results.evaluate import left_out_of
from merge_snli.scoring.results.measure import consistency, group_table, scores, source_accuracy

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from merge_snli.analysis.scored_dataset import ScoredDataset, ScoredModel
    from merge_snli.scoring.results.result import Result
    from merge_snli.scoring.results.scores import SourceAccuracy, SourceScores

    Bools = NDArray[np.bool_]


def without_seeds(scored: ScoredDataset, ids: Collection[str], *, keep_source: bool = False) -> ScoredDataset:
    """Return a data set without some seeds and their variants, with the scores of each result computed again.

    The results then have no scores of parts (word classes, labels and masked LMs), which no analysis uses.

    Args:
        scored: The data set.
        ids: Ids of the seeds to leave out; ids of other data sets are ignored.
        keep_source: Whether the seeds stay among the problems of the source.

    Raises:
        InputError: If a model has no other seed.
    """
    out = set(ids)
    kept = np.array([seed not in out for seed in scored.ids])
    if kept.all():
        return scored
    for model in scored.models:
        if not (kept & answered_groups(model)).any():
            raise InputError(f"{scored.record.title}: no seed of {model.name} remains: leave out fewer seeds")
    smaller = take_groups(scored, kept)
    models = []
    for whole, model in zip(scored.models, smaller.models, strict=True):
        source = whole.result.source if keep_source else _source(scored, whole, ~kept)
        models.append(replace(model, result=replace(_result(smaller, model), source=source)))
    return replace(smaller, models=tuple(models))


def _result(scored: ScoredDataset, model: ScoredModel) -> Result:
    """Return the result of a model with the scores on the groups of the data set."""
    answers = asked_answers(model.answers)
    return replace(
        model.result,
        scores=scores(answers),
        parts={},
        consistency=consistency(answers),
        left_out=left_out_of(answers, scored.data, model.result.left_out.max_length),
        groups=group_table(answers, scored.data),
    )


def _source(scored: ScoredDataset, model: ScoredModel, out: Bools) -> SourceScores | None:
    """Return the scores on the source without some seeds, [n_seeds]; None if the model's answer on one is unknown."""
    source, anchors = model.result.source, model.answers.anchors
    if source is None or anchors is None or (anchors.predicted[out] == Missing.NOT_ASKED).any():
        return None
    right = anchors.correct

    def rest(whole: SourceAccuracy, left_out: Bools) -> SourceAccuracy | None:
        problems = whole.problems - int(np.count_nonzero(left_out))
        correct = round(whole.sample_accuracy * whole.problems) - int(np.count_nonzero(left_out & right))
        return source_accuracy(correct, problems) if problems else None

    labels = np.array(scored.seeds.labels)
    by_label = {name: rest(whole, out & (labels == name)) for name, whole in source.labels.items()}
    overall = rest(source.overall, out)
    if overall is None:
        return None
    return replace(
        source, overall=overall, labels={name: scores for name, scores in by_label.items() if scores is not None}
    )
