"""Read the rows of a config and the answers that the result files of models hold.

Every analysis takes these values. Models are in the order of their results, rows in the order of split `test`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from merge_snli.base.arrays import Bools, Ints
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.scoring.answers import Answers, Graded, join
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.grouping import distinct_names_of
from merge_snli.scoring.records import DatasetRecord
from merge_snli.scoring.result import Result


class NotComputable(Exception):  # noqa: N818 - not an error: a report lists the reason and goes on
    """An analysis cannot be computed; the message is one sentence: what is missing and, if one, the option for it."""


@dataclass(frozen=True)
class Replacements:
    """What was replaced in the variants of a config, in the order of split `test`.

    Attributes:
        word_class: Word class of the replaced word, a dictionary array of Arrow, [n_variants].
        original: The replaced word, a dictionary array, [n_variants].
        replacement: The word that replaces it, a dictionary array, [n_variants].
        log_odds: Log-odds of the replacement against the original, float32, [n_variants].
    """

    word_class: pa.DictionaryArray
    original: pa.DictionaryArray
    replacement: pa.DictionaryArray
    log_odds: NDArray[np.float32]


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
        answered, seeds = np.zeros(len(self.answers.group_ids), dtype=bool), self.answers.seeds
        answered[self.answers.groups[self.answers.is_predicted]] = True
        return answered if seeds is None else answered & seeds.is_predicted


@dataclass(frozen=True)
class ScoredDataset:
    """One config of one data set, and the answers of the models that were scored on it.

    Attributes:
        data: The rows, groups and gold labels.
        record: What the results record about the data.
        replacements: What was replaced in the variants; None if the data has no seeds.
        models: The models with their answers.
        coverage: If only the groups that all models have are kept, the models that have fewer, with number and reason.
    """

    data: ScoredData
    record: DatasetRecord
    replacements: Replacements | None
    models: tuple[ModelAnswers, ...]
    coverage: tuple[str, ...] = ()

    @property
    def dataset(self) -> MergeDataset:
        """The stored data set."""
        assert self.data.dataset is not None
        return self.data.dataset

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
        if self.data.seeds is None:
            raise _without_seeds(self.record)
        numbers = zip(self.data.seeds.pairs.tolist(), self.data.seeds.labels.tolist(), strict=True)
        return tuple((*self.data.pairs[pair], self.data.label_names[label]) for pair, label in numbers)

    @property
    def variants(self) -> Replacements:
        """What was replaced in the variants.

        Raises:
            NotComputable: If the data has no seeds.
        """
        if self.replacements is None:
            raise _without_seeds(self.record)
        return self.replacements

    def variants_by(self, column: Literal["word_class", "masked_lm"]) -> Mapping[str, Bools]:
        """Return the variants of each word class, or those that each masked LM validated, [n_variants] each.

        Raises:
            NotComputable: If the data has no seeds.
        """
        if self.replacements is None:
            raise _without_seeds(self.record)
        return self.data.parts[column]

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
    for name, result in zip(distinct_names_of(results), results, strict=True):
        try:
            models.append(ModelAnswers(name, result, join(result.answers, data)))
        except InputError as error:
            raise InputError(f"the result of {name}: {error.message.marked}: score it again") from error
    if any(model.answers.drawn_only for model in models):
        models = [replace(model, answers=model.answers.without_undrawn()) for model in models]
    return ScoredDataset(
        data,
        results[0].dataset,
        None if data.seeds is None else _replacements(data.table),
        tuple(models),
    )


def _replacements(table: pa.Table) -> Replacements:
    return Replacements(
        word_class=table["word_class"].combine_chunks().dictionary_encode(),
        original=table["original"].combine_chunks().dictionary_encode(),
        replacement=table["replacement"].combine_chunks().dictionary_encode(),
        log_odds=table["log_odds"].to_numpy(),
    )
