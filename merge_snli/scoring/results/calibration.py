"""Compare the probabilities that a model gives to the labels with its answers: Brier score and calibration error."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from merge_snli.base.arrays import Floats, Ints
from merge_snli.models.labels import positions
from merge_snli.scoring.answers import Answers
from merge_snli.scoring.predictions.scored_data import ScoredData
from merge_snli.scoring.results.scores import Calibration
from merge_snli.scoring.statistics import ratios

# Number of bins of equal width, as in Guo et al. (2017).
BINS = 15

# Smaller probabilities count as this one, so that every logarithm is finite.
SMALLEST = 1e-300


def label_probabilities(logits: NDArray[np.float32], names: Sequence[str], compared: Sequence[str]) -> Floats:
    """Return the softmax of logits as the probability of each compared label, float64, [n, n_compared].

    Args:
        logits: Logits or log-likelihoods, [n, n_outputs]; a row of NaN gives a row of NaN.
        names: The label of each output.
        compared: The compared labels; those of several outputs have the sum of their probabilities.
    """
    shifted = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
    merged = np.zeros((len(logits), len(compared)))
    for output, label in enumerate(positions(names, compared)):
        merged[:, label] += shifted[:, output]
    merged /= merged.sum(axis=1, keepdims=True)
    return merged


def encoded(probabilities: Floats) -> str:
    """Return probabilities as a result stores them: Base64 of their natural logarithms as little-endian float16."""
    logarithms = np.log(np.maximum(probabilities, SMALLEST))
    return b64encode(logarithms.astype("<f2").tobytes()).decode()


def decoded(texts: Iterable[str], labels: int) -> Floats:
    """Return the stored probability of each label, [n, n_labels], of one text after another.

    Logarithms keep what float16 loses near 1: a probability differs from what the model gave by less than 0.0002.
    """
    content = b"".join(map(b64decode, texts))
    return np.exp(np.frombuffer(content, "<f2").astype(np.float64)).reshape(-1, labels)


def as_stored(probabilities: Floats) -> Floats:
    """Return probabilities, [n, n_labels], as they are read from a result, so that scores do not depend on that."""
    return decoded([encoded(probabilities)], probabilities.shape[1])


def brier_score(probabilities: Floats, gold: Ints) -> float:
    """Return the Brier score of several labels (Brier, 1950, equation 2), from 0 to 2.

    Args:
        probabilities: Probability of each label, [n, n_labels].
        gold: Number of the gold label, [n].

    Examples:
        >>> brier_score(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 0]))
        0.25
    """
    truth = np.eye(probabilities.shape[1])[gold]
    return float(((probabilities - truth) ** 2).sum(axis=1).mean())


def calibration_error(probabilities: Floats, predicted: Ints, gold: Ints) -> float:
    """Return the expected calibration error (Guo et al., 2017, equation 3) with `BINS` bins of equal width.

    Args:
        probabilities: Probability of each label, [n, n_labels].
        predicted: Number of the predicted label, whose probability is the confidence, [n].
        gold: Number of the gold label, [n].

    Examples:
        >>> calibration_error(np.array([[0.75, 0.25]] * 4), np.zeros(4, int), np.array([0, 0, 0, 1]))
        0.0
    """
    confidence = probabilities[np.arange(len(gold)), predicted]
    bins = np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1)
    gaps = np.bincount(bins, weights=(predicted == gold) - confidence, minlength=BINS)
    return float(np.abs(gaps).sum() / len(gold))


def calibration_of(answers: Answers, data: ScoredData | None = None) -> Calibration | None:
    """Return how well the probabilities of a model fit its answers; None if they are not known.

    Args:
        answers: The answers, at least one; none is `NOT_ASKED`.
        data: The data that they are on; its labels of annotators are compared with the probabilities.
    """
    probabilities, anchors = answers.probabilities, answers.anchors
    if probabilities is None:
        return None
    draws = [np.flatnonzero(draw) for draw in ([answers.drawn] if answers.draws is None else answers.draws)]
    draws = [draw for draw in draws if len(draw)]
    predicted, gold = answers.predicted, answers.gold
    brier = [brier_score(probabilities[draw], gold[draw]) for draw in draws]
    errors = [calibration_error(probabilities[draw], predicted[draw], gold[draw]) for draw in draws]
    on_rows = Calibration(fmean(brier), fmean(errors)) if draws else Calibration(None, None)
    if anchors is None or anchors.probabilities is None:
        return on_rows
    of_anchor = anchors.probabilities[answers.groups, gold]
    weaker = probabilities[np.arange(len(gold)), gold] < of_anchor
    weakened = weaker & (predicted == anchors.predicted[answers.groups])
    return replace(
        on_rows,
        anchor_brier=brier_score(anchors.probabilities, anchors.gold),
        anchor_calibration_error=calibration_error(anchors.probabilities, anchors.predicted, anchors.gold),
        weakened=fmean(float(weakened[draw].mean()) for draw in draws) if draws else None,
        **_people_distances(answers, data, probabilities, anchors.probabilities, draws),
    )


def _people_distances(
    answers: Answers, data: ScoredData | None, on_rows: Floats, on_anchors: Floats, draws: Sequence[Ints]
) -> dict[str, float | None]:
    """Return the distances to the labels of annotators, over the groups that have any; none without them."""
    if data is None or data.people is None:
        return {}
    people = np.zeros((len(answers.group_index), len(answers.labels)))
    for label, number in enumerate(positions(data.label_names, answers.labels)):
        people[:, number] += data.people[answers.group_index, label]
    shares = ratios(people, np.repeat(people.sum(axis=1, keepdims=True), people.shape[1], axis=1))
    distances = np.abs(on_rows - shares[answers.groups]).sum(axis=1) / 2
    of_draws = [float(known.mean()) for draw in draws if len(known := distances[draw][~np.isnan(distances[draw])])]
    of_anchors = np.abs(on_anchors - shares).sum(axis=1) / 2
    known = of_anchors[~np.isnan(of_anchors)]
    return {
        "people_distance": fmean(of_draws) if of_draws else None,
        "anchor_people_distance": float(known.mean()) if len(known) else None,
    }
