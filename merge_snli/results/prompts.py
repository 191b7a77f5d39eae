"""Put the results of one language model with several prompts together: their means, and what the prompt changes."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from merge_snli.answers.answers import Counts
from merge_snli.base.arrays import Floats, Ints
from merge_snli.base.batches import grouped
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import Column, Table
from merge_snli.models.display_names import unique_names
from merge_snli.results.intervals import intervals_of, pattern_accuracy_interval
from merge_snli.results.records import TAKEN
from merge_snli.results.result import Result
from merge_snli.results.rows import MODEL, PA, RowsBy, ScoreRow, mean_row, of_all, percent
from merge_snli.results.scores import INTERVALS
from merge_snli.statistics import Interval
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy

# Settings that depend on the prompt, so that results of one model differ in them.
OF_PROMPT = frozenset({"max_tokens", "stop_seqs"})


@dataclass(frozen=True, kw_only=True)
class PromptEffect:
    """What the prompt changes in the answers of a model; shares from 0 to 1.

    Attributes:
        pattern_accuracy: Mean over the prompts of PA at the quality threshold.
        lowest: The lowest PA of a prompt.
        highest: The highest PA of a prompt.
        changed_seeds: Share of the seeds whose answer is not the same with every prompt; None without seeds.
        changed_rows: The same share of the rows.
        joint_pattern_accuracy: PA over prompts, mean over the subsamples: a group counts if at least 90% of its pairs
            of a row and a prompt are right.
    """

    pattern_accuracy: float
    lowest: float
    highest: float
    changed_seeds: float | None
    changed_rows: float
    joint_pattern_accuracy: float


@dataclass(frozen=True, kw_only=True, repr=False)
class PromptGroup(Result):
    """The results of one model with several prompts on the same rows, as one result that is not written to a file.

    Every score in its rows is the mean over the prompts, and intervals resample groups with their answers to all
    prompts. Its digest is that of the digests of the results, its run has the sums of what the prompts took and of the
    pairs without an answer, and what else results of one model share is that of the first.

    Attributes:
        results: The result with each prompt, at least two.
    """

    results: tuple[Result, ...]

    @property
    def prompts(self) -> dict[str, Result]:
        """The result with each prompt, by the title of the prompt; with the prompt's digest if it is not unique."""
        records = [result.run.prompt for result in self.results if result.run.prompt is not None]
        names = unique_names([record.title for record in records], [record.prompt_digest for record in records])
        return dict(zip(names, self.results, strict=True))

    @cached_property
    def row(self) -> ScoreRow:
        """The mean scores on all rows."""
        mean = mean_row([result.row for result in self.results])
        intervals = intervals_of(self.counts(), self.correct_seeds() if self.has_seeds else None)
        for name in INTERVALS:
            ends = getattr(intervals, name, None)
            if ends is not None:
                mean.values.update({f"{name}_low": ends[0], f"{name}_high": ends[1]})
        return mean

    @cached_property
    def rows_by(self) -> RowsBy:
        """The mean scores on the rows with each value of each column."""
        means: RowsBy = {}
        for column, values in self.results[0].rows_by.items():
            by_prompt = [result.rows_by[column] for result in self.results]
            means[column] = {value: mean_row([rows[value] for rows in by_prompt]) for value in values}
        return means

    @property
    def effect(self) -> PromptEffect:
        """What the prompt changes."""
        counts = [result.counts() for result in self.results]
        correct = np.sum([of_prompt.correct for of_prompt in counts], axis=0)
        sizes = np.sum([of_prompt.sizes for of_prompt in counts], axis=0)
        joint = pattern_accuracy(correct, sizes, QUALITY_THRESHOLD)[:, 0]
        accuracies = [result.pattern_accuracy for result in self.results]
        rows = [result.answers.predicted for result in self.results]
        seeds = [result.counted.seeds.predicted for result in self.results if result.counted.seeds is not None]
        return PromptEffect(
            pattern_accuracy=self.row.share("pattern_accuracy"),
            lowest=min(accuracies),
            highest=max(accuracies),
            changed_seeds=changed_share(seeds) if seeds else None,
            changed_rows=changed_share(rows),
            joint_pattern_accuracy=float(np.nanmean(joint)),
        )

    def counts(self, group_ids: Sequence[str] | None = None) -> Counts:
        """Return the counts of some groups, by default all, with every prompt: [n_prompts × n_subsamples, n_groups]."""
        counts = [result.counts(group_ids) for result in self.results]
        names = ("correct", "sizes", "answered")
        return Counts(*(np.vstack([getattr(of_prompt, name) for of_prompt in counts]) for name in names))

    def correct_seeds(self) -> Floats:
        """Return the share of prompts with which each seed is predicted correctly, [n_groups]."""
        return np.asarray(np.mean([result.correct_seeds() for result in self.results], axis=0))


def accuracy_interval(scored: Result, ids: Sequence[str], threshold: float) -> Interval:
    """Return the interval of PA on some groups: that of a result at the quality threshold if it has no others.

    Args:
        scored: The result, or those with several prompts.
        ids: Ids of the groups, each with a row in a subsample.
        threshold: Threshold from 0 to 1.
    """
    own = scored.interval if threshold == QUALITY_THRESHOLD else None
    if own is not None and len(ids) == np.count_nonzero(scored.counts().drawn):
        return own
    return pattern_accuracy_interval(scored.counts(ids), threshold, unit=scored.units[0])


def changed_share(answers: Sequence[Ints]) -> float:
    """Return the share of the pairs whose answers are not all the same.

    Args:
        answers: The answers to the pairs with each prompt, [n] each.
    """
    return float(np.mean(np.ptp(np.stack(answers), axis=0) > 0))


