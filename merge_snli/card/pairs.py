"""The values that fill the card of pairs in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.card.tables import pair_columns, pairs_example, pairs_table
from merge_snli.problems.inputs import public_name

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset.record import Record


def pairs_values(record: Record, folder: Path) -> dict[str, str]:
    """Return the values of the placeholders that only this card has.

    Args:
        record: The record of the pairs.
        folder: The data set's folder; the first rows of its data are the examples.
    """
    first = next(iter(record.configs))
    return {
        "summary": record.summary,
        "example": pairs_example(record, folder),
        "example_config": first,
        "example_split": record.configs[first].split,
        "group_column": record.group_column,
        "configs": pairs_table(record),
        "columns": pair_columns(record, folder),
        "notes": "\n".join(f"- {note}" for note in record.notes),
        "provenance": _provenance(record),
        "license_text": _license_text(record),
    }


def _provenance(record: Record) -> str:
    sources = "<br>".join(f"{public_name(each.name)} (sha256 {each.digest[:12]}…)" for each in record.sources)
    options = " ".join(f"`{name}={_option(value)}`" for name, value in record.options.items() if value is not None)
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items())
    rows = {"command": f"`merge-snli {record.command}`", "options": options, "sources": sources}
    rows |= {"method version": record.method_version, "software": versions}
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows.items())])


def _option(value: object) -> str:
    values = value if isinstance(value, list) else [value]
    return ",".join(public_name(str(each)) for each in values)


def _license_text(record: Record) -> str:
    name = record.terms.license
    text = f"The pairs are under `{name}`." if name not in {None, "other"} else "The sentences have their own terms."
    return text if record.terms.attribution is None else f"{text} {record.terms.attribution}"
