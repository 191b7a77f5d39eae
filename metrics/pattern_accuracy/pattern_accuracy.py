"""Pattern accuracy as an `evaluate` module: a thin class around the functions in this folder.

`evaluate` copies only the sibling files that this file imports, so every file that is needed is imported here.
"""

from itertools import product
from typing import Any

import datasets
import evaluate

from .columns import Column, check_same_kind, label_columns
from .core import Scores, score
from .counts import QUALITY_THRESHOLD
from .options import MetricOptions, read_options

_NAMES = ("predictions", "references", "groups")

_DESCRIPTION = """\
Pattern accuracy PA(t) is the share of groups (seed problems, patterns, contrast sets) in which at least the share t of
the rows is classified correctly. Sample accuracy SA is the share of rows classified correctly. With the model's
predictions on the seed problems, QT, MT and the drop are computed too. Scores are also available as mean and standard
deviation over subsamples, and per category.
"""

_INPUTS = """
Args:
    predictions: predicted labels, one per row, integers or strings.
    references: gold labels of the same type.
    groups: the group of each row, integers or strings.
    thresholds: a number from 0 to 1, several numbers, or "curve" for 0 to 1 in steps of 1%. Default: 0.9.
    seed_predictions: mapping from group to the predicted label of the seed problem.
    seed_references: mapping from group to the gold label of the seed problem.
    subsamples: a list of subsample indices (from 0) per row: the subsamples that contain it.
    categories: a label (or a list of labels) per row, or a mapping from a name to such a column.
    against: "gold", "seed" or "majority": what a prediction must agree with to be correct.

Returns:
    sample_accuracy: share of correct rows.
    pattern_accuracy: a number for a single threshold, otherwise a mapping from threshold to number.
    n_samples, n_groups: numbers of rows and groups.
    seed_sample_accuracy, qt, mt, drop: if seed predictions are given. For a drop, qt is negative and drop is positive.
    subsamples: mean, std and the value of each subsample, if subsamples are given.
    categories: all of the above for each category, if categories are given.

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


class PatternAccuracy(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Sample accuracy, pattern accuracy and the scores derived from them."""

    _seen: tuple[Column, Column, Column] | None = None  # the first rows added; later rows must have the same types
    _n_rows = 0

    def _info(self) -> evaluate.MetricInfo:
        # One schema per combination of strings and integers; strings first, since "0" would be cast to 0.
        features = []
        for label, group in product(("string", "int64"), repeat=2):
            types = zip(_NAMES, (label, label, group), strict=True)
            features.append(datasets.Features({name: datasets.Value(value) for name, value in types}))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=features,
            reference_urls=["https://arxiv.org/abs/2510.24295", "https://aclanthology.org/2023.naloma-1.2"],
        )

    def add(self, *, prediction: object = None, reference: object = None, **columns: object) -> None:
        """Add one row. The group is passed as `groups`, the name that `evaluate` uses for the column.

        Raises:
            ValueError: If a value is invalid; the message names the argument and the value.
        """
        row = {"predictions": prediction, "references": reference, **columns}
        self.add_batch(**{name: None if value is None else [value] for name, value in row.items()})

    def add_batch(self, *, predictions: object = None, references: object = None, **columns: object) -> None:
        """Add several rows.

        The rows are checked first, since `evaluate` would silently cast 0.7 and "0" to 0.

        Raises:
            ValueError: If the input is invalid; the message names the argument, the position and the value.
        """
        unknown = sorted(columns.keys() - {"groups"})
        if unknown:
            raise ValueError(f"unexpected argument {unknown[0]}: pass it to compute, not with the rows")
        batch = label_columns(predictions=predictions, references=references, groups=columns.get("groups"))
        if self._seen is not None:
            for name, new, old in zip(_NAMES, batch, self._seen, strict=True):
                check_same_kind(name, new, f"{name} added before", old)
        super().add_batch(**dict(zip(_NAMES, batch, strict=True)))
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
        """Compute the scores of all rows: those added before, then those given here.

        Raises:
            ValueError: If the input is invalid; the message names the argument, the position and the value. Rows
                added before are not lost.
        """
        columns = None
        given = {"predictions": predictions, "references": references, "groups": groups}
        if self._n_rows == 0 or any(column is not None for column in given.values()):
            columns = label_columns(**given)
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
            return score(*columns, options)  # all rows are here: skips evaluate's file, which is 50 times slower
        rows = dict(zip(_NAMES, columns or (None, None, None), strict=True))
        outcome: Scores | ValueError | None = super().compute(**rows, options=options)
        self._seen = None
        self._n_rows = 0
        if isinstance(outcome, ValueError):
            raise outcome
        return outcome

    def _compute(self, predictions: Any, references: Any, groups: Any, options: MetricOptions) -> Scores | ValueError:  # noqa: ANN401
        try:
            return score(*label_columns(predictions=predictions, references=references, groups=groups), options)
        except ValueError as error:
            return error  # raised in compute, after evaluate has cleared its files and locks
