"""Define the result of scoring one model on rows in groups: the numbers of its file, and its answers beside it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from merge_snli.answers.answers import Answers, Counted, Counts
from merge_snli.answers.data import LABEL, Units, units_of
from merge_snli.answers.stored import stored_content
from merge_snli.answers.table import COUNTED_COLUMNS, from_bytes, from_table, to_table, with_data
from merge_snli.base.arrays import Floats
from merge_snli.base.files import JsonObject
from merge_snli.base.table import Column, Table
from merge_snli.base.typed import typed
from merge_snli.results.answered import Answered, answered_of
from merge_snli.results.result_file import ResultFile
from merge_snli.results.rows import RowsBy, ScoreRow, percent
from merge_snli.results.scores import SOURCE_COLUMNS, Row, Scores, SourceAccuracy, numbers_of
from merge_snli.results.whole import open_whole
from merge_snli.schema import ALL
from merge_snli.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import pyarrow as pa
    from matplotlib.axes import Axes


# The entries of a row of scores that are not shares.
COUNTED = ("part", "groups", "rows")

# Ends of the names of entries that a notebook does not show, which shows percent.
NOT_SHOWN = ("_low", "_high", "_problems", "brier")


@dataclass(frozen=True, kw_only=True)
class Result(ResultFile):
    """The scores of one model on one config of one data set, with its answers.

    `table` has the answers as they are stored: one row per predicted row, and one per seed.

    Attributes:
        stored: The answers, or the file that has them, which was checked.
    """

    stored: Answers | Path = field(compare=False, repr=False)

    @property
    def answers(self) -> Answers:
        """The answers, which are read again each time if they are in a file."""
        return self._read()

    @cached_property
    def counted(self) -> Counted:
        """What is known of the answers without their rows."""
        return self._read(COUNTED_COLUMNS).counted()

    def _read(self, columns: Sequence[str] | None = None) -> Answers:
        """Return the answers, from a file those in some columns."""
        if isinstance(self.stored, Answers):
            return self.stored
        return self.answers_in(from_bytes(stored_content(self.stored, self.answers_sha256), columns))

    def answers_in(self, table: pa.Table) -> Answers:
        """Return the answers in the table that their file has, or in some of its columns."""
        part = self.dataset.partial
        answers = from_table(table, self.compared_labels, self.subsamples, None if part is None else part.subsample)
        return replace(answers, drawn_only=self.left_out.undrawn > 0)

    @property
    def table(self) -> pa.Table:
        """The answers as a table, as in the file beside the result."""
        return to_table(self.answers)

    @property
    def title(self) -> str:
        """The model's name, with its prompt, and its dtype unless that is float32."""
        name = self.model.name
        run = self.run
        about = [] if run.prompt is None else [run.prompt.title]
        if run.dtype not in (None, "float32"):
            about.append(run.dtype)
        return f"{name} ({', '.join(about)})" if about else name

    @property
    def group_ids(self) -> tuple[str, ...]:
        """The ids of the groups with answers."""
        return self.counted.group_ids

    def counts(self, group_ids: Sequence[str] | None = None) -> Counts:
        """Return the counts of correct rows of some groups, by default all, [n_subsamples, n_groups]."""
        counts = self.counted.counts
        if group_ids is None:
            return counts
        index = {name: number for number, name in enumerate(self.group_ids)}
        return counts.take(np.array([index[name] for name in group_ids], dtype=np.int64))

    def correct_seeds(self) -> Floats:
        """Return whether each seed is predicted correctly, as 1 or 0, [n_groups]; empty without seeds."""
        seeds = self.counted.seeds
        return np.array([] if seeds is None else seeds.correct, dtype=np.float64)

    @property
    def has_seeds(self) -> bool:
        """Whether the groups have seeds, as the seeds of a MERGE data set; QT, MT and consistency need them."""
        return self.scores.seed_accuracy is not None

    @property
    def units(self) -> Units:
        """What a group and a row of the data are called."""
        return units_of(self.dataset.labels, has_seeds=self.has_seeds)

    @property
    def pattern_accuracy(self) -> float:
        """PA at the quality threshold, mean over the subsamples; NaN if no subsample has a row."""
        return self.row.share("pattern_accuracy")

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of `pattern_accuracy`; None if there are too few groups."""
        intervals = self.scores.intervals
        if intervals is None:
            return None
        low, high = intervals.pattern_accuracy
        method = intervals.methods["pattern_accuracy"]
        return Interval(low=low, high=high, level=intervals.level, method=method, unit=self.units[0])

    @property
    def sample_accuracy(self) -> float:
        """SA on the rows, mean over the subsamples; NaN if no subsample has a row."""
        return self.row.share("sample_accuracy")

    @property
    def answered(self) -> Answered | None:
        """PA over the answers that can be read, with how many these are; None if all can be read."""
        return answered_of(self.counts())

    @property
    def qt(self) -> float | None:
        """PA at the quality threshold minus SA on the seeds; None without seeds."""
        return self.scores.qt

    @property
    def mt(self) -> float | None:
        """Threshold whose PA is closest to SA on the seeds; None without seeds."""
        return self.scores.mt

    @cached_property
    def row(self) -> ScoreRow:
        """The scores on all rows, with consistency and calibration."""
        row = self._row(self.scores, None if self.source is None else self.source.overall)
        for reference, of in (self.consistency or {}).items():
            for name, value in numbers_of(of).items():
                if name != "rows":
                    row[f"consistency_{reference}_{name}"] = value
        if self.calibration is not None:
            row |= asdict(self.calibration)
        return ScoreRow(row, self.scores.curve)

    @cached_property
    def rows_by(self) -> RowsBy:
        """The scores on the rows with each value of each column, such as `word_class`."""
        by_label = {} if self.source is None else self.source.labels
        rows = {}
        for column, of in self.parts.items():
            of_column = {}
            for value, scores in of.items():
                source = by_label.get(value) if column == LABEL else None
                of_column[value] = ScoreRow(self._row(scores, source), scores.curve)
            rows[column] = of_column
        return rows

    def _row(self, scores: Scores, source: SourceAccuracy | None) -> Row:
        row = scores.as_row()
        if self.has_seeds:
            row |= dict.fromkeys(SOURCE_COLUMNS)
        if source is not None:
            row |= source.as_row()
        return row

    def as_rows(self) -> list[JsonObject]:
        """Return one row of scores for all rows, and one per value of each column, such as `word_class:noun`."""
        rows = [{"part": ALL, **self.row.values}]
        for column, of_column in self.rows_by.items():
            for value, scores in of_column.items():
                rows.append({"part": f"{column}:{value}", **scores.values})
        return rows

    def to_pandas(self, data: object = None, *, with_text: bool = False) -> pd.DataFrame:
        """Return the scores, or with the data set the answers, as a pandas data frame.

        Args:
            data: The data set that the model was scored on.
            with_text: Whether the answers have columns of the sentences.

        Returns:
            The scores with one row per part, such as `all` or `word_class:noun`; or the answers as in `table`, joined
            with the data.

        Raises:
            InputError: If the result is on other data.
        """
        import pandas as pd

        if data is None:
            return pd.DataFrame(self.as_rows()).set_index("part")
        joined = with_data(self.table, open_whole(data, self.dataset), with_text=with_text)
        return pd.DataFrame(joined.to_pandas())

    @typed
    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot mean pattern accuracy, with a band over the subsamples and a dot at the quality threshold.

        Args:
            ax: The axes of another result's plot, to compare the two; None for new ones.

        Returns:
            The axes, in percent.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
            ax.set(xlabel="threshold (%)", ylabel="pattern accuracy (%)", xlim=(0, 100), ylim=(0, 100))
        across = [100 * threshold for threshold in self.thresholds]
        mean = [float("nan") if value is None else 100 * value for value in self.scores.curve.mean]
        [line] = ax.plot(across, mean, label=self.title)
        drawn = [row for row in self.scores.curve.each if None not in row]
        if len(drawn) > 1:
            of_subsamples = 100 * np.array(drawn, dtype=np.float64)
            low = of_subsamples.min(axis=0)
            high = of_subsamples.max(axis=0)
            ax.fill_between(across, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        marked = self.thresholds.index(self.quality_threshold)
        ax.plot(across[marked], mean[marked], "o", color=line.get_color())
        ax.legend()
        return ax

    def __repr__(self) -> str:
        """Return the result in one line."""
        return f"<Result of {self}>"

    def __str__(self) -> str:
        """Return the model, the data and PA at the quality threshold in one line."""
        data = self.dataset
        shown = f"PA({self.quality_threshold}) {100 * self.pattern_accuracy:.1f}%"
        return f"{self.title} on {data.title}, config {data.config}: {shown}"

    def _repr_html_(self) -> str:
        """Return the scores as an HTML table for a notebook, in percent, with one row per part."""
        rows = self.as_rows()
        shares = [name for name in rows[0] if name not in COUNTED and not name.endswith(NOT_SHOWN)]
        columns = [Column(name, "left") for name in COUNTED]
        columns += [Column(name, format=".1f") for name in shares]
        cells = []
        for row in rows:
            counted = [row[name] for name in COUNTED]
            cells.append((*counted, *(percent(row.get(name)) for name in shares)))
        title = f"{self.title} on {self.dataset.title}"
        return Table(title=title, columns=columns, rows=cells).html()
