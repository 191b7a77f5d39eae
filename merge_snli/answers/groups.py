"""Read labeled pairs in groups from a file, the Hub or memory."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from merge_snli.answers.data import ScoredData
from merge_snli.answers.sentences import Numbering, SentencePairs
from merge_snli.base.errors import InputError
from merge_snli.base.hub_ids import split_revision
from merge_snli.base.option import require_unique
from merge_snli.base.progress import Progress
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import task_labels
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import content_number, digest_of
from merge_snli.problems.reading_warnings import RepeatedPairs
from merge_snli.problems.rows import JOIN, SourceRow, column_text
from merge_snli.problems.source import no_problem, open_source

# Largest number of values of a column of `--by`.
MAX_VALUES = 500


def read_groups(
    options: ProblemOptions,
    *,
    group_column: str,
    by: Sequence[str] = (),
    name: str | None = None,
    table: pa.Table | None = None,
) -> ScoredData:
    """Read labeled pairs in groups.

    Args:
        options: Names the pairs, their columns and labels.
        group_column: The column of the groups.
        by: Columns by whose values scores are computed as well; `A+B` for the pairs of values of two columns.
        name: Name of the pairs in messages; by default that of the file, folder or Hub id.
        table: The rows of a stored data set, which `options` names; None for those of a file.

    Raises:
        InputError: If the pairs cannot be read, a column is missing, a group is empty, the groups have one pair each or
            are one, the labels are not those of NLI, or a column of `by` has too many values.
    """
    require_unique("by", by)
    given = str(options.problems)
    default = options.problems.public_name
    source = open_source(options)
    pairs = []
    groups = Numbering[str]()
    values = {column: Numbering[str]() for column in by}
    labels = array("q")
    positions = array("q")
    total = 0
    repeated = RepeatedPairs()
    with Progress().stage(f"reading {name or default}", unit="rows") as stage:
        for row, checked, error in source:
            stage.advance(1)
            if error is not None:
                raise error
            if checked is None:
                continue
            group = column_text(row, group_column, "group_column")
            if not group.strip():
                raise InputError(
                    f"{row.location}: the group in column {group_column!r} is empty; every pair needs a group"
                )
            total += content_number(checked.premise, checked.hypothesis, source.labels.names[checked.label], group)
            pairs.append((checked.premise, checked.hypothesis))
            groups.add(group)
            labels.append(checked.label)
            repeated.add(row.location, pairs[-1], checked.label)
            positions.append(stage.done - 1)
            for column, of_rows in values.items():
                _add_value(of_rows, row, column)
    without_label = stage.done - len(labels)
    if not labels:
        raise InputError(no_problem(source, without_label))
    if len(groups.index) in (1, len(labels)):
        raise InputError(
            f"{name or given}: {count(len(labels), 'pair')} are in {count(len(groups.index), 'group')} by column "
            f"{group_column!r}; choose a column that some pairs share, but not all, with ⟦group_column⟧"
        )
    sentences = SentencePairs.of(pairs)
    repeated.warn_of_several_labels(source.options.problems)
    if table is None:
        table = pa.table({"row_id": [f"row-{number}" for number in range(1, len(labels) + 1)]})
    else:
        table = table.take(pa.array(positions))
    masks = {}
    for column, of_rows in values.items():
        numbers = np.array(of_rows.numbers)
        masks[column] = {value: numbers == number for value, number in of_rows.index.items()}
    public_name, revision = split_revision(default)
    title = Path(default).stem if options.split is None else f"{default} ({options.split})"
    return ScoredData(
        dataset=None,
        name=public_name,
        title=title,
        revision=revision if default == given else None,
        config=options.config,
        digest=digest_of(total),
        group_column=group_column,
        label_names=task_labels(source.labels.names),
        without_label=without_label,
        table=table,
        sentences=sentences,
        group_ids=tuple(groups.index),
        row_labels=np.array(labels),
        row_groups=np.array(groups.numbers),
        subsamples=None,
        seed_labels=None,
        masks=masks,
    )


def _add_value(of_rows: Numbering[str], row: SourceRow, column: str) -> None:
    texts = [column_text(row, name, "by") or "(empty)" for name in row.columns_of(column)]
    of_rows.add(f" {JOIN} ".join(texts))
    if len(of_rows.index) > MAX_VALUES:
        raise InputError(
            f"{row.location}: column {column!r} has more than {MAX_VALUES} values; ⟦by⟧ needs a column with "
            "few values, such as a template"
        )
