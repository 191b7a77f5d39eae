"""Say what a reader of a result must know, one sentence per note."""

from collections.abc import Iterator

import numpy as np

from merge_snli.answers.answers import Answers
from merge_snli.answers.data import asked_unit
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.models.labels import ANSWERS, FUNCTION, GIVEN, INFERRED, PROMPT, TABLE
from merge_snli.results.records import CHANCE_MARGIN
from merge_snli.results.result import Result
from merge_snli.results.scores import Scores


def notes_of(result: Result, pairs: int) -> Iterator[str]:
    """Yield what a reader of a result must know, one sentence per note.

    Args:
        result: The result; its notes are ignored.
        pairs: Number of distinct pairs of the data and the source.
    """
    run = result.run
    left_out = result.left_out
    origin = result.model.label_origin
    group, row = result.units
    limit = f"longer than the model's maximum of {left_out.max_length} tokens"
    of_all = f"of {count(pairs, asked_unit(row))}"
    yield from _label_notes(result)
    if left_out.groups or left_out.rows:
        why = f"not all of a {group}'s answers were imported" if origin == ANSWERS else limit
        yield f"{left_out.groups} {group}s and {left_out.rows} {row}s left out: {why}"
    if left_out.undrawn:
        yield f"{left_out.undrawn:,} {row}s that no subsample has were not scored"
    if run.no_answers:
        kinds = "".join(f"; {kind}: {number:,}" for kind, number in run.unread.items())
        yield f"no answer to {run.no_answers:,} {of_all} can be read; they count as wrong{kinds}"
    for reader, number in run.read_by_model.items():
        yield f"{number:,} of {pairs:,} answers state no label in a form that is read; {reader} read them"
    if run.agreement is not None:
        yield (
            f"the most frequent of {run.samples} answers to each pair counts; {run.agreement:.1%} of the answers agree "
            "with it"
        )
    if unknown := _without_probabilities(result):
        yield (
            f"the log-probabilities of {count(unknown, 'answer')} do not have every label; the calibration is without "
            f"these, and without the {row}s of such {group}s"
        )
    if run.tied:
        tied = "largest scores" if run.samples is None else "most frequent answers"
        yield f"the {tied} are tied on {run.tied:,} {of_all}; the first label counts"
    if result.source is not None and result.source.too_long:
        yield f"{count(result.source.too_long, 'problem')} of the source left out: {limit}"
    if (warning := _chance_warning(result.scores, result.answers)) is not None:
        what = f"the label order {','.join(result.model.labels)}"
        if origin in (FUNCTION, ANSWERS, PROMPT):
            what = f"the {origin}"
        yield f"{warning}; check {what}"


def _without_probabilities(result: Result) -> int:
    """Count the rows and seeds whose probabilities are not known, of a result with calibration."""
    if result.calibration is None:
        return 0
    answers = result.answers
    unknown = np.count_nonzero(~answers.is_probable)
    if answers.seeds is not None:
        unknown += np.count_nonzero(~answers.seeds.is_probable)
    return int(unknown)


def _label_notes(result: Result) -> Iterator[str]:
    """Yield what a reader must know about the labels of a model, one sentence per note."""
    model = result.model
    outputs = ",".join(model.labels)
    of_model = NOT_ENTAILMENT in model.labels
    of_data = NOT_ENTAILMENT in result.dataset.labels
    if of_model and not of_data:
        yield (
            "two-way model: gold neutral and contradiction count as not_entailment, so compare its scores only with "
            "those of other two-way models"
        )
    if of_data and not of_model:
        yield ("predictions of neutral and contradiction count as not_entailment, because the data has only two labels")
    if model.label_origin == GIVEN:
        yield f"labels given as {outputs}"
    if model.label_origin == INFERRED:
        yield f"labels inferred from the seeds as {outputs}"
    if model.label_origin == TABLE:
        yield f"the model's config names no labels; known labels used: {outputs}"
    if model.overrides_config:
        yield f"the given labels contradict the model's config, {','.join(model.config_labels)}"


def _chance_warning(overall: Scores, answers: Answers) -> str | None:
    """Return the note on a model that is hardly better than always predicting the most common label; None if not.

    There is no note if all seeds are right. Without seeds there is none, either, because a model may be wrong on most
    rows that were made to be hard.
    """
    accuracy = overall.seed_accuracy
    if answers.seeds is None or accuracy is None:
        return None
    majority_share = int(np.bincount(answers.seeds.gold).max()) / len(answers.seeds.gold)
    if accuracy >= majority_share + CHANCE_MARGIN or accuracy == 1:
        return None
    return (
        f"warning: accuracy on seeds is {accuracy:.1%}, close to or below the {majority_share:.1%} of always "
        "predicting the most common label"
    )
