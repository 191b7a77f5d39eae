"""Compute sample accuracy on the source of a data set (SNLI_test in Table 3 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from merge_snli.models.labels import Missing, positions
from merge_snli.scoring.results.intervals import DIGITS, LEVEL
from merge_snli.scoring.results.scores import SourceAccuracy, SourceScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from merge_snli.scoring.predictions.source import ScoredSource

    Bools = NDArray[np.bool_]


def source_scores(
    source: ScoredSource, predicted: NDArray[np.int64], label_names: Sequence[str], compared: Sequence[str]
) -> SourceScores:
    """Score the predictions on a source.

    Args:
        source: The problems. At least one has a prediction, because the source has the seeds.
        predicted: Predicted label of each of the source's pairs as an index into `compared`, `NOT_ASKED` if the pair is
            too long for the model, or `NO_ANSWER`, [n_pairs].
        label_names: The data set's labels in the order of their numbers.
        compared: The labels in which predictions and gold labels are compared.
    """
    answers = predicted[source.pairs]
    fits = answers != Missing.NOT_ASKED
    correct = answers == np.array(positions(label_names, compared))[source.labels]
    by_label = {name: fits & (source.labels == number) for number, name in enumerate(label_names)}
    return SourceScores(
        name=source.name,
        digest=source.digest,
        without_label=source.without_label,
        too_long=int(np.count_nonzero(~fits)),
        overall=_accuracy(correct[fits]),
        labels={name: _accuracy(correct[mask]) for name, mask in by_label.items() if mask.any()},
    )


def _accuracy(correct: Bools) -> SourceAccuracy:
    return source_accuracy(int(np.count_nonzero(correct)), len(correct))


def source_accuracy(right: int, problems: int) -> SourceAccuracy:
    """Return the accuracy on some problems of a source, with its interval.

    Args:
        right: Number of problems predicted correctly.
        problems: Number of problems, at least one.
    """
    from merge_snli.scoring.statistics import proportion_interval

    interval = proportion_interval(right, problems, level=LEVEL)
    return SourceAccuracy(problems, right / problems, (round(interval.low, DIGITS), round(interval.high, DIGITS)))
