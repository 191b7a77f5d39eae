"""Leave seeds out of a scored data set: those judged mislabeled (section 5.5), or that some model has no answer to."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from merge_snli.base.arrays import Bools
from merge_snli.base.errors import InputError
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.models.labels import Missing
from merge_snli.scoring.evaluate import result_on
from merge_snli.scoring.grouping import coverage
from merge_snli.scoring.measure import source_accuracy
from merge_snli.scoring.scores import SourceAccuracy, SourceScores


def without_seeds(scored: ScoredDataset, ids: Collection[str], *, keep_source: bool = False) -> ScoredDataset:
    """Return a data set without some seeds and their variants, with every number of each result computed again.

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
        if not (kept & model.answered_groups).any():
            raise InputError(f"{scored.record.title}: no seed of {model.name} remains: leave out fewer seeds")
    smaller = _take(scored, kept)
    models = []
    for whole, model in zip(scored.models, smaller.models, strict=True):
        source = whole.result.source if keep_source else _source(scored, whole, ~kept)
        models.append(replace(model, result=result_on(whole.result, model.answers, smaller.data, source)))
    return replace(smaller, models=tuple(models))


def _take(scored: ScoredDataset, groups: Bools) -> ScoredDataset:
    """Return a data set with some groups only, [n_groups], and the answers to them; results stay what they are."""
    rows, replacements = groups[scored.groups], scored.replacements
    return replace(
        scored,
        data=scored.data.take(groups=groups, rows=rows),
        replacements=None
        if replacements is None
        else replace(
            replacements,
            word_class=replacements.word_class.take(np.flatnonzero(rows)),
            original=replacements.original.take(np.flatnonzero(rows)),
            replacement=replacements.replacement.take(np.flatnonzero(rows)),
            log_odds=replacements.log_odds[rows],
        ),
        models=tuple(replace(model, answers=model.answers.take(groups=groups)) for model in scored.models),
    )


def _source(scored: ScoredDataset, model: ModelAnswers, out: Bools) -> SourceScores | None:
    """Return the scores on the source without some seeds, [n_seeds]; None if the model's answer on one is unknown."""
    source, answers, seeds = model.result.source, model.answers.seeds, scored.data.seeds
    if source is None or answers is None or seeds is None or (answers.predicted[out] == Missing.NOT_PREDICTED).any():
        return None
    right = answers.correct

    def rest(whole: SourceAccuracy, left_out: Bools) -> SourceAccuracy | None:
        problems = whole.problems - int(np.count_nonzero(left_out))
        correct = round(whole.sample_accuracy * whole.problems) - int(np.count_nonzero(left_out & right))
        return source_accuracy(correct, problems) if problems else None

    numbers = {name: number for number, name in enumerate(scored.data.label_names)}
    by_label = {name: rest(whole, out & (seeds.labels == numbers[name])) for name, whole in source.labels.items()}
    overall = rest(source.overall, out)
    if overall is None:
        return None
    return replace(
        source, overall=overall, labels={name: scores for name, scores in by_label.items() if scores is not None}
    )


def on_common_seeds(data: Sequence[ScoredDataset]) -> list[ScoredDataset]:
    """Return data sets with the seeds that every model of each of them has predictions on.

    Accuracy on the source stays what it is, and `coverage` names the models that are the reason for missing seeds.

    Args:
        data: Data sets, each with its models; all on the same seeds if there are several.

    Raises:
        NotComputable: If the models have no seed in common.
    """
    missing = {
        seed
        for scored in data
        for model in scored.models
        for seed, answered in zip(scored.ids, model.answered_groups.tolist(), strict=True)
        if not answered
    }
    return [_without(scored, missing) if missing else scored for scored in data]


def _without(scored: ScoredDataset, missing: set[str]) -> ScoredDataset:
    if missing.issuperset(scored.ids):
        names = ", ".join(model.name for model in scored.models)
        raise NotComputable(f"{names} have no seed of {scored.record.title} in common: leave out one of them")
    why = [
        f"{model.name}: {coverage(model.result, len(scored.ids))}"
        for model in scored.models
        if not model.answered_groups.all()
    ]
    return replace(without_seeds(scored, missing, keep_source=True), coverage=tuple(why))
