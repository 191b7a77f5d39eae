"""Score the answers of a model that was run elsewhere: by a harness, or by any program that writes a table."""

import logging
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np

from merge_snli.answers.data import ScoredData, asked_unit
from merge_snli.answers.replies import Reply, agreement, details_of, is_tied, majority, only_likelihoods
from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.models.function import labels_in_use, labels_of_answers
from merge_snli.models.labels import ANSWERS, Missing, Pair
from merge_snli.problems.formats import open_file
from merge_snli.problems.rows import SourceRow
from merge_snli.results.evaluate import evaluate
from merge_snli.results.records import RANKED, ModelRecord, PromptRecord, RunRecord
from merge_snli.results.result import Result
from merge_snli.scoring.predict import best_outputs
from merge_snli.scoring.predicted_columns import (
    HYPOTHESIS,
    ID,
    PREMISE,
    SHOWN_CHARACTERS,
    prediction_of,
    score_columns,
    written_names,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ImportedAnswers:
    """The answers of one model that was run elsewhere.

    Attributes:
        source: The files that they were read from, for messages.
        model: Name of the model.
        labels: The answer to each pair: a label, or None if it cannot be read.
        replies: What a language model replied to each pair, at least once; empty for other models.
        prompt: How a language model was prompted; None for other models.
        digest: What identifies the model and how it was prompted; None if only its name does.
        versions: Versions of the libraries that called it.
        tied: The pairs on which the largest scores of two labels are equal.
    """

    source: str
    model: str
    labels: dict[Pair, str | None]
    replies: dict[Pair, tuple[Reply, ...]] = field(default_factory=dict)
    prompt: PromptRecord | None = None
    digest: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    tied: frozenset[Pair] = frozenset()


def score_answers(answers: ImportedAnswers, data: ScoredData, *, partial: bool = False) -> Result:
    """Compute the result of a model from its answers.

    Args:
        answers: The answers.
        data: The data, or the part of it, that the answers are to.
        partial: Leave out and count the groups without all their answers.

    Raises:
        InputError: If answers are missing without `partial`, or every group lacks one.
    """
    missing = sum(pair not in answers.labels for pair in data.pairs)
    asked = count(len(data.pairs), asked_unit(data.units[1]))
    if missing and not partial:
        raise InputError(
            f"{answers.source} has no answers to {missing:,} of the {asked} of "
            f"{data.full_name}: finish the run, give all its files together, or add ⟦partial=True⟧ to leave "
            f"out the {data.units[0]}s without all their answers"
        )
    known = {pair: only_likelihoods(replies) for pair, replies in answers.replies.items()}
    unknown = (math.nan,) * len(data.label_names)
    likelihoods = np.array([known.get(pair) or unknown for pair in data.pairs], dtype=np.float32)
    is_ranked = answers.prompt is not None and answers.prompt.answers == RANKED
    if is_ranked:
        labels = data.label_names
        outputs = best_outputs(likelihoods)
    else:
        outputs, labels = _outputs(answers, data)
    model = ModelRecord(name=answers.model, digest=answers.digest, labels=labels, label_origin=ANSWERS)
    return evaluate(
        outputs,
        data,
        model=model,
        run=_run_record(answers, data),
        logits=likelihoods if is_ranked else None,
        likelihoods=likelihoods if any(known.values()) else None,
        details=details_of(answers.replies, data.pairs),
    )


def _outputs(answers: ImportedAnswers, data: ScoredData) -> tuple[Ints, tuple[str, ...]]:
    """Return the number of the label of each pair of the data, or a code of `Missing`, [n_pairs], and the labels."""
    possible = labels_of_answers(data.label_names)
    number_of: dict[str | None, int] = {label: number for number, label in enumerate(possible)}
    number_of[None] = Missing.NO_ANSWER
    outputs = []
    for pair in data.pairs:
        outputs.append(number_of[answers.labels[pair]] if pair in answers.labels else Missing.NOT_PREDICTED)
    numbers = np.array(outputs)
    return numbers, labels_in_use(possible, numbers)


def _run_record(answers: ImportedAnswers, data: ScoredData) -> RunRecord:
    """Return how the answers to the pairs of the data were given."""
    replies = [answers.replies[pair] for pair in data.pairs if pair in answers.replies]
    unread = Counter[str]()
    read_by_model = Counter[str]()
    for given in replies:
        if majority(given) is None and given[0].kind:
            unread[given[0].kind] += 1
        read_by_model.update({reply.reader for reply in given if reply.reader})
    tied = sum(pair in answers.tied for pair in data.pairs) + sum(map(is_tied, replies))
    run = RunRecord(
        versions=answers.versions,
        prompt=answers.prompt,
        unread=dict(sorted(unread.items())),
        read_by_model=dict(sorted(read_by_model.items())),
        tied=tied,
    )
    samples = max(map(len, replies), default=1)
    if samples == 1:
        return run
    return replace(run, samples=samples, agreement=fmean(map(agreement, replies)))


def read_predictions(paths: Sequence[Path], data: ScoredData, *, model: str) -> ImportedAnswers:
    """Read the predictions of one model.

    A row has `id`, of a seed or a variant, or `premise` and `hypothesis`; and `label`, by name or by its number in the
    data set, or one column of scores per label. An empty label is an answer that cannot be read. Rows on pairs that the
    config does not have are ignored.

    Args:
        paths: Files, read as one.
        data: The whole config.
        model: Name of the model.

    Raises:
        InputError: If a file cannot be read, a row is invalid, two rows with the same sentences differ, or no row is on
            the config.
    """
    ids = data.pairs_by_id()
    known = {*data.pairs}
    labels: dict[Pair, str | None] = {}
    tied: set[Pair] = set()
    rows = unknown = 0
    for path in paths:
        file = open_file(path)
        scores: dict[str, str] | None = None
        for row in file.read():
            if scores is None:
                scores = score_columns(row, data.label_names)
                has_id = ID in row.values
                names = written_names(file, path, data.label_names)
            rows += 1
            label, is_tied = prediction_of(row, scores, names)
            pair = ids.get(_text(row, ID)) if has_id else (_text(row, PREMISE), _text(row, HYPOTHESIS))
            if pair is None or pair not in known:
                unknown += 1
                continue
            if is_tied and pair not in labels:
                tied.add(pair)
            if labels.setdefault(pair, label) != label:
                shown = repr(_text(row, ID)) if has_id else " / ".join(text[:SHOWN_CHARACTERS] for text in pair)
                raise InputError(
                    f"{row.location}: {shown} has another label in an earlier row with the same sentences: keep one"
                )
    source = ", ".join(map(str, paths))
    if not rows:
        raise InputError(f"{source} has no rows: give the predictions of the model")
    if not labels:
        raise InputError(
            f"none of {count(rows, 'row')} of {source} is on {data.full_name}: give the data set that the model "
            "predicted"
        )
    if unknown:
        logger.warning("%s: ignored %s of %s, which are not in %s", source, unknown, count(rows, "row"), data.full_name)
    return ImportedAnswers(source, model, labels, tied=frozenset(tied))


def _text(row: SourceRow, column: str) -> str:
    value = row.values.get(column)
    if value is None or value == "":
        raise InputError(f"{row.location} has no {column}")
    return str(value)
