"""Compare a report with numbers that were computed independently."""

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

from tests.merge_snli.scoring.independent.numbers import Near

# Keys of a report whose values are texts or missing, never numbers.
TEXTS = frozenset(
    {
        "test",
        "unit",
        "method",
        "effect",
        "warning",
        "training_data",
        "reason",
        "not_computed",
        "corpus",
        "corpus_digest",
        "coverage",
    }
)

JsonValue: TypeAlias = Any

RELATIVE, ABSOLUTE = 1e-9, 1e-9


def differences(reported: JsonValue, computed: JsonValue, place: str = "report") -> Iterator[str]:
    """Yield where a report differs from the independent numbers, and each value that was not computed.

    Texts in `TEXTS` need not be computed. Anything else must be, so that a new number in the report is not forgotten.
    """
    if isinstance(reported, dict) and isinstance(computed, dict):
        for key in sorted({*reported, *computed}):
            if key not in reported:
                yield f"{place}.{key} is missing in the report"
            elif key in computed:
                yield from differences(reported[key], computed[key], f"{place}.{key}")
            elif key not in TEXTS or not isinstance(reported[key], str | list | None):
                yield f"{place}.{key} = {reported[key]!r:.60} was not computed independently"
    elif isinstance(reported, list) and isinstance(computed, list | tuple):
        if len(reported) != len(computed):
            yield f"{place} has {len(reported)} values, computed {len(computed)}"
        for at, (one, other) in enumerate(zip(reported, computed, strict=False)):
            yield from differences(one, other, f"{place}[{at}]")
    elif not _equal(reported, computed):
        yield f"{place} = {reported!r:.60}, computed {computed!r:.60}"


def _equal(reported: JsonValue, computed: JsonValue) -> bool:
    if isinstance(computed, float) and not math.isfinite(computed):
        computed = None
    if isinstance(reported, bool) or not isinstance(reported, int | float):
        return bool(reported == computed) and type(reported) is type(computed)
    if isinstance(computed, Near):
        return abs(reported - computed.value) <= computed.tolerance
    if isinstance(computed, bool) or not isinstance(computed, int | float):
        return False
    return math.isclose(reported, computed, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
