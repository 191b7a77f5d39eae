"""The questions to ask a language model, the distinct sentence pairs of a part of a data set, and scores of answers."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from types import NoneType
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from merge_snli.answers.data import ID_COLUMNS, ScoredData
from merge_snli.answers.opening import open_config
from merge_snli.answers.part import part_of_data
from merge_snli.answers.sentences import Numbering
from merge_snli.base.arrays import Bools
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.dataset.stored import MergeDataset
from merge_snli.statistics import clustered_error, passes_by_seed
from metrics.pattern_accuracy.core import QUALITY_THRESHOLD, pattern_accuracy

Seeds: TypeAlias = Literal["with", "without", "only"]
SEEDS: tuple[Seeds, ...] = get_args(Seeds)

ALL_SUBSAMPLES = "all"
SUBSAMPLES = "subsamples"
# The columns of a row in the logs of a harness, if the data has them.
ROW_COLUMNS = ("variant_id", "word_class", "original", "replacement", "pair_id", "template", "hypothesis_template")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which part of a data set to ask.

    Attributes:
        config: `all` or a word class.
        subsample: Number of the subsample whose variants to ask, or `all` for every variant.
        seeds: `with` the seeds of the variants, `without` them, or `only` them.
        limit_seeds: Number of seeds, with their variants, as in `merge_snli.answers.part.part_of_data`; None for all.
        group_column: The column of the groups, for labeled pairs in a file or on the Hub; None for a data set that has
            groups of its own.
    """

    config: str = "all"
    subsample: int | str = 0
    seeds: Seeds = "with"
    limit_seeds: int | None = None
    group_column: str | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        if self.subsample != ALL_SUBSAMPLES and type(self.subsample) is not int:
            raise InputError(f"⟦subsample⟧ is {self.subsample!r}: give the number of a subsample, or {ALL_SUBSAMPLES}")
        if type(self.limit_seeds) not in (int, NoneType):
            raise InputError(f"⟦limit_seeds⟧ is {self.limit_seeds!r}: give the number of seeds")
        if self.seeds not in SEEDS:
            raise InputError(f"⟦seeds⟧ is {self.seeds!r}: choose one of {', '.join(SEEDS)}")

    def part_of(self, data: ScoredData) -> ScoredData:
        """Return the part of the whole data that has the questions; without subsamples, 0 is every row."""
        is_whole = self.subsample == ALL_SUBSAMPLES or (data.subsamples is None and self.subsample == 0)
        return part_of_data(
            data, limit_seeds=self.limit_seeds, subsample=None if is_whole else cast(int, self.subsample)
        )


@dataclass(frozen=True)
class Question:
    """A distinct sentence pair to ask.

    Attributes:
        premise: Premise.
        hypothesis: Hypothesis.
        uses: The seeds and rows that have this pair, mostly one: the id of the group, `label`, and for a row also
            `ROW_COLUMNS` and `subsamples`.
    """

    premise: str
    hypothesis: str
    uses: tuple[JsonObject, ...]

    @property
    def id(self) -> str:
        """The id of the first use, unique in a data set."""
        first = self.uses[0]
        return str(next(first[name] for name in (*ID_COLUMNS, "seed_id") if name in first))

    @property
    def label(self) -> str:
        """The gold label of the first use."""
        return str(self.uses[0]["label"])

    def metadata(self) -> JsonObject:
        """Return the first use, and any others as `also`, for the logs of a harness."""
        first, *others = self.uses
        return {**first, "also": others} if others else dict(first)


def uses_of(metadata: JsonObject) -> list[JsonObject]:
    """Return the uses of a question from its metadata in a log."""
    return [{name: value for name, value in metadata.items() if name != "also"}, *metadata.get("also", [])]


@dataclass(frozen=True)
class Questions:
    """The questions of a scope, and the data that they are from.

    Attributes:
        data: The whole data.
        scope: The part of it to ask.
        questions: The questions.
        name: The data as the user named it.
    """

    data: ScoredData
    scope: Scope
    questions: tuple[Question, ...]
    name: str

    @property
    def digest(self) -> str:
        """Digest of the data."""
        return self.data.digest if self.data.dataset is None else self.data.stored.digest

    @property
    def record(self) -> JsonObject:
        """What a log says about its questions, for `merge-snli import`."""
        record = {"dataset": self.digest, "name": self.name, **asdict(self.scope)}
        if self.data.subsamples is None:
            record["subsample"] = ALL_SUBSAMPLES
        return record


