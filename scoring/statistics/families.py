"""Who differs from whom: all pairs of models, p-values adjusted over the family, and ways to show the outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike

from .outcomes import TestResult
from .paired_tests import mcnemar_test, permutation_test
from .t_tests import paired_t_test

PairedTest = Callable[..., TestResult]

PAIRED_TESTS: dict[str, tuple[PairedTest, str]] = {
    "permutation": (permutation_test, "seed"),
    "mcnemar": (mcnemar_test, "seed"),
    "t-test": (paired_t_test, "subsample"),
}


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """One pair of a family: the test of `first` against `second`, and its p-value adjusted over the family."""

    first: str
    second: str
    result: TestResult
    adjusted_p: float
    differs: bool


@dataclass(frozen=True, kw_only=True)
class Family:
    """All pairs of some models.

    Attributes:
        test: which test was used.
        models: the models, best first.
        means: the mean value of each model.
        pairs: every pair once, in the order of the models.
        alpha: the level below which an adjusted p-value counts as a difference.
        letters: compact letter display: models that share a letter do not differ.
        warning: one sentence where the p-values must not be taken at their word, else None.
    """

    test: str
    models: tuple[str, ...]
    means: dict[str, float]
    pairs: tuple[PairResult, ...]
    alpha: float
    letters: dict[str, str]
    warning: str | None


def compare_models(
    values: Mapping[str, ArrayLike], *, test: str = "permutation", alpha: float = 0.05, unit: str | None = None
) -> Family:
    """Test every pair of models, with Holm's adjustment over all pairs.

    Args:
        values: for each model one value a unit, the same units in the same order for all: whether it passes each seed
            at QT (`"mcnemar"`, booleans), the share of subsamples in which it does (`"permutation"`), or PA of each
            subsample (`"t-test"`).
        test: `"permutation"`, `"mcnemar"` or `"t-test"`.
        alpha: the family-wise level.
        unit: what one value belongs to; by default "seed", for the t-test "subsample".

    Returns:
        The family, models sorted by their mean, best first.

    Raises:
        ValueError: if there are fewer than two models, the test is unknown, or values do not fit it.

    Examples:
        >>> family = compare_models({"a": [1.0] * 9 + [0.5], "b": [0.9] * 9 + [0.6], "c": [0.2] * 10})
        >>> family.letters
        {'a': 'a', 'b': 'b', 'c': 'c'}
    """
    if test not in PAIRED_TESTS:
        raise ValueError(f"test is {test!r}: choose one of {', '.join(map(repr, PAIRED_TESTS))}")
    run, usual_unit = PAIRED_TESTS[test]
    means = {model: float(np.asarray(column, dtype=np.float64).mean()) for model, column in values.items()}
    models = tuple(sorted(values, key=lambda model: (-means[model], model)))
    names = list(combinations(models, 2))
    if not names:
        raise ValueError(f"values has {len(values)} model(s): at least two are needed")
    results = [_run(run, values, first, second, unit or usual_unit) for first, second in names]
    adjusted = holm([result.p_value for result in results])
    pairs = tuple(
        PairResult(first=first, second=second, result=result, adjusted_p=p, differs=p < alpha)
        for (first, second), result, p in zip(names, results, adjusted, strict=True)
    )
    return Family(
        test=results[0].test.partition(" (")[0],
        models=models,
        means={model: means[model] for model in models},
        pairs=pairs,
        alpha=alpha,
        letters=compact_letters(models, [(pair.first, pair.second) for pair in pairs if pair.differs]),
        warning=results[0].warning,
    )


def _run(test: PairedTest, values: Mapping[str, ArrayLike], first: str, second: str, unit: str) -> TestResult:
    try:
        return test(values[first], values[second], unit=unit)
    except ValueError as error:
        raise ValueError(f"{first} against {second}: {error}") from error


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values over a family by Holm's step-down method.

    The smallest of m is multiplied by m, the next by m - 1 and so on, and none falls below the one before it.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(raw)
    steps = (len(raw) - np.arange(len(raw))) * raw[order]
    adjusted = np.empty_like(raw)
    adjusted[order] = np.maximum.accumulate(steps).clip(max=1)
    return [float(p) for p in adjusted]


def compact_letters(models: Sequence[str], differing: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Give models letters so that two of them share one exactly if they do not differ.

    The method is Piepho's (2004): a column of letters that holds a differing pair is split, and columns that lie within
    another are absorbed by it.

    Args:
        models: the models, best first: the best gets the first letter.
        differing: the pairs that differ.

    Returns:
        The letters of each model, such as "a", "ab".

    Examples:
        >>> compact_letters(["x", "y", "z"], [("x", "z")])
        {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    columns = [frozenset(models)]
    for first, second in differing:
        split = [part for column in columns for part in _split(column, first, second)]
        columns = [part for part in dict.fromkeys(split) if not any(part < other for other in split)]
    order = {model: place for place, model in enumerate(models)}
    columns.sort(key=lambda column: sorted(order[model] for model in column))
    return {model: "".join(_letter(i) for i, column in enumerate(columns) if model in column) for model in models}


def _split(column: frozenset[str], first: str, second: str) -> tuple[frozenset[str], ...]:
    if first in column and second in column:
        return column - {first}, column - {second}
    return (column,)


def _letter(number: int) -> str:
    """The letters a to z, then a1 to z1 and so on."""
    again, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + (str(again) if again else "")


def p_matrix(family: Family) -> list[list[float | None]]:
    """Adjusted p-values as a square matrix in the order of the models, None on the diagonal."""
    by_pair = {frozenset((pair.first, pair.second)): pair.adjusted_p for pair in family.pairs}
    return [[by_pair.get(frozenset((row, column))) for column in family.models] for row in family.models]
