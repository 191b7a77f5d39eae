"""Join the rows of a config with the answers of models, and leave seeds out: mislabeled ones, or without all answers.

Every analysis takes these values. Models are in the order of their results, rows in the order of split `test`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Literal

import numpy as np
import pyarrow as pa

from merge_snli.answers.answers import Answers, Graded
from merge_snli.answers.data import WORDS, ScoredData
from merge_snli.answers.joining import join
from merge_snli.base.arrays import Bools, Floats32, Ints
from merge_snli.base.errors import InputError
from merge_snli.base.progress import SHOWN_AFTER, Progress
from merge_snli.models.labels import Missing
from merge_snli.results.evaluate import result_on
from merge_snli.results.grouping import coverage, results_by_name
from merge_snli.results.measure import source_accuracy
from merge_snli.results.records import DatasetRecord
from merge_snli.results.result import Result
from merge_snli.results.scores import SourceAccuracy, SourceScores


class NotComputable(InputError):  # noqa: N818 - not an error of a report: it lists the reason and goes on
    """An analysis cannot be computed; the message is one sentence: what is missing and, if one, the option for it."""


@dataclass(frozen=True)
class ModelAnswers:
    """A model and its answers.

    Attributes:
        name: Name of the model, unique among the models of the data set.
        result: The result that holds the answers.
        answers: The answers to every row, in the order of the data; `NOT_PREDICTED` for a row that was left out.
    """

    name: str
    result: Result = field(repr=False)
    answers: Answers

    @property
    def seeds(self) -> Graded:
        """The answers to the seeds.

        Raises:
            NotComputable: If the data has none.
        """
        if self.answers.seeds is None:
            raise _without_seeds(self.result.dataset)
        return self.answers.seeds

    @property
    def answered_groups(self) -> Bools:
        """Whether the model has an answer to each group, [n_groups]: to its seed, if any, and to any of its rows."""
        answers = self.answers
        seeds = self.answers.seeds
        answered = np.isin(np.arange(len(answers.group_ids)), answers.groups[answers.is_predicted])
        return answered if seeds is None else answered & seeds.is_predicted


@dataclass(frozen=True)
class ScoredDataset:
    """One config of one data set, and the answers of the models that were scored on it.

    Attributes:
        data: The rows, groups and gold labels.
        record: What the results record about the data.
        models: The models with their answers.
        coverage: If only the groups that all models have are kept, the models that have fewer, with number and reason.
        apart: The models that are not among `models`, each with what it lacks of the groups that most models have.
    """

    data: ScoredData
    record: DatasetRecord
    models: tuple[ModelAnswers, ...]
    coverage: tuple[str, ...] = ()
    apart: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the groups, [n_groups]."""
        return self.data.group_ids

    @property
    def groups(self) -> Ints:
        """Index into `ids` of the group of each row, [n_rows]."""
        return self.data.row_groups

    @cached_property
    def seeds(self) -> tuple[tuple[str, str, str], ...]:
        """Premise, hypothesis and name of the gold label of each seed, [n_seeds].

        Raises:
            NotComputable: If the data has no seeds.
        """
        if self.data.seed_labels is None:
            raise _without_seeds(self.record)
        labels = [self.data.label_names[label] for label in self.data.seed_labels]
        return tuple((*pair, label) for pair, label in zip(self.data.seed_texts, labels, strict=True))

    @cached_property
    def words(self) -> dict[str, pa.DictionaryArray]:
        """The columns `word_class`, `original` and `replacement` of the variants, [n_variants] each."""
        return {name: self.data.table[name].combine_chunks().dictionary_encode() for name in WORDS}

    @property
    def log_odds(self) -> Floats32:
        """Log-odds of the replacement against the original of each variant, [n_variants]."""
        return np.asarray(self.data.table["log_odds"].to_numpy())

    def variants_by(self, column: Literal["word_class", "masked_lm"]) -> Mapping[str, Bools]:
        """Return the variants of each word class, or those that each masked LM validated, [n_variants] each.

        Raises:
            NotComputable: If the data has no seeds.
        """
        if not self.data.has_seeds:
            raise _without_seeds(self.record)
        return self.data.masks[column]

    @cached_property
    def drawn(self) -> Bools:
        """Whether a subsample has each row, [n_rows]; every row without subsamples."""
        return self.models[0].answers.drawn


def _without_seeds(record: DatasetRecord) -> NotComputable:
    return NotComputable(f"{record.title} has pairs in groups, and this needs seeds and their variants")


