"""Check that a run has words to replace and seeds, with errors that say what is missing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generation.options import Options
    from merge_snli.dataset.record import WordCounts

logger = logging.getLogger(__name__)


def require_words(words: Mapping[str, WordCounts], options: Options) -> None:
    """Check that any word can be replaced.

    Args:
        words: Shared words of all problems, from `record.count_words`.
        options: Only `problems` and `classes` are read.

    Raises:
        InputError: If no problem shares a word of the run's classes that can be replaced.
    """
    if not any(words[name].words_after for name in options.classes):
        raise InputError(
            f"premise and hypothesis share no {' or '.join(options.classes)} in any problem of {options.problems}: "
            f"pass other problems or more {param('classes')}"
        )


def require_seeds(most: Mapping[str, int], options: Options) -> None:
    """Check that any problem has enough variants, and warn about classes in which none has.

    Args:
        most: Largest number of variants of a problem, by word class.
        options: Only `problems`, `classes` and `inflation` are read.

    Raises:
        InputError: If no problem has `inflation` variants in any class.
    """
    best = max(most.get(name, 0) for name in options.classes)
    if best < options.inflation:
        raise InputError(
            f"no problem of {options.problems} has {options.inflation} variants in a word class (maximum: {best}): "
            f"pass more problems or masked LMs, or a lower {param('inflation')}{f', such as {best}' if best else ''}"
        )
    for name in options.classes:
        if most.get(name, 0) < options.inflation:
            logger.warning(
                "skipping config %s: no problem has %d %s variants (maximum: %d)",
                name,
                options.inflation,
                name,
                most.get(name, 0),
            )
