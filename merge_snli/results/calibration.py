"""Compare the probabilities that a model gives to the labels with its answers: Brier score and calibration error."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from merge_snli.answers.answers import Answers
from merge_snli.base.arrays import Bools, Floats, Floats32, Ints
from merge_snli.models.labels import positions
from merge_snli.results.scores import Calibration
from merge_snli.statistics import ratios

# Number of bins of equal width, as in Guo et al. (2017).
BINS = 15


def label_probabilities(logits: Floats32, names: Sequence[str], compared: Sequence[str]) -> Floats:
    """Return the softmax of logits as the probability of each compared label, float64, [n, n_compared].

    Args:
        logits: Logits or log-likelihoods, [n, n_outputs]; a row of NaN gives a row of NaN.
        names: The label of each output.
        compared: The compared labels; those of several outputs have the sum of their probabilities.
    """
    shifted = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
    merged = shifted[:, : len(names)] @ is_of_label(names, compared)  # an unread answer may have a column, too
    return np.asarray(merged / merged.sum(axis=1, keepdims=True))


def is_of_label(names: Sequence[str], compared: Sequence[str]) -> Ints:
    """Return which of the names each compared label stands for, as 1 and 0, [n_names, n_compared].

    The product of an array with a column per name and this one has a column per compared label, the sum of its names'.
    """
    return np.eye(len(compared), dtype=np.int64)[list(positions(names, compared))]


def as_stored(probabilities: Floats) -> Floats:
    """Return probabilities as a table of answers stores them, so that scores do not depend on that: as float32."""
    return probabilities.astype(np.float32).astype(np.float64)


def brier_scores(probabilities: Floats, gold: Ints) -> Floats:
    """Return the summand of each pair in the Brier score of several labels (Brier, 1950, equation 2), from 0 to 2, [n].

    Args:
        probabilities: Probability of each label, [n, n_labels].
        gold: Number of the gold label, [n].

    Examples:
        >>> brier_scores(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 0]))
        array([0. , 0.5])
    """
    return np.asarray(((probabilities - np.eye(probabilities.shape[1])[gold]) ** 2).sum(axis=1))


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


def calibration_of(answers: Answers, annotators: Ints | None = None) -> Calibration | None:
    """Return how well the probabilities of a model fit its answers; None if they are not known.

    Rows whose probabilities, or those of whose seed, are NaN are left out.

    Args:
        answers: The answers, at least one; none is `NOT_PREDICTED`.
        annotators: Number of annotators who gave each of the answers' labels to the seed of each group, [n_groups,
            n_labels]; None if the data has no labels of annotators.
    """
    probabilities = answers.probabilities
    seeds = answers.seeds
    if probabilities is None:
        return None
    known = answers.is_probable
    predicted = answers.predicted
    gold = answers.gold
    if seeds is not None:
        known = known & seeds.is_probable[answers.groups]
    masks = [answers.drawn] if answers.subsamples is None else answers.subsamples
    subsamples = [np.flatnonzero(mask & known) for mask in masks if (mask & known).any()]

    def mean(values: Floats | Bools) -> float | None:
        """Return the mean over the subsamples in which a value is known of the mean of the values of their rows."""
        means = [_known_mean(values[rows]) for rows in subsamples]
        return _mean([value for value in means if value is not None])

    errors = [calibration_error(probabilities[rows], predicted[rows], gold[rows]) for rows in subsamples]
    found = {"brier": mean(brier_scores(probabilities, gold)), "calibration_error": _mean(errors)}
    if seeds is None or seeds.probabilities is None or not seeds.is_probable.any():
        return Calibration(**found)
    weaker = probabilities[np.arange(len(gold)), gold] < seeds.probabilities[answers.groups, gold]
    of_seeds = seeds.probabilities[seeds.is_probable]
    predicted_seeds = seeds.predicted[seeds.is_probable]
    gold_seeds = seeds.gold[seeds.is_probable]
    found["seed_brier"] = _known_mean(brier_scores(of_seeds, gold_seeds))
    found["seed_calibration_error"] = calibration_error(of_seeds, predicted_seeds, gold_seeds)
    found["weakened"] = mean(weaker & (predicted == seeds.predicted[answers.groups]))
    if annotators is not None:
        totals = np.repeat(annotators.sum(axis=1, keepdims=True), annotators.shape[1], axis=1)
        shares = ratios(annotators, totals)
        found["annotator_distance"] = mean(_distances(probabilities, shares[answers.groups]))
        found["seed_annotator_distance"] = _known_mean(_distances(seeds.probabilities, shares))
    return Calibration(**found)


def _distances(probabilities: Floats, shares: Floats) -> Floats:
    """Return the total variation distance of each row, [n]; NaN for a group without labels of annotators."""
    return np.asarray(np.abs(probabilities - shares).sum(axis=1) / 2)


def _known_mean(values: Floats | Bools) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
