"""Whether a run has anything to give: says what would have been needed where it has not."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generation.options import Options
    from merge_snli.record import WordCounts

logger = logging.getLogger(__name__)


def require_words(words: Mapping[str, WordCounts], options: Options) -> None:
    """Stop where no word can be replaced.

    Args:
        words: What `record.count_words` gave of all problems.
        options: `classes` is read.

    Raises:
        InputError: Where no problem shares a word of the run's classes.
    """
    if not any(words[name].words_after for name in options.classes):
        raise InputError(
            f"no problem of {options.problems} has a {' or '.join(options.classes)} in premise and hypothesis alike, "
            "so there is nothing to replace: give other problems or more --classes"
        )


def require_seeds(most: Mapping[str, int], options: Options) -> None:
    """Stop where no problem has enough variants; say which configs stay empty where others do not.

    Raises:
        InputError: Where no problem has `inflation` variants in any class.
    """
    best = max(most.get(name, 0) for name in options.classes)
    if best < options.inflation:
        raise InputError(
            f"no problem of {options.problems} has {options.inflation} variants in a word class (the most is {best}): "
            f"give more problems or masked LMs, or a lower --inflation{f' such as {best}' if best else ''}"
        )
    for name in options.classes:
        if most.get(name, 0) < options.inflation:
            logger.warning(
                "config %s is left out: no problem has %d %s variants (the most is %d)",
                name,
                options.inflation,
                name,
                most.get(name, 0),
            )
