"""Adjust p-values over a family of tests."""

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values over a family by Holm's step-down method. NaN stays NaN and is not part of the family.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    from statsmodels.stats.multitest import multipletests

    defined = [p for p in p_values if not math.isnan(p)]
    adjusted = iter(multipletests(defined, method="holm")[1] if defined else ())
    return [p if math.isnan(p) else float(next(adjusted)) for p in p_values]
