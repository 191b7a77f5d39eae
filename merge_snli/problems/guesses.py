"""Find the columns of a source that the options do not name."""

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from merge_snli.base.errors import InputError, Message, brief, listed, param
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
    columns: dict[str, Any]
    if row is None:
        columns = {name: getattr(options, name) or usual for name, usual in USUAL_COLUMNS.items()}
        return replace(options, **columns)
    in_any_case: dict[str, str] = {}
    by_name: dict[str, str] = {}
    for name in row.values:
        in_any_case.setdefault(str(name).casefold(), name)
        by_name.setdefault(plain_name(name), name)
    by_name |= {name: name for name in row.values}
    given = [getattr(options, name) for name in USUAL_COLUMNS]
    given = [name if name in row.values else in_any_case.get(name.casefold(), name) for name in given]
    texts = _texts(given[:2], by_name, options)
    label = given[2] or _label(by_name, options)
    names = [*texts, label]
    columns = dict(zip(USUAL_COLUMNS, names, strict=True))
    row.require(columns)
    if names != given and [name.casefold() for name in names] != list(USUAL_COLUMNS.values()):
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                f"{param('premise_column')}, {param('hypothesis_column')} and {param('label_column')}"
            ),
            *(options.problems, *map(brief, names)),
        )
    return replace(options, **columns)


def _texts(given: Collection[str], by_name: Mapping[str, str], options: ProblemOptions) -> tuple[str, ...]:
    """Return the columns of premise and hypothesis: the given ones, and the usual ones beside them."""
    usual = _there(TEXT_COLUMNS, given, by_name)
    others = [] if usual else _there(OTHER_TEXT_COLUMNS, given, by_name)
    if len(others) > 1:
        names = " or ".join(f"{first!r} and {second!r}" for first, second in others)
        option = f"{param('premise_column')} and {param('hypothesis_column')}"
        raise InputError(f"{options.problems}: the texts can be in the columns {names}: choose with {option}")
    default = tuple(name or usual for name, usual in zip(given, TEXT_COLUMNS[0], strict=True))
    return next(iter(usual + others), default)


def _there(
    pairs: Iterable[tuple[str, str]], given: Collection[str], by_name: Mapping[str, str]
) -> list[tuple[str, ...]]:
    """Return those of some usual pairs of columns that a source has, with the given columns instead of the usual."""
    found: dict[tuple[str, ...], None] = {}
    for pair in pairs:
        names = [name or by_name.get(usual) for name, usual in zip(given, pair, strict=True)]
        columns = tuple(name for name in names if name is not None and name in by_name)
        if len(columns) == len(pair):
            found[columns] = None
    return list(found)


def _label(by_name: Mapping[str, str], options: ProblemOptions) -> str:
    """Return the column of the label under a usual name."""
    usual = [by_name[name] for name in LABEL_COLUMNS if name in by_name]
    others = [by_name[name] for name in OTHER_LABEL_COLUMNS if name in by_name]
    if not usual and len(others) > 1:
        raise InputError(
            f"{options.problems}: the label can be in the columns {listed(others)}: choose one with "
            f"{param('label_column')}"
        )
    return next(iter(usual + others), LABEL_COLUMNS[0])


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
