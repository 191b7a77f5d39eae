"""Define the result of scoring one model on rows in groups, as frozen values and as the fields of a file.

These types also define the JSON Schema of result files. The answers in `groups` are the data; the numbers are a view of
them. So a field that is added later has the default None: results written before it existed are read, and what shows
the field computes it from the answers or leaves it out. A reader ignores fields that it does not know.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from merge_snli.base.errors import InputError
from merge_snli.base.table import Column, Table
from merge_snli.dataset.label_spellings import MAX_LABELS, TWO_WAY, are_nli
from merge_snli.models.labels import positions
from merge_snli.schema import ALL, NLI_LABELS
from merge_snli.scoring.results.calibration import decoded
from merge_snli.scoring.results.records import (
    DatasetRecord,
    Label,
    LeftOut,
    ModelRecord,
    Part,
    RunRecord,
    Threshold,
    one_of,
)
from merge_snli.scoring.results.scores import (
    NO_ANSWER,
    NOT_ASKED,
    SOURCE_COLUMNS,
    Calibration,
    GroupTable,
    NamedAnswers,
    RowScores,
    Scores,
    SourceAccuracy,
    SourceScores,
)
from merge_snli.scoring.statistics import Interval
from metrics.pattern_accuracy.core import CURVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from merge_snli.dataset.stored import MergeDataset


# How far the probabilities of a row, which are rounded, may be from adding up to 1.
SUM_TOLERANCE = 2e-3

WORD_CLASS, LABEL, MASKED_LM = "word_class", "label", "masked_lm"
"""The columns of `Result.parts` on a MERGE data set."""

# The entries of a row of scores that are not shares.
COUNTED = ("part", "groups", "rows")

# Ends of the names of entries that a notebook does not show, which shows percent.
NOT_SHOWN = ("_low", "_high", "_problems", "brier")


@dataclass(frozen=True, kw_only=True)
class Result(Part):
    """Scores of one model on one config of one data set.

    Rows are variants or other labeled pairs, groups are seeds or other rows that belong together. Accuracies are shares
    from 0 to 1. SA is sample accuracy. PA(t) is pattern accuracy: the share of groups of which at least the share t of
    the rows is predicted correctly.
    """

    schema_version: Literal[7]
    """Version of this format."""
    model: ModelRecord
    dataset: DatasetRecord
    run: RunRecord
    compared_labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=MAX_LABELS)]
    """Labels in which predictions and gold labels were compared: three, or entailment and not_entailment."""
    left_out: LeftOut
    notes: tuple[str, ...]
    """Caveats that a reader of the scores must know."""
    quality_threshold: Threshold
    """Threshold of `pattern_accuracy` and `qt`."""
    thresholds: tuple[Threshold, ...]
    """Thresholds of the curves."""
    draws: Annotated[int, Field(ge=1, lt=2**63)] | None
    """Number of draws (subsamples); None if the data has none, and all rows count."""
    scores: Scores
    """Scores on all rows."""
    parts: dict[str, dict[str, Scores]]
    """Scores on the rows with each value of a column, by column. On a MERGE data set: `word_class`; `label`, the gold
    label; and `masked_lm`, the variants that each masked LM validated in premise or hypothesis, as in Table 9."""
    groups: GroupTable
    """Answers and counts of every group."""
    consistency: dict[Annotated[str, *one_of(("seed", "majority"))], RowScores] | None = None
    """Predictions on rows compared with the model's prediction on the anchor (`seed`), and with its most frequent
    prediction among the group's rows in the draw (`majority`); None without anchors."""
    source: SourceScores | None = None
    """Scores on the source of the data set; None if it was not scored."""
    calibration: Calibration | None = None
    """How well the probabilities of the labels fit the answers; None if they are not known."""

    def __post_init__(self) -> None:
        """Check that the parts of the result fit together."""
        own = (NLI_LABELS, TWO_WAY) if are_nli(self.dataset.labels) else (self.dataset.labels,)
        if self.compared_labels not in own:
            raise ValueError(f"compared_labels is {self.compared_labels}, expected {' or '.join(map(str, own))}")
        if self.thresholds != CURVE or self.quality_threshold not in CURVE:
            raise ValueError("thresholds are not 0, 0.01, … 1")
        table = self.groups
        if not len(table.sizes) == len(self.scores.curve.groups) == (self.draws or 1):
            raise ValueError("the number of draws differs between scores and groups")
        if self.scores.groups != len(table.id):
            raise ValueError("the number of groups differs between scores and groups")
        if (self.scores.all_rows_accuracy is None) != (self.left_out.undrawn > 0):
            raise ValueError("all_rows_accuracy must be there if and only if all rows were asked")
        if (table.anchors is None) != (self.scores.anchor_accuracy is None):
            raise ValueError("anchors are in only one of scores and groups")
        answers = "".join(table.predictions)
        counted = sum(sum(row.values()) for row in self.scores.predicted.values())
        unread, left_out = answers.count(NO_ANSWER), answers.count(NOT_ASKED)
        if (self.scores.rows, counted) != (len(answers) - left_out, len(answers) - left_out - unread):
            raise ValueError("the numbers of rows or predicted labels differ between scores and groups")
        numbers = {NOT_ASKED, NO_ANSWER, *map(str, range(len(self.compared_labels)))}
        if not numbers.issuperset(answers):
            raise ValueError("predictions has a number that is not in compared_labels")
        self._check_probabilities(table.probabilities, table.predictions)
        anchors = [NOT_ASKED if label is None else "0" for label in table.anchors or ()]
        self._check_probabilities(table.anchor_probabilities, anchors)
        if not {*map(str, range(len(self.dataset.labels)))}.issuperset("".join(table.gold)):
            raise ValueError("gold has a number that is not a label of the data set")
        used = {label for row in self.scores.predicted.values() for label in row}
        if not {*(table.anchors or ()), *used, *self.scores.predicted} <= {*self.compared_labels, None}:
            raise ValueError("predicted has a label that is not in compared_labels")
        if self.draws is None and table.correct != (tuple(self._correct_rows()),):
            raise ValueError("the labels of groups do not give the numbers of their correct rows")
        if self.source is not None and not {*self.source.labels} <= {*self.dataset.labels}:
            raise ValueError("source has a label that is not in the data set")

    def _check_probabilities(self, texts: tuple[str, ...] | None, predictions: Sequence[str]) -> None:
        """Check that each text has the probabilities of its rows: they add up to 1, or are NaN without a label."""
        if texts is None:
            return
        labels = len(self.compared_labels)
        if [len(b64decode(text)) for text in texts] != [2 * labels * len(each) for each in predictions]:
            raise ValueError("the numbers of probabilities and predictions differ")
        sums = decoded(texts, labels).sum(axis=1)
        has_label = np.array([digit.isdigit() for digit in "".join(predictions)])
        if not (np.isclose(sums, 1, atol=SUM_TOLERANCE) | (np.isnan(sums) & ~has_label)).all():
            raise ValueError("the probabilities of a row do not add up to 1")

    def _correct_rows(self) -> Iterator[int]:
        """Yield the number of correct rows of each group."""
        compared = dict(enumerate(map(str, positions(self.dataset.labels, self.compared_labels))))
        for gold, predictions in zip(self.groups.gold, self.groups.predictions, strict=True):
            expected = [compared[int(digit)] for digit in gold] * (len(predictions) // len(gold))
            yield sum(map(str.__eq__, expected, predictions))

    @property
    def title(self) -> str:
        """The model's name, with its prompt, and its dtype unless that is float32."""
        prompt = [] if self.run.prompt is None else [self.run.prompt.title]
        about = ", ".join([*prompt, *([] if self.run.dtype in (None, "float32") else [self.run.dtype])])
        return f"{self.model.name} ({about})" if about else self.model.name

    @property
    def has_anchors(self) -> bool:
        """Whether the groups have anchors, as the seeds of a MERGE data set; QT, MT and consistency need them."""
        return self.scores.anchor_accuracy is not None

    @property
    def units(self) -> tuple[str, str]:
        """What a group and a row of the data are called."""
        return ("seed", "variant") if self.has_anchors else ("group", "pair")

    @property
    def pattern_accuracy(self) -> float:
        """PA at the quality threshold, mean over the draws; NaN if no draw has a row."""
        return _number(self.scores.pattern_accuracy.mean)

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of `pattern_accuracy`; None if there are too few groups."""
        found = self.scores.intervals
        if found is None:
            return None
        low, high = found.pattern_accuracy
        return Interval(
            low=low, high=high, level=found.level, method=found.methods["pattern_accuracy"], unit=self.units[0]
        )

    @property
    def sample_accuracy(self) -> float:
        """SA on the rows, mean over the draws; NaN if no draw has a row."""
        return _number(self.scores.sample_accuracy.mean)

    @property
    def qt(self) -> float | None:
        """PA at the quality threshold minus SA on the anchors; None without anchors."""
        return self.scores.qt

    @property
    def mt(self) -> float | None:
        """Threshold whose PA is nearest to SA on the anchors; None without anchors."""
        return self.scores.mt

    @property
    def n_prompts(self) -> int:
        """Number of prompts that the numbers of rows and draws count."""
        return 1

    def correct_anchors(self) -> NDArray[np.float64]:
        """Return whether each anchor is predicted correctly, as 1 or 0, [n_groups]; empty without anchors."""
        gold = [self.compared_labels[number] for number in positions(self.dataset.labels, self.compared_labels)]
        pairs = zip(self.groups.anchors or (), self.groups.gold, strict=False)
        return np.array([predicted == gold[int(numbers[0])] for predicted, numbers in pairs], dtype=np.float64)

    def on_source(self, column: str | None = None, value: str | None = None) -> SourceAccuracy | None:
        """Return the scores on the source for all rows or those with a gold label; None for other parts."""
        if self.source is None:
            return None
        if column is None:
            return self.source.overall
        return self.source.labels.get(str(value)) if column == LABEL else None

    def as_rows(self) -> list[dict[str, Any]]:
        """Return one row of scores for all rows, and one per value of each column, such as `word_class:noun`.

        The first one also has the fields of `calibration` if the probabilities are known.
        """
        on_source = dict.fromkeys(SOURCE_COLUMNS) if self.has_anchors else {}

        def row(scores: Scores, column: str | None = None, value: str | None = None) -> dict[str, Any]:
            source = self.on_source(column, value)
            part = ALL if column is None else f"{column}:{value}"
            return {"part": part, **scores.as_row(), **(on_source if source is None else source.as_row())}

        parts = [row(scores, column, value) for column, of in self.parts.items() for value, scores in of.items()]
        calibration = {} if self.calibration is None else asdict(self.calibration)
        return [row(self.scores) | calibration, *parts]

    def named_answers(self, name: str) -> NamedAnswers:
        """Return the answers, under a name of the model that is unique among others."""
        return NamedAnswers(name, self.groups, self.compared_labels)

    def to_pandas(self, dataset: MergeDataset | None = None, *, with_text: bool = False) -> pd.DataFrame:
        """Return the scores, or with the data set the answers, as a pandas data frame.

        Args:
            dataset: The data set that the model was scored on.
            with_text: Whether the answers have columns of the sentences.

        Returns:
            The scores with one row per part, such as `all` or `word_class:noun`; or the answers with one row per
            variant, as `merge-snli explore --export` writes them.

        Raises:
            InputError: If the result is on other data, or on a part of it.
        """
        import pandas as pd

        from merge_snli.scoring.results.answer_table import long_tables, read_variants

        if dataset is None:
            return pd.DataFrame(self.as_rows()).set_index("part")
        if dataset.digest != self.dataset.digest:
            raise InputError(f"the result of {self.title} is on {self.dataset.title}, not on all of {dataset.name}")
        variants = read_variants(dataset, str(self.dataset.config), with_text=with_text)
        [table] = long_tables(variants, [self.named_answers(self.title)])
        frame: pd.DataFrame = table.to_pandas()
        return frame

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
        drawn = [[100 * value for value in row if value is not None] for row in self.scores.curve.each]
        of_subsamples = [row for row in drawn if row]
        if len(of_subsamples) > 1:
            low, high = ([edge(column) for column in zip(*of_subsamples, strict=True)] for edge in (min, max))
            ax.fill_between(across, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        place = self.thresholds.index(self.quality_threshold)
        ax.plot(across[place], mean[place], "o", color=line.get_color())
        ax.legend()
        return ax

    def __str__(self) -> str:
        """Return the model, the data and PA at the quality threshold in one line."""
        data, shown = self.dataset, f"PA({self.quality_threshold}) {100 * self.pattern_accuracy:.1f}%"
        return f"{self.title} on {data.title}, config {data.config}: {shown}"

    def _repr_html_(self) -> str:
        """Return the scores as an HTML table for a notebook, in percent, with one row per part."""
        rows = self.as_rows()
        shares = [name for name in rows[0] if name not in COUNTED and not name.endswith(NOT_SHOWN)]
        return Table(
            title=f"{self.title} on {self.dataset.title}",
            columns=(*(Column(name, "left") for name in COUNTED), *(Column(name, format=".1f") for name in shares)),
            rows=tuple(
                (*(row[name] for name in COUNTED), *(_percent(row.get(name)) for name in shares)) for row in rows
            ),
        ).html()


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
