"""Pattern accuracy as a module of `evaluate`: a thin class around the pure functions beside it.

`evaluate` copies the siblings that this file imports, and only those, so that each of them is imported here.
"""

from typing import Any

import datasets
import evaluate

from .columns import Column, check_same_kind, label_columns
from .core import Scores, score
from .counts import QUALITY_THRESHOLD
from .options import Options, read_options

_DESCRIPTION = """\
Pattern accuracy PA(t): the share of groups (seed problems, patterns, contrast sets) of whose rows at least the share t
is classified right. Beside it sample accuracy SA, the share of rows classified right; with the models' answers on the
seed problems QT, MT and the drop; mean and standard deviation over subsamples; the same for each category.
"""

_INPUTS = """
Args:
    predictions: labels that a model gave, one a row, integers or strings.
    references: gold labels, of the same kind.
    groups: the group of each row, integers or strings.
    thresholds: a number from 0 to 1, several, or "curve" for 0 to 1 in steps of 1 %. Default 0.9.
    seed_predictions: mapping from group to the model's label on the seed problem.
    seed_references: mapping from group to the gold label of the seed problem.
    subsamples: a list of indices from 0 a row: which subsamples drew it.
    categories: a label (or a list of labels) a row, or a mapping from a name to such a column.
    against: "gold", "seed" or "majority": what a row must agree with to count as right.

Returns:
    sample_accuracy: share of rows that are right.
    pattern_accuracy: a number for a single threshold, else a mapping from threshold to number.
    n_samples, n_groups: how many rows and groups there are.
    seed_sample_accuracy, qt, mt, drop: with seeds.
    subsamples: mean, std and each, with subsamples.
    categories: all of the above for each category, with categories.

Examples:
    >>> pattern_accuracy = evaluate.load("pattern_accuracy")
    >>> scores = pattern_accuracy.compute(
    ...     predictions=[0, 0, 2, 0, 2], references=[0, 0, 0, 0, 2], groups=["a", "a", "a", "a", "b"], thresholds=0.9
    ... )
    >>> scores
    {'sample_accuracy': 0.8, 'pattern_accuracy': 0.5, 'n_samples': 5, 'n_groups': 2}
"""

_CITATION = """\
@article{zgreaban2025merge,
  title = {{MERGE}: Minimal Expression-Replacement {GE}neralization Test for Natural Language Inference},
  author = {Zgreab{\\u{a}}n, M{\\u{a}}d{\\u{a}}lina and Deoskar, Tejaswini and Abzianidze, Lasha},
  journal = {arXiv preprint arXiv:2510.24295},
  year = {2025}
}
@inproceedings{abzianidze2023spacenli,
  title = {{SpaceNLI}: Evaluating the Consistency of Predicting Inferences in Space},
  author = {Abzianidze, Lasha and Zwarts, Joost and Winter, Yoad},
  booktitle = {Proceedings of the 4th Natural Logic Meets Machine Learning Workshop},
  pages = {12--24},
  year = {2023}
}
"""


def _features() -> list[datasets.Features]:
    """Labels and groups may be strings or integers each; strings come first, for "0" would pass as an integer."""
    return [
        datasets.Features(
            {
                "predictions": datasets.Value(label),
                "references": datasets.Value(label),
                "groups": datasets.Value(group),
            }
        )
        for label in ("string", "int64")
        for group in ("string", "int64")
    ]


class PatternAccuracy(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Sample accuracy, pattern accuracy and what is read from them."""

    _seen: tuple[Column, Column, Column] | None = None  # the first rows added: later ones must be of their kind
    _n_rows = 0

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=_features(),
            reference_urls=["https://arxiv.org/abs/2510.24295", "https://aclanthology.org/2023.naloma-1.2"],
        )

    def add(self, *, prediction: object = None, reference: object = None, **columns: object) -> None:
        """Add one row; the group is given as `groups`, as `evaluate` spells it.

        Raises:
            ValueError: on a bad value, naming argument and value.
        """
        row = {"predictions": prediction, "references": reference, **columns}
        self.add_batch(**{name: None if value is None else [value] for name, value in row.items()})

    def add_batch(self, *, predictions: object = None, references: object = None, **columns: object) -> None:
        """Add several rows.

        `evaluate` would cut 0.7 to 0 and take "0" for 0 without a word: nothing that is not a label gets there.

        Raises:
            ValueError: on bad input, naming argument, position and value.
        """
        unknown = sorted(columns.keys() - {"groups"})
        if unknown:
            raise ValueError(f"{unknown[0]} is an argument of compute: a row has a prediction, a reference and groups")
        batch = label_columns(predictions=predictions, references=references, groups=columns.get("groups"))
        if self._seen is not None:
            for name, new, old in zip(("predictions", "references", "groups"), batch, self._seen, strict=True):
                check_same_kind(name, new, f"{name} before", old)
        super().add_batch(predictions=batch[0], references=batch[1], groups=batch[2])
        self._seen = self._seen or batch
        self._n_rows += len(batch[0])

    def compute(
        self,
        *,
        predictions: object = None,
        references: object = None,
        groups: object = None,
        thresholds: object = QUALITY_THRESHOLD,
        seed_predictions: object = None,
        seed_references: object = None,
        subsamples: object = None,
        categories: object = None,
        against: str = "gold",
    ) -> Scores | None:
        """Compute the scores of the rows given here, or of those added before.

        Raises:
            ValueError: on bad input, naming argument, position and value. Rows added before stay.
        """
        columns = None
        if self._n_rows == 0 or any(column is not None for column in (predictions, references, groups)):
            columns = label_columns(predictions=predictions, references=references, groups=groups)
        options = read_options(
            self._n_rows + (len(columns[0]) if columns else 0),
            thresholds=thresholds,
            seed_predictions=seed_predictions,
            seed_references=seed_references,
            subsamples=subsamples,
            categories=categories,
            against=against,
        )
        if columns and self._n_rows == 0 and self.num_process == 1:
            return score(*columns, options)  # all is here: evaluate's way through a file would take fifty times as long
        rows = dict(zip(("predictions", "references", "groups"), columns or (None, None, None), strict=True))
        outcome: Scores | ValueError | None = super().compute(**rows, options=options)
        self._seen, self._n_rows = None, 0
        if isinstance(outcome, ValueError):
            raise outcome
        return outcome

    def _compute(self, predictions: Any, references: Any, groups: Any, options: Options) -> Scores | ValueError:  # noqa: ANN401
        try:
            return score(*label_columns(predictions=predictions, references=references, groups=groups), options)
        except ValueError as error:
            return error  # raised in compute, after evaluate has cleared its files and locks
