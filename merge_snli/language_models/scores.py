"""Score a language model's answers while a harness runs."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from merge_snli.language_models.questions import SUBSAMPLES
from merge_snli.scoring.answers import Answers
from merge_snli.scoring.data import ID_COLUMNS, Numbering
from merge_snli.scoring.statistics import clustered_error, passes_by_seed
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy


def accuracies(answers: Sequence[tuple[dict[str, Any], str | None]]) -> dict[str, float]:
    """Return SA on seeds, SA on rows, PA at the quality threshold, and standard errors clustered by group.

    What was not predicted, such as variants, is absent.

    Args:
        answers: Each use of a question, as in `merge_snli.language_models.questions.Question`, and the label that was
            answered; None if the answer cannot be read.
    """
    uses = [(use, answer == use["label"]) for use, answer in answers]
    rows = [(use, correct) for use, correct in uses if not use.keys().isdisjoint(ID_COLUMNS)]
    seeds = np.array([correct for use, correct in uses if use.keys().isdisjoint(ID_COLUMNS)], dtype=bool)
    values: dict[str, float] = {}
    if len(seeds):
        values["seed_sample_accuracy"] = float(seeds.mean())
        values["seed_sample_accuracy_stderr"] = clustered_error(seeds, np.ones(len(seeds)))
    if rows:
        groups = Numbering(str(use["seed_id"] if "seed_id" in use else use["group_id"]) for use, _ in rows)
        subsamples = [use.get(SUBSAMPLES, (0,)) for use, _ in rows]  # of data without subsamples one that has all rows
        predicted = Answers(
            labels=("wrong", "correct"),
            table=pa.table({}),
            group_ids=tuple(groups.index),
            groups=np.array(groups.numbers),
            gold=np.ones(len(rows), dtype=np.int64),
            predicted=np.array([correct for _, correct in rows], dtype=np.int64),
            subsamples=np.array(
                [[number in of_row for of_row in subsamples] for number in dict.fromkeys(chain(*subsamples))],
                dtype=bool,
            ).reshape(-1, len(rows)),
        )
        counts = predicted.counts()
        values["sample_accuracy"] = predicted.correct_rows() / len(rows)
        if counts.drawn.any():
            correct, sizes = counts.correct[:, counts.drawn], counts.sizes[:, counts.drawn]
            passes = passes_by_seed(correct, sizes)
            values["sample_accuracy"] = float((correct.sum(1) / sizes.sum(1)).mean())
            values["sample_accuracy_stderr"] = clustered_error(correct.sum(0), sizes.sum(0))
            values["pattern_accuracy"] = float(np.nanmean(pattern_accuracy(correct, sizes, QUALITY_THRESHOLD)[:, 0]))
            values["pattern_accuracy_stderr"] = clustered_error(passes, np.ones(passes.shape))
    return values
