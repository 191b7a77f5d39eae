"""Put the results of one language model with several prompts together: their means, and what the prompt changes."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import Column, Table
from merge_snli.scoring.answers import Counts
from merge_snli.scoring.results.grouping import data_key
from merge_snli.scoring.results.intervals import intervals_of
from merge_snli.scoring.results.mean_scores import mean_of, mean_rows, mean_scores, sum_of
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.score_table import MODEL, PA, percent
from merge_snli.scoring.results.scores import NOT_ASKED, Calibration, GroupTable, Intervals, RowScores
from metrics.pattern_accuracy.core import pattern_accuracy

# Settings that depend on the prompt, so that results of one model differ in them.
OF_PROMPT = frozenset({"max_tokens", "stop_seqs"})

# What a run took, which adds up over prompts.
TAKEN = ("calls", "input_tokens", "output_tokens", "retries")


@dataclass(frozen=True, kw_only=True)
class PromptEffect:
    """What the prompt changes in the answers of a model; shares from 0 to 1.

    Attributes:
        pattern_accuracy: Mean over the prompts of PA at the quality threshold.
        lowest: The lowest PA of a prompt.
        highest: The highest PA of a prompt.
        changed_anchors: Share of the anchors whose answer is not the same with every prompt; None without anchors.
        changed_rows: The same share of the rows.
        joint_pattern_accuracy: PA over prompts, mean over the draws: a group counts if at least 90% of its pairs of a
            row and a prompt are right.
    """

    pattern_accuracy: float
    lowest: float
    highest: float
    changed_anchors: float | None
    changed_rows: float
    joint_pattern_accuracy: float


@dataclass(frozen=True, kw_only=True)
class OverPrompts(Result):
    """The mean of the results of one model with several prompts, on the same rows.

    Its rows are pairs of a row and a prompt, its draws pairs of a draw and a prompt, and the answer to an anchor is the
    most frequent one, the first of a tie. So every score is the mean over the prompts, and intervals resample groups
    with their answers to all prompts. It is not written to a file.

    Attributes:
        each: The result with each prompt, at least two.
    """

    each: tuple[Result, ...]

    @property
    def prompts(self) -> dict[str, Result]:
        """The result with each prompt, by the title of the prompt; with the prompt's digest if it is not unique."""
        records = [result.run.prompt for result in self.each if result.run.prompt is not None]
        titles = [record.title for record in records]
        named = (
            title if titles.count(title) == 1 else f"{title} [{record.prompt_digest[:8]}]"
            for title, record in zip(titles, records, strict=True)
        )
        return dict(zip(named, self.each, strict=True))

    @property
    def n_prompts(self) -> int:
        """Number of prompts."""
        return len(self.each)

    @property
    def effect(self) -> PromptEffect:
        """What the prompt changes."""
        found = [result.pattern_accuracy for result in self.each]
        tables = [result.groups for result in self.each]
        answers = ("".join(table.predictions).replace(NOT_ASKED, "") for table in tables)
        counts = [table.counts() for table in tables]
        correct, sizes = (np.sum([getattr(each, name) for each in counts], axis=0) for name in ("correct", "sizes"))
        joint = pattern_accuracy(correct, sizes, self.quality_threshold)[:, 0]
        return PromptEffect(
            pattern_accuracy=self.pattern_accuracy,
            lowest=min(found),
            highest=max(found),
            changed_anchors=_changed(table.anchors or () for table in tables) if self.has_anchors else None,
            changed_rows=_changed(answers),
            joint_pattern_accuracy=float(np.nanmean(joint)),
        )

    def correct_anchors(self) -> NDArray[np.float64]:
        """Return the share of prompts with which each anchor is predicted correctly, [n_groups]."""
        return np.asarray(np.mean([result.correct_anchors() for result in self.each], axis=0))


def _changed(answers: Iterable[Iterable[object]]) -> float:
    """Return the share of places at which the answers of several prompts are not all the same."""
    return fmean(len({*each}) > 1 for each in zip(*answers, strict=True))


def prompts_of(result: Result) -> tuple[Result, ...]:
    """Return the result with each prompt, or the one result of another model."""
    return result.each if isinstance(result, OverPrompts) else (result,)


def merge_prompts(results: Iterable[Result]) -> list[Result]:
    """Replace the results of a language model with several prompts on the same rows by their mean, in its first place.

    The results must differ in the prompt only: not in the harness, the provider, the settings or the kind of answers.
    """
    models: dict[tuple[object, ...], list[Result]] = {}
    for number, result in enumerate(results):
        models.setdefault(_asked(result) or (number,), []).append(result)
    return [each[0] if len(each) == 1 else _mean(each) for each in models.values()]


def _asked(result: Result) -> tuple[object, ...] | None:
    """Return what results must have in common to differ in the prompt only; None without a prompt."""
    prompt, table = result.run.prompt, result.groups
    if prompt is None:
        return None
    settings = frozenset((name, value) for name, value in prompt.settings.items() if name not in OF_PROMPT)
    asked = (prompt.harness, prompt.provider, prompt.answers, prompt.temperature, settings)
    rows = (data_key(result.dataset), result.compared_labels, table.id, table.sizes)
    return result.model.name, result.run.dtype, *asked, *rows


