"""Find the columns of premise, hypothesis and label."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from merge_snli.base.errors import Message, param

if TYPE_CHECKING:
    from merge_snli.problems.options import ProblemOptions
    from merge_snli.problems.rows import SourceRow

logger = logging.getLogger(__name__)

# Usual names of the columns of premise and hypothesis, tried in this order: those of SNLI's files, SICK's, ANLI's.
SENTENCE_COLUMNS = (
    ("premise", "hypothesis"),
    ("sentence1", "sentence2"),
    ("sentence_A", "sentence_B"),
    ("text", "hypothesis"),
    ("context", "hypothesis"),
)

# Usual names of the column of the gold label, tried in this order.
LABEL_COLUMNS = ("label", "gold_label", "entailment_label", "entailment_judgment")


def find_columns(options: ProblemOptions, row: SourceRow | None) -> ProblemOptions:
    """Return the options with the columns of premise, hypothesis and label; guess those that are not given.

    Args:
        options: The options.
        row: The first row of the source; None if it has no rows.

    Raises:
        InputError: If the row lacks any of the columns.
    """
    columns = () if row is None else tuple(row.values)
    given = (options.premise_column, options.hypothesis_column)
    pairs = [tuple(name or usual for name, usual in zip(given, pair, strict=True)) for pair in SENTENCE_COLUMNS]
    premise, hypothesis = next((pair for pair in pairs if {*pair} <= {*columns}), pairs[0])
    labels = [options.label_column or usual for usual in LABEL_COLUMNS]
    label = next((name for name in labels if name in columns), labels[0])
    if row is not None:
        row.require({"premise_column": premise, "hypothesis_column": hypothesis, "label_column": label})
    found = replace(options, premise_column=premise, hypothesis_column=hypothesis, label_column=label)
    if (premise, hypothesis, label) not in {(*pairs[0], labels[0]), (*given, options.label_column)}:
        logger.warning(
            Message(
                "%s: reading the columns %s (premise), %s (hypothesis) and %s (label); to choose others, set "
                f"{param('premise_column')}, {param('hypothesis_column')} and {param('label_column')}"
            ),
            *(options.problems, premise, hypothesis, label),
        )
    return found
