"""Under which terms a data set stands: those of the problems that its variants were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from merge_snli.record import Record

EMBEDDED_LICENSE = "apache-2.0"
EMBEDDED_TEXT = "The seed problems were written for the MERGE software and are, like their variants, under Apache-2.0."


def is_embedded(record: Record) -> bool:
    """Tell whether a run's problems are those that come with the software."""
    return bool(record.options["problems"].startswith("demo:"))


def license_of(record: Record) -> str | None:
    """Return the licence of a data set as the Hub spells it, `other` where the source has terms of its own.

    Args:
        record: The record of a run.

    Returns:
        None where nobody said one: such a data set is not to be published.
    """
    if is_embedded(record):
        return EMBEDDED_LICENSE
    return record.terms.license and record.terms.license.lower()


def license_text(record: Record) -> str:
    """Return what the card says of licence and attribution."""
    if is_embedded(record):
        return EMBEDDED_TEXT
    named = license_of(record)
    attribution = record.terms.attribution
    if named is None:
        terms = (
            "Nobody has said under which licence the seed problems stand. It applies to their variants too: find it "
            "out before you pass this data set on, and generate with `--license` to have it written here."
        )
    elif named == "other":
        terms = "The seed problems stand under the terms of their source; the same terms apply to their variants."
    else:
        terms = (
            f"The seed problems stand under `{named}`; their variants are derived from them, so it applies to them too."
        )
    return terms if attribution is None else f"{terms}\n\nName the source with it. {attribution}"
