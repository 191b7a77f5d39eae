"""Whether a run has anything to give: says what would have been needed where it has not."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.options import Options
    from generation.replacements import Found
    from generation.tables import Drawn
    from generation.words import SharedWord

logger = logging.getLogger(__name__)


def require_words(words: Sequence[SharedWord], options: Options) -> None:
    """Stop where no word can be replaced.

    Raises:
        InputError: Where no problem shares a word of the run's classes.
    """
    if not words:
        raise InputError(
            f"no problem of {options.problems} has a {' or '.join(options.classes)} in premise and hypothesis alike, "
            "so there is nothing to replace: give other problems or more --classes"
        )


def require_seeds(drawn: Sequence[Drawn], found: Sequence[Found], options: Options) -> None:
    """Stop where no problem has enough variants; say which configs stay empty where others do not.

    Raises:
        InputError: Where no problem has `inflation` variants in any class.
    """
    most = _most_variants(found)
    if not drawn:
        best = max(most.values(), default=0)
        raise InputError(
            f"no problem of {options.problems} has {options.inflation} variants in a word class (the most is {best}): "
            f"give more problems or masked LMs, or a lower --inflation{f' such as {best}' if best else ''}"
        )
    with_rows = {each.variant.word.word_class for each in drawn}
    for name in options.classes:
        if name not in with_rows:
            logger.warning(
                "config %s is left out: no problem has %d %s variants (the most is %d)",
                name,
                options.inflation,
                name,
                most[name],
            )


def _most_variants(found: Sequence[Found]) -> Counter[str]:
    """Return by word class the largest number of variants that a problem has, the words of a class pooled."""
    of_problem: Counter[tuple[str, str]] = Counter()
    for each in found:
        of_problem[each.tagged.problem.id, each.word.word_class] += len(each.replacements)
    most: Counter[str] = Counter()
    for (_, name), count in of_problem.items():
        most[name] = max(most[name], count)
    return most