def open_whole(dataset: MergeDataset | str, scope: Scope) -> ScoredData:
    """Open the whole data that a scope is a part of."""
    return open_config(dataset, scope.config if scope.group_column is None else None, group_column=scope.group_column)


def read_questions(dataset: MergeDataset | str, scope: Scope) -> Questions:
    """Read the questions of a scope, each distinct pair once."""
    data = open_whole(dataset, scope)
    part = scope.part_of(data)
    if not part.has_seeds and scope.seeds == "only":
        raise InputError(f"⟦seeds⟧ is only, but the groups of {data.full_name} have no seeds")
    uses: list[tuple[int, JsonObject]] = []
    if part.seed_labels is not None and scope.seeds != "without":
        of_seeds = zip(part.group_ids, part.seed_pairs.tolist(), part.seed_labels.tolist(), strict=True)
        uses += [(pair, {"seed_id": name, "label": data.label_names[label]}) for name, pair, label in of_seeds]
    if scope.seeds != "only":
        uses += zip(part.row_pairs.tolist(), _row_uses(part), strict=True)
    questions = [Question(*part.pairs[pair], tuple(of_pair)) for pair, of_pair in sorted(grouped(uses).items())]
    return Questions(data, scope, tuple(questions), dataset if isinstance(dataset, str) else dataset.name)


def _row_uses(part: ScoredData) -> Iterator[JsonObject]:
    """Yield the use of each row; a row of a file has only an id."""
    if part.dataset is None:
        group_column = "group_id"
        columns = [{"pair_id": name} for name in part.row_ids.to_pylist()]
    else:
        group_column = part.group_column
        columns = part.table.select([name for name in ROW_COLUMNS if name in part.table.column_names]).to_pylist()
    rows = zip(part.row_groups.tolist(), part.row_labels.tolist(), columns, strict=True)
    first = part.subsample or 0  # a part has one subsample, or all of them
    for row, (group, label, values) in enumerate(rows):
        use = {group_column: part.group_ids[group], "label": part.label_names[label], **values}
        if part.subsamples is not None:
            use[SUBSAMPLES] = [first + int(number) for number in part.subsamples[:, row].nonzero()[0]]
        yield use


def accuracies(answers: Sequence[tuple[JsonObject, str | None]]) -> dict[str, float]:
    """Return SA on seeds, SA on rows, PA at the quality threshold, and standard errors clustered by group.

    What was not predicted, such as variants, is absent.

    Args:
        answers: Each use of a question, and the label that was answered; None if the answer cannot be read.
    """
    rows = []
    is_right = []
    seeds = []
    for use, answer in answers:
        is_correct = answer == use["label"]
        if use.keys().isdisjoint(ID_COLUMNS):
            seeds.append(is_correct)
        else:
            rows.append(use)
            is_right.append(is_correct)
    values: dict[str, float] = {}
    if seeds:
        values["seed_sample_accuracy"] = float(np.mean(seeds))
        values["seed_sample_accuracy_stderr"] = clustered_error(seeds, np.ones(len(seeds)))
    if rows:
        values |= _on_rows(rows, np.array(is_right))
    return values


def _on_rows(rows: Sequence[JsonObject], is_right: Bools) -> dict[str, float]:
    """Return SA on rows and PA with their errors; only SA on all rows if no subsample has one."""
    groups = Numbering(str(use.get("seed_id", use.get("group_id"))) for use in rows)
    of_rows = [use.get(SUBSAMPLES, (0,)) for use in rows]  # of data without subsamples one that has all rows
    correct = []
    sizes = []
    for subsample in dict.fromkeys(chain(*of_rows)):
        drawn = np.array([subsample in of_row for of_row in of_rows])
        correct.append(np.bincount(groups.numbers, drawn & is_right, len(groups.index)))
        sizes.append(np.bincount(groups.numbers, drawn, len(groups.index)))
    if not sizes:
        return {"sample_accuracy": float(is_right.mean())}
    is_asked = np.any(sizes, axis=0)
    right, asked = (np.array(counts, dtype=np.int64)[:, is_asked] for counts in (correct, sizes))
    accuracies = pattern_accuracy(right, asked, QUALITY_THRESHOLD)[:, 0]
    passes = passes_by_seed(right, asked)
    return {
        "sample_accuracy": float((right.sum(1) / asked.sum(1)).mean()),
        "sample_accuracy_stderr": clustered_error(right.sum(0), asked.sum(0)),
        "pattern_accuracy": float(np.nanmean(accuracies)),
        "pattern_accuracy_stderr": clustered_error(passes, np.ones(passes.shape)),
    }
