"""The license of a data set, which is that of the problems its variants were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.embedded import PREFIX

if TYPE_CHECKING:
    from merge_snli.dataset.record import Record

BUNDLED_TEXT = "The seed problems were written for the MERGE software. They and their variants are under Apache-2.0."


def is_bundled(record: Record) -> bool:
    """Return whether variants were generated from the problems bundled with the package."""
    return record.generation is not None and record.options["problems"].startswith(PREFIX)


def license_of(record: Record) -> str | None:
    """Return the license of a data set as an id of the Hub, in lower case.

    Returns:
        `other` if the problems have their own terms; None if the license is unknown. A data set without a license must
        not be published.
    """
    return record.terms.license and record.terms.license.lower()


def license_text(record: Record) -> str:
    """Return the card's section on license and attribution."""
    if is_bundled(record):
        return BUNDLED_TEXT
    name = license_of(record)
    if name is None:
        terms = (
            "The license of the seed problems is unknown. It also applies to their variants: look it up before you "
            "share this data set, and pass it to `merge-snli generate` with `--license`."
        )
    elif name == "other":
        terms = "The seed problems have their own terms, which also apply to their variants."
    else:
        terms = f"The seed problems are under `{name}`. Their variants are derived from them, so it applies to both."
    attribution = record.terms.attribution
    return terms if attribution is None else f"{terms}\n\nAttribute the problems to their authors. {attribution}"
