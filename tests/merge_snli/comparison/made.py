"""Made-up scored data sets, small enough to compute every number by hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from merge_snli import MergeDataset, Result
from merge_snli.answers.answers import Answers, Predicted
from merge_snli.answers.data import ScoredData
from merge_snli.answers.joining import answers_to, predicted_answers
from merge_snli.answers.sentences import SentencePairs
from merge_snli.base.arrays import Bools, Ints
from merge_snli.comparison.scored_dataset import ModelAnswers, ScoredDataset
from merge_snli.dataset.record import DataRecord, MaskedLMRecord, generation_of
from merge_snli.dataset.record_file import read_record
from merge_snli.models.labels import Missing
from merge_snli.results.evaluate import dataset_record, make_result
from merge_snli.results.records import ModelRecord, RunRecord
from merge_snli.schema import NLI_LABELS, WORD_CLASSES
from tests.records import SHIPPED

DIGEST = "d" * 64
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Row:
    """A variant.

    Attributes:
        seed: Id of its seed.
        answers: The predictions of the models, one letter each: the first of the label, or `-` without a prediction.
        replacement: By default numbered, so that no two variants are equal.
    """

    seed: str
    answers: str
    word_class: str = "noun"
    original: str = "dog"
    replacement: str | None = None
    masked_lms: tuple[str, ...] = ("mlm",)
    subsamples: tuple[int, ...] = (0,)
    log_odds: float = 1.0


def rows_of(seed: str, answers: Sequence[str] | str, **columns: Any) -> list[Row]:  # noqa: ANN401 - fields of Row
    """Return one row per answer: `rows_of("s1", "een")` for one model, `rows_of("s1", ["en", "ee"])` for two."""
    return [Row(seed=seed, answers=answer, **columns) for answer in answers]


def answered(*lines: str) -> list[Row]:
    """Return the rows of seeds, one line each: its id and the answers to its variants, such as `s1 en ee`."""
    rows = []
    for line in lines:
        seed, *answers = line.split()
        rows += rows_of(seed, answers)
    return rows


def scored_dataset(
    rows: Sequence[Row],
    *,
    models: Sequence[str] = ("a",),
    gold: Mapping[str, str] = NOTHING,
    on_seeds: Mapping[str, str] = NOTHING,
    texts: Mapping[str, tuple[str, str]] | None = None,
    annotators: Sequence[Sequence[int]] | None = None,
    masked_lms: Sequence[str] = ("mlm",),
    labels: Sequence[str] = NLI_LABELS,
    options: Mapping[str, Any] = NOTHING,
    title: str = "made up",
    digest: str = DIGEST,
) -> ScoredDataset:
    """Return a scored data set with the seeds in the order of their first row.

    Args:
        rows: The variants.
        models: Names of the models, in the order of the answers.
        gold: Gold labels of seeds, as first letters; by default `e`.
        on_seeds: Predictions of the models on seeds, one letter per model; by default the gold label. `-` for no
            prediction, which needs rows without predictions, too.
        texts: Premise and hypothesis of seeds; by default made of the id.
        annotators: Number of annotators who gave each label to each seed, [n_seeds, n_labels].
        masked_lms: Masked LMs of the run.
        labels: Labels of the data set, which are also those in which predictions are compared.
        options: Changed options of the run.
        title: Title of the data set.
        digest: sha256 of the data.
    """
    numbers = {label[0]: number for number, label in enumerate(labels)}
    numbers |= {"-": Missing.NOT_PREDICTED, "?": Missing.NO_ANSWER}

    def encoded(letters: Iterable[str]) -> Ints:
        return np.array([numbers[letter] for letter in letters])

    of_gold = {}
    of_seeds = {}
    pairs = []
    for seed in dict.fromkeys(row.seed for row in rows):
        of_gold[seed] = gold.get(seed, "e")
        of_seeds[seed] = on_seeds.get(seed, of_gold[seed] * len(models))
        pairs.append((texts or {}).get(seed, (f"The premise of {seed}.", f"The hypothesis of {seed}.")))
    dataset = _dataset(title, digest, masked_lms, options)
    data = _data(rows, tuple(of_gold), pairs, encoded(of_gold.values()), dataset, labels, masked_lms)
    if annotators is not None:
        data = replace(data, annotators=np.array(annotators))
    found = []
    for at, name in enumerate(models):
        on_rows = encoded(row.answers[at] for row in rows)
        predicted = encoded(letters[at] for letters in of_seeds.values())
        answers = answers_to(data, Predicted(on_rows), Predicted(predicted), tuple(labels))
        found.append(ModelAnswers(name, made_result(name, data, answers), answers))
    return ScoredDataset(data, dataset_record(data), tuple(found))


def made_result(name: str, data: ScoredData, answers: Answers) -> Result:
    """Return the result of a model that gave some answers to data."""
    known, kept = predicted_answers(answers, data)
    model = ModelRecord(name=name, digest=None, labels=answers.labels, label_origin="function")
    made = make_result(known, kept, data, model=model, run=RunRecord({}), max_length=None, pairs=len(data.pairs))
    return replace(made, notes=())


def _dataset(title: str, digest: str, masked_lms: Sequence[str], options: Mapping[str, Any]) -> MergeDataset:
    run = read_record(SHIPPED)
    named = tuple(MaskedLMRecord(name, None, "a" * 64) for name in masked_lms)
    record = replace(
        run,
        title=title,
        options=run.options | {"mlm": list(masked_lms)} | dict(options),
        generation=replace(generation_of(run), masked_lms=named),
        data=DataRecord(digest, {}),
    )
    return MergeDataset(name="made", folder=Path("made"), revision=None, record=record)


def _data(
    rows: Sequence[Row],
    ids: tuple[str, ...],
    pairs: Sequence[tuple[str, str]],
    gold: Ints,
    dataset: MergeDataset,
    labels: Sequence[str],
    masked_lms: Sequence[str],
) -> ScoredData:
    groups = np.array([ids.index(row.seed) for row in rows])
    columns = {
        "variant_id": [f"v{at}" for at in range(len(rows))],
        "word_class": [row.word_class for row in rows],
        "original": [row.original for row in rows],
        "replacement": [row.replacement or f"word{at}" for at, row in enumerate(rows)],
        "log_odds": pa.array([row.log_odds for row in rows], pa.float32()),
    }
    subsamples = []
    for number in range(1 + max(max(row.subsamples, default=0) for row in rows)):
        subsamples.append([number in row.subsamples for row in rows])
    masks: dict[str, dict[str, Bools]] = {"word_class": {}, "label": {}, "masked_lm": {}}
    for name in WORD_CLASSES:
        masks["word_class"][name] = np.array([row.word_class == name for row in rows])
    for number, name in enumerate(labels):
        masks["label"][name] = gold[groups] == number
    for name in masked_lms:
        masks["masked_lm"][name] = np.array([name in row.masked_lms for row in rows])
    of_rows = [(f"premise {at}", f"hypothesis {at}") for at in range(len(rows))]
    return ScoredData(
        dataset=dataset,
        name=dataset.name,
        title=dataset.record.title,
        revision=None,
        config="all",
        digest=dataset.digest,
        group_column="seed_id",
        label_names=tuple(labels),
        table=pa.table(columns),
        sentences=SentencePairs.of([*pairs, *of_rows]),
        group_ids=ids,
        row_groups=groups,
        row_labels=gold[groups],
        subsamples=np.array(subsamples),
        seed_labels=gold,
        masks=masks,
    )
