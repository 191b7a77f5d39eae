"""Score a language model's answers while a harness runs, with the arithmetic of `scoring`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from merge_snli.language_models.questions import SUBSAMPLES
from merge_snli.models.labels import Missing
from merge_snli.scoring.answers import Answers
from merge_snli.scoring.imports import ID_COLUMNS
from merge_snli.scoring.results.measure import scores
from merge_snli.scoring.statistics import clustered_error, passes_by_seed
from metrics.pattern_accuracy.core import CURVE

# With 20 variants per seed, PA changes only every 5%.
CURVE_STEP = 5

PART_COLUMNS = ("label", "word_class", "template")


@dataclass(frozen=True)
class Answered:
    """The answer to one use of a question.

    Attributes:
        use: The use, as in `merge_snli.language_models.questions.Question`.
        answer: A label, or None if the answer cannot be read.
    """

    use: dict[str, Any]
    answer: str | None

    @property
    def correct(self) -> bool:
        """Whether the answer is the gold label."""
        return bool(self.answer == self.use["label"])

    @property
    def is_seed(self) -> bool:
        """Whether the question is a seed, not a row."""
        return not any(name in self.use for name in ID_COLUMNS)

    @property
    def group(self) -> str:
        """The id of the group."""
        return str(self.use["seed_id"] if "seed_id" in self.use else self.use["group_id"])


def accuracies(answered: Sequence[Answered]) -> dict[str, float]:
    """Return SA on seeds, SA on rows, PA at the quality threshold, and standard errors clustered by group.

    What was not asked, such as variants, is absent.
    """
    seeds = np.array([each.correct for each in answered if each.is_seed], dtype=bool)
    rows = [each for each in answered if not each.is_seed]
    values: dict[str, float] = {}
    if len(seeds):
        values["seed_sample_accuracy"] = float(seeds.mean())
        values["seed_sample_accuracy_stderr"] = clustered_error(seeds, np.ones(len(seeds)))
    if rows:
        answers = answers_of(rows)
        counts = answers.counts()
        on_rows = _on_rows(answers)
        values["sample_accuracy"] = on_rows["sample_accuracy"]
        values["sample_accuracy_stderr"] = clustered_error(counts.correct.sum(0), counts.sizes.sum(0))
        drawn = counts.drawn
        if drawn.any():
            passes = passes_by_seed(counts.correct[:, drawn], counts.sizes[:, drawn])
            values["pattern_accuracy"] = on_rows["pattern_accuracy"]
            values["pattern_accuracy_stderr"] = clustered_error(passes, np.ones(passes.shape))
    return values


def curve(answered: Sequence[Answered]) -> dict[str, float]:
    """Return PA at the thresholds 0.00, 0.05, … 1.00; empty without rows."""
    rows = [each for each in answered if not each.is_seed]
    points = scores(answers_of(rows), intervals=False).curve.mean if rows else ()
    return {f"{CURVE[at]:.2f}": _number(points[at]) for at in range(0, len(points), CURVE_STEP)}


def by_part(answered: Sequence[Answered]) -> dict[str, float]:
    """Return SA and PA on the rows of each gold label, word class and template that has any."""
    rows = [each for each in answered if not each.is_seed]
    values: dict[str, float] = {}
    for column in PART_COLUMNS:
        for name in sorted({each.use[column] for each in rows if column in each.use}):
            part = answers_of([each for each in rows if each.use.get(column) == name])
            values |= {f"{name}_{score}": value for score, value in _on_rows(part).items()}
    return values


def _on_rows(answers: Answers) -> dict[str, float]:
    """Return SA, mean over the subsamples or over all rows if no subsample drew one, and PA."""
    found = scores(answers, intervals=False)
    mean = found.sample_accuracy.mean
    return {
        "sample_accuracy": _number(found.all_rows_accuracy if mean is None else mean),
        "pattern_accuracy": _number(found.pattern_accuracy.mean),
    }


def answers_of(rows: Sequence[Answered]) -> Answers:
    """Return the answers to rows, without the seeds' own."""
    labels = _numbers([each.use["label"] for each in rows])
    groups = _numbers([each.group for each in rows])
    # An answer that is no gold label of any row, or no answer, is wrong everywhere.
    predicted = [labels.get(each.answer or "", Missing.NO_ANSWER) for each in rows]
    return Answers(
        labels=tuple(labels),
        rows=np.arange(len(rows)),
        group_index=np.arange(len(groups)),
        groups=np.array([groups[each.group] for each in rows]),
        gold=np.array([labels[each.use["label"]] for each in rows]),
        predicted=np.array(predicted, dtype=np.int64),
        draws=_draws(rows) if SUBSAMPLES in rows[0].use else None,
    )


def _draws(rows: Sequence[Answered]) -> NDArray[np.bool_]:
    subsamples = _numbers(number for each in rows for number in each.use[SUBSAMPLES])
    drawn = np.zeros((max(1, len(subsamples)), len(rows)), dtype=bool)
    for at, each in enumerate(rows):
        drawn[[subsamples[number] for number in each.use[SUBSAMPLES]], at] = True
    return drawn


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _numbers(names: Iterable[Any]) -> dict[Any, int]:
    return {name: number for number, name in enumerate(dict.fromkeys(names))}
