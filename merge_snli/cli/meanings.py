"""Options that people try, and those that do what they mean."""

import tomllib
from collections.abc import Collection
from pathlib import Path

from merge_snli.base.errors import nearest


def meanings() -> dict[str, list[str]]:
    """Return the options that may be meant, by the name that other programs have for them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def advice(name: str, known: Collection[str]) -> str:
    """Return a question that names the option that is meant, or the most similar one; nothing if there is none.

    Args:
        name: An option that a command does not have.
        known: The options that it has.

    Examples:
        >>> advice("--limit", ["--limit-seeds", "--delimiter"])
        ': did you mean --limit-seeds?'
    """
    meant = [option for option in meanings().get(name, ()) if option in known]
    return f": did you mean {meant[0]}?" if meant else nearest(name, known)
