"""Find the columns of a source that the options do not name."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from merge_snli.base.errors import InputError, Message, brief, listed
from merge_snli.dataset.texts import plain_name
from merge_snli.problems.column_names import LABEL_COLUMNS, OTHER_LABEL_COLUMNS, OTHER_TEXT_COLUMNS, TEXT_COLUMNS
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import SourceRow

logger = logging.getLogger(__name__)

# The options that name the columns, with the columns that are read without a word.
USUAL_COLUMNS = {"premise_column": "premise", "hypothesis_column": "hypothesis", "label_column": "label"}

# Columns of problems whose labels also depend on what is known about the world.
KNOWLEDGE_COLUMNS = frozenset({"claim", "evidence", "passage", "paragraph"})


def find_columns(options: ProblemOptions, row: SourceRow | None) -> ProblemOptions:
    """Return the options with the columns of premise, hypothesis and label; guess those that are not given.

    If no column has a name, one that has it in another case is taken; a usual name may also have other punctuation.

    Args:
        options: The options.
        row: The first row of the source; None if it has no rows.
    """
    values = {} if row is None else row.values
    in_any_case: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for name in values:
        in_any_case.setdefault(str(name).casefold(), name)
        by_name.setdefault(plain_name(name), name)
    by_name |= {name: name for name in values}
    given = []
    for option in USUAL_COLUMNS:
        name = getattr(options, option)
        given.append(name if name in values else in_any_case.get(name.casefold(), name))
    texts = _choose(TEXT_COLUMNS, OTHER_TEXT_COLUMNS, given[:2], by_name, options)
    label = _choose(LABEL_COLUMNS, OTHER_LABEL_COLUMNS, given[2:], by_name, options)
    names = [*texts, *label]
    columns: dict[str, Any] = dict(zip(USUAL_COLUMNS, names, strict=True))
    if row is None:
        return replace(options, **columns)
    row.require(columns)
    if names != given and [name.casefold() for name in names] != list(USUAL_COLUMNS.values()):
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                "⟦premise_column⟧, ⟦hypothesis_column⟧ and ⟦label_column⟧"
            ),
            *(options.problems, *map(brief, names)),
        )
    return replace(options, **columns)


def _choose(
    usual: Sequence[tuple[str, ...]],
    others: Sequence[tuple[str, ...]],
    given: Sequence[str],
    by_name: Mapping[str, str],
    options: ProblemOptions,
) -> tuple[str, ...]:
    """Return the columns of the texts or of the label: the given ones, and beside them those with usual names.

    Args:
        usual: Their usual names, tried in this order.
        others: Other names, of which one may be there.
        given: The columns that the options name; empty for others.
        by_name: The columns of the source by their names.
        options: The options, for the message.
    """
    found = _there(usual, given, by_name)[:1] or _there(others, given, by_name)
    if len(found) > 1:
        shown = listed([" and ".join(names) for names in found])
        choose = "⟦label_column⟧"
        if len(given) > 1:
            choose = "⟦premise_column⟧ and ⟦hypothesis_column⟧"
        raise InputError(f"{options.problems}: several columns have usual names ({shown}): choose with {choose}")
    return found[0] if found else tuple(name or first for name, first in zip(given, usual[0], strict=True))


def _there(
    usual_names: Iterable[tuple[str, ...]], given: Sequence[str], by_name: Mapping[str, str]
) -> list[tuple[str, ...]]:
    """Return those of some usual columns that a source has, with the given columns instead of the usual ones."""
    found: dict[tuple[str, ...], None] = {}
    for columns in usual_names:
        names = [name or by_name.get(usual) for name, usual in zip(given, columns, strict=True)]
        own = tuple(name for name in names if name is not None and name in by_name)
        if len(own) == len(columns):
            found[own] = None
    return list(found)


def needs_world_knowledge(options: ProblemOptions) -> bool:
    """Return whether what is known about the replaced word can decide the labels, as for claims and their evidence.

    Args:
        options: The options with the columns.
    """
    known = known_dataset(str(options.problems), options.config)
    if known is not None:
        return known.world_knowledge
    names = (options.premise_column, options.hypothesis_column)
    return not KNOWLEDGE_COLUMNS.isdisjoint(str(name).casefold() for name in names)