def _mean(results: Sequence[Result]) -> OverPrompts:
    first, runs = results[0], [result.run for result in results]
    records = [run.prompt for run in runs if run.prompt is not None]
    digests = [record.prompt_digest for record in records]
    taken: dict[str, Any] = {name: sum_of([getattr(record, name) for record in records]) for name in TAKEN}
    prompt = replace(
        records[0],
        prompt=f"{len(results)} prompts",
        prompt_digest=sha256_of_json(digests),
        prompt_toml=None,
        shots=0,
        **taken,
    )
    values = {each.name: getattr(first, each.name) for each in fields(Result)}
    changed = {
        "model": replace(first.model, digest=first.model.digest and sha256_of_json([r.model.digest for r in results])),
        "run": replace(
            first.run,
            seconds=sum(run.seconds for run in runs),
            no_answers=sum(run.no_answers for run in runs),
            tied=sum(run.tied for run in runs),
            cut=sum(run.cut for run in runs),
            refused=sum(run.refused for run in runs),
            agreement=mean_of([run.agreement for run in runs]),
            prompt=prompt,
        ),
        "notes": _notes(results),
        "draws": (first.draws or 1) * len(results),
        "groups": _groups([result.groups for result in results]),
        "scores": mean_scores([result.scores for result in results], _intervals(results)),
        "parts": {
            column: {value: mean_scores([result.parts[column][value] for result in results]) for value in found}
            for column, found in first.parts.items()
        },
        "consistency": first.consistency
        and {
            name: RowScores(**mean_rows([(r.consistency or {})[name] for r in results])) for name in first.consistency
        },
        "source": None,
        "calibration": _calibration(results),
    }
    return OverPrompts(**{**values, **changed}, each=tuple(results))


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the notes of the results; those that not all results have with the prompts that have them."""
    titles: dict[str, list[str]] = {}
    for result in results:
        for note in result.notes:
            titles.setdefault(note, []).append("" if result.run.prompt is None else result.run.prompt.title)
    return tuple(
        note if len(having) == len(results) else f"{'; '.join(having)}: {note}" for note, having in titles.items()
    )


def _groups(tables: Sequence[GroupTable]) -> GroupTable:
    first = tables[0]
    anchors = zip(*(table.anchors or () for table in tables), strict=True)
    return replace(
        first,
        gold=tuple(labels if len(labels) == 1 else labels * len(tables) for labels in first.gold),
        predictions=tuple(map("".join, zip(*(table.predictions for table in tables), strict=True))),
        sizes=tuple(row for table in tables for row in table.sizes),
        correct=tuple(row for table in tables for row in table.correct),
        anchors=first.anchors and tuple(max(each, key=each.count) for each in anchors),
        probabilities=None,
        anchor_probabilities=None,
    )


def _intervals(results: Sequence[Result]) -> Intervals | None:
    counts = [result.groups.counts() for result in results]
    stacked = Counts(np.vstack([each.correct for each in counts]), np.vstack([each.sizes for each in counts]))
    anchors = np.mean([each.correct_anchors() for each in results], axis=0) if results[0].has_anchors else None
    return intervals_of(stacked, anchors)


def _calibration(results: Sequence[Result]) -> Calibration | None:
    found = [asdict(result.calibration) for result in results if result.calibration is not None]
    if len(found) < len(results) or results[0].calibration is None:
        return None
    return replace(results[0].calibration, **{name: mean_of([each[name] for each in found]) for name in found[0]})


def prompt_table(results: Iterable[Result], names: Sequence[str] | None = None) -> Table | None:
    """Return what the prompt changes, one row per model with several prompts, in percent; None without any.

    Args:
        results: Results on one config of one data set, with those of several prompts merged.
        names: Display names of the models; by default the titles of the results.
    """
    listed = list(results)
    named = zip([result.title for result in listed] if names is None else names, listed, strict=True)
    rows = [(name, result) for name, result in named if isinstance(result, OverPrompts)]
    if not rows:
        return None
    first = rows[0][1]
    group, row = first.units
    shares = (PA, "Lowest", "Highest", f"{group.capitalize()}s changed", f"{row.capitalize()}s changed", "Over prompts")
    return Table(
        title="Prompts",
        columns=(MODEL, *(Column(name, format=".1f") for name in shares)),
        rows=tuple((name, *map(percent, astuple(result.effect))) for name, result in rows),
        notes=(
            f"{PA}, Lowest, Highest: mean over the prompts, and the prompts with the lowest and the highest value.",
            f"Changed: share of the {group}s and {row}s whose answer is not the same with every prompt.",
            f"Over prompts: share of {group}s with at least {first.quality_threshold:.0%} of their pairs of a {row} "
            "and a prompt correct.",
            *(f"{name}, {PA} by prompt: {_by_prompt(result)}." for name, result in rows),
        ),
    )


def _by_prompt(result: OverPrompts) -> str:
    return "; ".join(f"{title} {percent(each.pattern_accuracy)}" for title, each in result.prompts.items())
