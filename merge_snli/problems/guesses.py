"""Find the columns of a source that the options do not name."""

import logging
from dataclasses import replace
from typing import Any

from merge_snli.base.errors import InputError, Message, param
from merge_snli.dataset.texts import NLI_COLUMNS
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import SourceRow

logger = logging.getLogger(__name__)

# Usual names of the columns of the two texts of other tasks, tried in this order.
OTHER_TEXT_COLUMNS = (
    ("question1", "question2"),
    ("passage", "question"),
    ("evidence", "claim"),
    ("question", "sentence"),
    ("text1", "text2"),
)

# Columns of problems whose labels also depend on what is known about the world.
KNOWLEDGE_COLUMNS = frozenset({"claim", "evidence", "passage", "paragraph"})

# Usual names of the column of the gold label, tried in this order.
LABEL_COLUMNS = ("label", "gold_label", "entailment_label", "entailment_judgment", "is_duplicate", "answer", "score")


def find_columns(options: ProblemOptions, row: SourceRow | None) -> ProblemOptions:
    """Return the options with the columns of premise, hypothesis and label; guess those that are not given.

    If no column has a name, one that has it in another case is taken.

    Args:
        options: The options.
        row: The first row of the source; None if it has no rows.
    """
    columns = () if row is None else tuple(row.values)
    in_any_case = {str(name).casefold(): name for name in reversed(columns)}

    def written(name: str) -> str:
        return name if name in columns else in_any_case.get(name.casefold(), name)

    given = (options.premise_column, options.hypothesis_column)
    usual_pairs = NLI_COLUMNS + OTHER_TEXT_COLUMNS
    pairs = [tuple(written(name or usual) for name, usual in zip(given, pair, strict=True)) for pair in usual_pairs]
    premise, hypothesis = next((pair for pair in pairs if {*pair} <= {*columns}), pairs[0])
    labels = [written(options.label_column or usual) for usual in LABEL_COLUMNS]
    label = next((name for name in labels if name in columns), labels[0])
    names: dict[str, Any] = {"premise_column": premise, "hypothesis_column": hypothesis, "label_column": label}
    if row is not None:
        _require_two_texts(row, {premise, hypothesis}, label)
        row.require(names)
    chosen = tuple(name and written(name) for name in (*given, options.label_column))
    if (premise, hypothesis, label) not in {(*pairs[0], labels[0]), chosen}:
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                f"{param('premise_column')}, {param('hypothesis_column')} and {param('label_column')}"
            ),
            *(options.problems, premise, hypothesis, label),
        )
    return replace(options, **names)


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


def _require_two_texts(row: SourceRow, columns: set[str], label: str) -> None:
    """Refuse problems with one text, in which no word can be shared."""
    texts = [name for name, value in row.values.items() if isinstance(value, str) and name != label and " " in value]
    has_text = any({*row.columns_of(name)} <= {*row.values} for name in columns)
    if len(texts) == 1 and label in row.values and not has_text:
        raise InputError(
            f"{row.location} has one text (column {texts[0]!r}) and a label: a task over one text has no word that two "
            f"texts share. If another column is a text, name both with {param('premise_column')} and "
            f"{param('hypothesis_column')}"
        )
