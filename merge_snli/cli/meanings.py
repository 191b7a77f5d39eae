"""Options that people try, and those that do what they mean."""

from collections.abc import Collection

from merge_snli.base.errors import nearest
from merge_snli.base.files import toml_beside


def advice(name: str, known: Collection[str]) -> str:
    """Return a question that names the option that is meant, or the most similar one; nothing if there is none.

    Args:
        name: An option that a command does not have.
        known: The options that it has.

    Examples:
        >>> advice("--limit", ["--limit-seeds", "--delimiter"])
        ': did you mean --limit-seeds?'
    """
    meant = [option for option in toml_beside(__file__).get(name, ()) if option in known]
    return f": did you mean {meant[0]}?" if meant else nearest(name, known)
