"""Under which terms a data set stands: those of the problems that its variants were made from."""

from __future__ import annotations

from typing import Any

EMBEDDED_LICENSE = "apache-2.0"
EMBEDDED_TEXT = "The seed problems were written for the MERGE software and are, like their variants, under Apache-2.0."


def is_embedded(run: dict[str, Any]) -> bool:
    """Tell whether a run's problems are those that come with the software."""
    return bool(run["options"]["problems"].startswith("demo:"))


def licence(run: dict[str, Any]) -> str | None:
    """Return the licence of a data set as the Hub spells it, `other` where the source has terms of its own.

    Args:
        run: The record of a run.

    Returns:
        None where nobody said one: such a data set is not to be published.
    """
    if is_embedded(run):
        return EMBEDDED_LICENSE
    said = run["options"].get("license") or run.get("source", {}).get("licence")
    return None if said is None else str(said).lower()


def license_text(run: dict[str, Any]) -> str:
    """Return what the card says of licence and attribution."""
    if is_embedded(run):
        return EMBEDDED_TEXT
    named = licence(run)
    attribution = run.get("source", {}).get("attribution")
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
