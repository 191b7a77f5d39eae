"""The questions to ask a language model: the distinct sentence pairs of a part of a data set."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from merge_snli.base.arrays import Bools
from merge_snli.base.errors import InputError, param
from merge_snli.dataset.stored import MergeDataset
from merge_snli.scoring.data import ScoredData, by_digest
from merge_snli.scoring.opening import open_config

Seeds: TypeAlias = Literal["with", "without", "only"]
SEEDS: tuple[Seeds, ...] = get_args(Seeds)

ALL_SUBSAMPLES = "all"
SUBSAMPLES = "subsamples"
# The columns of a row in the logs of a harness, if the data has them.
ROW_COLUMNS = ("variant_id", "word_class", "original", "replacement", "pair_id", "template", "hypothesis_template")
ID_COLUMNS = ("variant_id", "pair_id", "seed_id")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which part of a data set to ask.

    Attributes:
        config: `all` or a word class.
        subsample: Number of the subsample whose variants to ask, or `all` for every variant.
        seeds: `with` the seeds of the variants, `without` them, or `only` them.
        limit_seeds: Number of seeds, with their variants; None for all. They are those with the smallest digests of
            their ids, so that they do not depend on the order of the data set.
        group_column: The column of the groups, for labeled pairs in a file or on the Hub; None for a data set that has
            groups of its own.
    """

    config: str = "all"
    subsample: int | str = 0
    seeds: Seeds = "with"
    limit_seeds: int | None = None
    group_column: str | None = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InputError: If one is invalid.
        """
        number = self.subsample
        if number != ALL_SUBSAMPLES and (not isinstance(number, int) or isinstance(number, bool) or number < 0):
            raise InputError(f"{param('subsample')} is {number!r}: give the number of a subsample, or {ALL_SUBSAMPLES}")
        if self.seeds not in SEEDS:
            raise InputError(f"{param('seeds')} is {self.seeds!r}: choose one of {', '.join(SEEDS)}")
        limit = self.limit_seeds
        if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
            raise InputError(f"{param('limit_seeds')} is {limit!r}: give the number of seeds, at least 1")


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
    uses: tuple[dict[str, Any], ...]

    @property
    def id(self) -> str:
        """The id of the first use, unique in a data set."""
        first = self.uses[0]
        return str(next(first[name] for name in ID_COLUMNS if name in first))

    @property
    def label(self) -> str:
        """The gold label of the first use."""
        return str(self.uses[0]["label"])

    def metadata(self) -> dict[str, Any]:
        """Return the first use, and any others as `also`, for the logs of a harness."""
        first, *others = self.uses
        return {**first, **({"also": others} if others else {})}


def uses_of(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the uses of a question from its metadata in a log."""
    return [{name: value for name, value in metadata.items() if name != "also"}, *metadata.get("also", [])]


@dataclass(frozen=True)
class Questions:
    """The questions of a scope, and the data that they are from.

    Attributes:
        data: The data.
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
    def record(self) -> dict[str, Any]:
        """What a log says about its questions, for `merge-snli import`."""
        scope = asdict(self.scope) | ({"subsample": ALL_SUBSAMPLES} if self.data.subsamples is None else {})
        return {"dataset": self.digest, "name": self.name, **scope}


def open_asked(dataset: MergeDataset | str, scope: Scope) -> ScoredData:
    """Open the whole data that a scope is a part of.

    Raises:
        InputError: If it cannot be read, or does not have what the scope names.
    """
    config = scope.config if scope.group_column is None else None
    return open_config(dataset, config, group_column=scope.group_column)


def read_questions(dataset: MergeDataset | str, scope: Scope) -> Questions:
    """Read the questions of a scope, each distinct pair once.

    Raises:
        InputError: If the data set does not have what the scope names.
    """
    data = open_asked(dataset, scope)
    _check_scope(scope, data)
    groups = np.ones(len(data.group_ids), dtype=bool)
    if scope.limit_seeds is not None:
        groups = np.isin(np.arange(len(groups)), by_digest(data.group_ids)[: scope.limit_seeds])
    rows = groups[data.row_groups] & (scope.seeds != "only")
    if data.subsamples is not None and isinstance(scope.subsample, int):
        rows &= data.subsamples[scope.subsample]
    uses: dict[int, list[dict[str, Any]]] = {}
    seed_uses = () if scope.seeds == "without" else _seed_uses(data, groups)
    for pair, use in chain(seed_uses, _row_uses(data, rows, scope.subsample)):
        uses.setdefault(pair, []).append(use)
    questions = tuple(Question(*data.pairs[pair], tuple(uses[pair])) for pair in sorted(uses))
    return Questions(data, scope, questions, dataset if isinstance(dataset, str) else dataset.name)


def _check_scope(scope: Scope, data: ScoredData) -> None:
    """Check that the data has what a scope names."""
    if scope.limit_seeds is not None and scope.limit_seeds > len(data.group_ids):
        raise InputError(
            f"{param('limit_seeds')} is {scope.limit_seeds}, but {data.full_name} has {len(data.group_ids)} "
            f"{data.units[0]}s"
        )
    if data.seeds is None and scope.seeds == "only":
        raise InputError(f"{param('seeds')} is only, but the groups of {data.full_name} have no seeds")
    if data.subsamples is None and scope.subsample not in (0, ALL_SUBSAMPLES):
        raise InputError(f"{param('subsample')} is {scope.subsample}, but {data.full_name} has no subsamples")
    if data.subsamples is not None and isinstance(scope.subsample, int) and scope.subsample >= len(data.subsamples):
        raise InputError(
            f"{param('subsample')} is {scope.subsample}, but {data.name} has subsamples 0 to {len(data.subsamples) - 1}"
        )


def _seed_uses(data: ScoredData, groups: Bools) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the index of the pair, and the use, of the seed of each group, if the data has seeds."""
    if data.seeds is not None:
        for seed in np.flatnonzero(groups).tolist():
            label = data.label_names[data.seeds.labels[seed]]
            yield int(data.seeds.pairs[seed]), {"seed_id": data.group_ids[seed], "label": label}


def _row_uses(data: ScoredData, rows: Bools, subsample: int | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the index of the pair, and the use, of each row."""
    if not rows.any():
        return
    columns = _row_columns(data)
    asked = (
        range(0 if data.subsamples is None else len(data.subsamples)) if isinstance(subsample, str) else (subsample,)
    )
    for row in np.flatnonzero(rows).tolist():
        use = {
            "group_id" if data.dataset is None else data.group_column: data.group_ids[data.row_groups[row]],
            "label": data.label_names[data.row_labels[row]],
            **columns[row],
        }
        if data.subsamples is not None:
            use[SUBSAMPLES] = [number for number in asked if data.subsamples[number, row]]
        yield int(data.row_pairs[row]), use


def _row_columns(data: ScoredData) -> list[dict[str, Any]]:
    """Return the values of `ROW_COLUMNS` of each row; only an id of rows in a file."""
    if data.dataset is None:
        return [{"pair_id": name} for name in data.row_ids.to_pylist()]
    return list(data.table.select([name for name in ROW_COLUMNS if name in data.table.column_names]).to_pylist())
