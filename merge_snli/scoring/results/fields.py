"""Define the types of the fields in result files.

Thresholds are floats in Python, decimal strings in JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from merge_snli.dataset.label_spellings import NOT_ENTAILMENT
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Collection

SCHEMA_VERSION: Literal[7] = 7
"""Version of the result files. Raise it if readers of the previous version would misread the new files; a field that is
added with the default None needs no new version (see `merge_snli.scoring.results.result`)."""

THRESHOLD_PATTERN = r"^(0(\.[0-9]+)?|1)$"


def threshold_text(threshold: float) -> str:
    """Format a threshold as a decimal string.

    Examples:
        >>> threshold_text(29 * 0.01)
        '0.29'
    """
    return f"{threshold:.9g}"


def _parse_threshold(value: object) -> float:
    if not isinstance(value, str):
        raise ValueError("expected a decimal string such as '0.9'")
    return float(value)


def one_of(names: Collection[str]) -> tuple[Any, ...]:
    """Return the annotations of a string field with these values only."""
    return Field(pattern=f"^({'|'.join(names)})$"), WithJsonSchema({"type": "string", "enum": [*names]})


Label = Annotated[str, *one_of((*NLI_LABELS, NOT_ENTAILMENT))]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Share = Annotated[float, Field(ge=0, le=1)]
Difference = Annotated[float, Field(ge=-1, le=1)]
Ends = tuple[Difference, Difference]
"""Low and high end of an interval."""
Threshold = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_parse_threshold),
    PlainSerializer(threshold_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": THRESHOLD_PATTERN}),
]


class Part:
    """Base of the values in a result file: other types and infinite numbers are refused, unknown fields are ignored."""

    __pydantic_config__ = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)