def results_of(scored: Result) -> tuple[Result, ...]:
    """Return the result with each prompt, or the one result of another model."""
    return scored.results if isinstance(scored, PromptGroup) else (scored,)


def group_prompts(results: Iterable[Result]) -> list[Result]:
    """Group the results of a language model with several prompts on the same rows, at the position of the first.

    The results must differ in the prompt only: not in the harness, the provider, the settings or the kind of answers.
    """
    models: dict[object, list[Result]] = {}
    for number, result in enumerate(results):
        key = _besides_prompt(result)
        models.setdefault(number if key is None else key, []).append(result)
    return [of_model[0] if len(of_model) == 1 else _group(of_model) for of_model in models.values()]


def on_common_prompts(models: Sequence[Result]) -> list[Result]:
    """Return models with the results of the prompts that all language models among them have, with a note.

    Models without prompts, and those with no prompt in common, stay as they are; of the latter, each gets a note.
    """
    by_model = [{_prompt_key(result): result for result in results_of(scored)} for scored in models]
    prompted = [set(prompts) for prompts in by_model if None not in prompts]
    common = set.intersection(*prompted) if prompted else set()
    found = []
    for scored, prompts in zip(models, by_model, strict=True):
        kept = [result for key, result in prompts.items() if key in common]
        if not common and None not in prompts:
            note = "the language models have no prompt in common"
            found.append(replace(scored, notes=(*scored.notes, note)))
        elif not kept or len(kept) == len(prompts):
            found.append(scored)
        else:
            titles = ", ".join(result.run.prompt.title for result in kept if result.run.prompt is not None)
            note = f"of its {len(prompts)} prompts, those that all language models have are compared: {titles}"
            found += group_prompts([replace(result, notes=(*result.notes, note)) for result in kept])
    return found


def _prompt_key(result: Result) -> tuple[str, int] | None:
    prompt = result.run.prompt
    return None if prompt is None else (prompt.prompt, prompt.shots)


def _besides_prompt(result: Result) -> tuple[object, ...] | None:
    """Return what results must have in common to differ in the prompt only; None without a prompt."""
    prompt = result.run.prompt
    if prompt is None:
        return None
    answers = result.answers
    settings = frozenset((name, value) for name, value in prompt.settings.items() if name not in OF_PROMPT)
    calls = (prompt.harness, prompt.provider, prompt.answers, prompt.temperature, settings)
    rows = (result.dataset.key, result.compared_labels, answers.group_ids, tuple(answers.row_ids.to_pylist()))
    return result.model.name, result.run.dtype, *calls, *rows


def _group(results: Sequence[Result]) -> PromptGroup:
    first = results[0]
    records = [result.run.prompt for result in results if result.run.prompt is not None]
    taken: dict[str, Any] = {name: of_all(sum, [getattr(record, name) for record in records]) for name in TAKEN}
    prompt = replace(
        records[0],
        prompt=f"{len(results)} prompts",
        prompt_digest=sha256_of_json([record.prompt_digest for record in records]),
        prompt_toml=None,
        shots=0,
        **taken,
    )
    run = replace(first.run, no_answers=sum(result.run.no_answers for result in results), prompt=prompt)
    digest = first.model.digest and sha256_of_json([result.model.digest for result in results])
    own: dict[str, Any] = {field.name: getattr(first, field.name) for field in fields(first)}
    # No language model predicts the source, and the intervals in `row` are of all prompts.
    own |= {"source": None, "scores": replace(first.scores, intervals=None)}
    own |= {"model": replace(first.model, digest=digest), "run": run, "notes": _notes(results)}
    return PromptGroup(results=tuple(results), **own)


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the notes of the results; those that not all results have with the prompts that have them."""
    titled: list[tuple[str, str]] = []
    for result in results:
        title = "" if result.run.prompt is None else result.run.prompt.title
        titled += [(note, title) for note in result.notes]
    notes = []
    for note, titles in grouped(titled).items():
        notes.append(note if len(titles) == len(results) else f"{'; '.join(titles)}: {note}")
    return tuple(notes)


def prompt_table(results: Sequence[Result], names: Sequence[str]) -> Table | None:
    """Return what the prompt changes, one row per model with several prompts, in percent; None without any.

    Args:
        results: Results on one config of one data set, with those of several prompts grouped.
        names: Display names of the models.
    """
    named = zip(names, results, strict=True)
    prompted = [(name, result) for name, result in named if isinstance(result, PromptGroup)]
    if not prompted:
        return None
    group, row = prompted[0][1].units
    shares = (PA, "Lowest", "Highest", f"{group.capitalize()}s changed", f"{row.capitalize()}s changed", "Over prompts")
    columns = (MODEL, *(Column(name, format=".1f") for name in shares))
    notes = [
        f"{PA}, Lowest, Highest: mean over the prompts, and the prompts with the lowest and the highest value.",
        f"Changed: share of all {group}s and {row}s whose answer is not the same with every prompt.",
        f"Over prompts: share of {group}s with at least {QUALITY_THRESHOLD:.0%} of their pairs of a {row} and a prompt "
        "correct.",
    ]
    rows = []
    for name, result in prompted:
        rows.append((name, *map(percent, astuple(result.effect))))
        by_prompt = [f"{title} {percent(scored.pattern_accuracy)}" for title, scored in result.prompts.items()]
        notes.append(f"{name}, {PA} by prompt: {'; '.join(by_prompt)}.")
    return Table(title="Prompts", columns=columns, rows=rows, notes=notes)
