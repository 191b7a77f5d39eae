"""The options of `score`, spelled the same in Python, on the command line and for the tasks of a cluster."""

from dataclasses import dataclass
from typing import Any

from merge_snli.models.options import ModelOptions, scoring_option

# Headings of options in `--help`. Python alone has those of loaded models and functions.
DATA, SOURCE, IN_PYTHON = "data", "source of the data set, and how to read it or pairs in groups", "in Python"


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(ModelOptions):
    """Options of `score`, in addition to those of `ModelOptions`; each field describes itself.

    `source` is a file or Hub id, `recorded`, or `merge_snli.problems.options.ProblemOptions`. On a part of the data,
    that is, with `limit_seeds`, `subsample` or `min_agreement`, the result is marked as partial and never compared with
    one on the whole.
    """

    config: str | None = scoring_option(
        None,
        "config of the data set: all (default), noun, verb, adj or adv of a MERGE data set; of Simple Pair and "
        "Extended Pair, every config by default",
        group=DATA,
        metavar="CONFIG",
    )
    group_column: str | None = scoring_option(
        None,
        "score any labeled pairs in groups, such as HANS or contrast sets: the column of the groups. Simple Pair and "
        "Extended Pair need none",
        group=DATA,
        metavar="COLUMN",
    )
    by: tuple[str, ...] = scoring_option(
        (),
        "also score the pairs with each value of a column, or of two columns joined as A+B; only for pairs in groups",
        group=DATA,
        metavar="COLUMN",
        shown_default="for Simple Pair and Extended Pair, their templates",
    )
    limit_seeds: int | None = scoring_option(
        None,
        "score N seeds and their variants only, for a quick trial; the result is marked as partial",
        group=DATA,
        metavar="N",
        minimum=1,
    )
    subsample: int | None = scoring_option(
        None, "score the variants of subsample K only; marked as partial", group=DATA, metavar="K", minimum=0
    )
    drawn: bool = scoring_option(
        False,
        "score only the variants that a subsample drew, not all of split test; the scores printed are the same",
        group=DATA,
    )
    min_agreement: float | None = scoring_option(
        None,
        "leave out seeds to which fewer annotators gave the gold label, such as 4/5; marked as partial",
        group=DATA,
        metavar="K/N",
        minimum=0,
        maximum=1,
    )
    source: Any = scoring_option(  # noqa: RUF009 - a field
        None,
        "also score every labeled problem of the data that the data set was generated from (Table 3, column 1): "
        "recorded for those in its run.json, or a file, folder or Hub id that has its seeds",
        group=SOURCE,
        metavar="FILE|ID|recorded",
    )
    name: str | None = scoring_option(None, "the name to report for a folder, pipeline or function", group=IN_PYTHON)
    version: str | None = scoring_option(
        None, "version of a function, whose answers are then cached, so that a run resumes", group=IN_PYTHON
    )
