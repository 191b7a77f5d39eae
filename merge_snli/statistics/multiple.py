"""Adjust p-values over a family of tests."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values over a family by Holm's step-down method. NaN stays NaN and is not part of the family.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    values = np.array(p_values, dtype=np.float64)
    defined = np.flatnonzero(~np.isnan(values))
    ascending = defined[np.argsort(values[defined])]
    steps = values[ascending] * np.arange(len(ascending), 0, -1)
    values[ascending] = np.minimum(np.maximum.accumulate(steps), 1)
    return list(values.tolist())