def scored_dataset(data: ScoredData, results: Sequence[Result]) -> ScoredDataset:
    """Join the answers to a config of a data set; of the drawn variants if a model has no other answers.

    Args:
        data: The config.
        results: At least one result; all on this data.

    Raises:
        InputError: If a result was computed on other data or does not fit the data set, or two results are of the same
            model.
    """
    for result in results:
        if result.dataset.key != (data.digest, data.config):
            raise InputError(
                f"the result of {result.model.name} is on data {result.dataset.digest[:8]}, config "
                f"{result.dataset.config}, not on {data.name} ({data.digest[:8]}), config {data.config}"
            )
    models = []
    with Progress(after=SHOWN_AFTER).stage("reading answers", unit="models", total=len(results)) as stage:
        for name, result in results_by_name(results).items():
            try:
                models.append(ModelAnswers(name, result, join(result.answers, data)))
            except InputError as error:
                raise InputError(f"the result of {name}: {error.message.marked}: score it again") from error
            stage.advance(1)
    if any(model.answers.drawn_only for model in models):
        models = [replace(model, answers=model.answers.without_undrawn()) for model in models]
    return ScoredDataset(data, results[0].dataset, tuple(models))


def without_seeds(scored: ScoredDataset, ids: Collection[str], *, keep_source: bool = False) -> ScoredDataset:
    """Return a data set without some seeds and their variants, with every number of each result computed again.

    Args:
        scored: The data set.
        ids: Ids of the seeds to leave out; ids of other data sets are ignored.
        keep_source: Whether the seeds stay among the problems of the source.

    Raises:
        InputError: If a model has no other seed.
    """
    kept = ~np.isin(scored.ids, [*ids])
    if kept.all():
        return scored
    rows = kept[scored.groups]
    models = []
    data = scored.data.take(rows)
    for model in scored.models:
        if not (kept & model.answered_groups).any():
            raise InputError(f"{scored.record.title}: no seed of {model.name} remains: leave out fewer seeds")
        answers = model.answers.take(rows)
        source = model.result.source if keep_source else _source(scored, model, ~kept)
        models.append(replace(model, result=result_on(model.result, answers, data, source), answers=answers))
    return replace(scored, data=data, models=tuple(models))


def _source(scored: ScoredDataset, model: ModelAnswers, out: Bools) -> SourceScores | None:
    """Return the scores on the source without some seeds, [n_seeds]; None if the model's answer on one is unknown."""
    source = model.result.source
    answers = model.answers.seeds
    gold = scored.data.seed_labels
    if source is None or answers is None or gold is None or (answers.predicted[out] == Missing.NOT_PREDICTED).any():
        return None
    labels = {}
    for number, name in enumerate(scored.data.label_names):
        of_label = out & (gold == number)
        if name in source.labels and source.labels[name].problems > np.count_nonzero(of_label):
            labels[name] = _rest(source.labels[name], of_label, answers)
    return replace(source, overall=_rest(source.overall, out, answers), labels=labels)


def _rest(whole: SourceAccuracy, out: Bools, answers: Graded) -> SourceAccuracy:
    """Return the accuracy on some problems without those of the seeds that are left out, [n_seeds]."""
    correct = round(whole.sample_accuracy * whole.problems) - int(np.count_nonzero(out & answers.correct))
    return source_accuracy(correct, whole.problems - int(np.count_nonzero(out)))


def on_common_seeds(data: Sequence[ScoredDataset]) -> list[ScoredDataset]:
    """Return data sets with the seeds that every model of each of them has predictions on.

    Accuracy on the source stays what it is, and `coverage` names the models that are the reason for missing seeds.

    Args:
        data: Data sets, each with its models; all on the same seeds if there are several.

    Raises:
        NotComputable: If the models have no seed in common.
    """
    missing: set[str] = set()
    for scored in data:
        for model in scored.models:
            missing.update(compress(scored.ids, ~model.answered_groups))
    return [_without(scored, missing) for scored in data]


def _without(scored: ScoredDataset, missing: set[str]) -> ScoredDataset:
    if missing.issuperset(scored.ids):
        names = ", ".join(model.name for model in scored.models)
        raise NotComputable(f"{names} have no seed of {scored.record.title} in common: leave out one of them")
    why = []
    for model in scored.models:
        if not model.answered_groups.all():
            why.append(f"{model.name}: {coverage(model.result, len(scored.ids))}")
    return replace(without_seeds(scored, missing, keep_source=True), coverage=tuple(why))
