"""The questions to ask a language model: the distinct sentence pairs of a part of a data set."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from merge_snli.dataset import read_split
from merge_snli.errors import InputError, param
from scoring.predictions.pairs import read_config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from merge_snli.dataset import MergeDataset
    from scoring.predictions.pairs import ScoredConfig

    Bools: TypeAlias = NDArray[np.bool_]

ALL_SUBSAMPLES = "all"
Seeds: TypeAlias = Literal["with", "without", "only"]
SEEDS = ("with", "without", "only")


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which part of a data set to ask.

    Attributes:
        config: `all` or a word class.
        subsample: Number of the subsample whose variants to ask, or `all` for every variant.
        seeds: `with` the seeds of the variants, `without` them, or `only` them.
        limit_seeds: Number of seeds, with their variants; None for all. They are those with the smallest digests of
            their ids, so that they do not depend on the order of the data set.
    """

    config: str = "all"
    subsample: int | str = 0
    seeds: Seeds = "with"
    limit_seeds: int | None = None

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

    def as_dict(self) -> dict[str, Any]:
        """Return the scope as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class InScope:
    """The part of a config that a scope names.

    Attributes:
        seeds: Whether each seed is asked, or has variants that are, [n_seeds].
        variants: Whether each variant is asked, [n_variants].
        subsamples: Numbers of the subsamples that are asked.
        ask_seeds: Whether the seeds themselves are asked.
    """

    seeds: Bools
    variants: Bools
    subsamples: tuple[int, ...]
    ask_seeds: bool


@dataclass(frozen=True)
class Question:
    """A distinct sentence pair to ask.

    Attributes:
        pair: Index into `ScoredConfig.pairs`.
        premise: Premise.
        hypothesis: Hypothesis.
        uses: The seeds and variants that have this pair, mostly one: `seed_id`, `label`, and for a variant also
            `variant_id`, `word_class`, `original`, `replacement` and `subsamples`.
    """

    pair: int
    premise: str
    hypothesis: str
    uses: tuple[dict[str, Any], ...]

    @property
    def id(self) -> str:
        """The id of the first use, unique in a data set."""
        return str(self.uses[0].get("variant_id", self.uses[0]["seed_id"]))

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


def in_scope(data: ScoredConfig, scope: Scope) -> InScope:
    """Find the seeds and variants that a scope names.

    Raises:
        InputError: If the config has no such subsample, or fewer seeds than `limit_seeds`.
    """
    seeds = np.ones(len(data.seed_ids), dtype=bool)
    if scope.limit_seeds is not None:
        if scope.limit_seeds > len(seeds):
            raise InputError(
                f"{param('limit_seeds')} is {scope.limit_seeds}, but config {data.config} has {len(seeds)} seeds"
            )
        digests = [hashlib.sha256(seed_id.encode()).digest() for seed_id in data.seed_ids]
        seeds[:] = False
        seeds[sorted(range(len(seeds)), key=digests.__getitem__)[: scope.limit_seeds]] = True
    count = len(data.in_subsample)
    if isinstance(scope.subsample, int) and scope.subsample >= count:
        raise InputError(
            f"{param('subsample')} is {scope.subsample}, but {data.dataset.name} has subsamples 0 to {count - 1}"
        )
    variants = seeds[data.variant_seeds] & (scope.seeds != "only")
    subsamples = tuple(range(count)) if isinstance(scope.subsample, str) else (scope.subsample,)
    if isinstance(scope.subsample, int):
        variants &= data.in_subsample[scope.subsample]
    return InScope(seeds, variants, subsamples, scope.seeds != "without")


def pairs_in_scope(data: ScoredConfig, part: InScope) -> NDArray[np.int64]:
    """Return the indices into `data.pairs` of the distinct pairs to ask, in their order."""
    seeds = data.seed_pairs[part.seeds] if part.ask_seeds else np.empty(0, dtype=np.int64)
    return np.unique(np.concatenate([seeds, data.variant_pairs[part.variants]]))


@dataclass(frozen=True)
class Questions:
    """The questions of a scope, and the data that they are from."""

    data: ScoredConfig
    scope: Scope
    questions: tuple[Question, ...]

    @property
    def record(self) -> dict[str, Any]:
        """What a log says about its questions, for `merge-snli import`."""
        return {"dataset": self.data.dataset.digest, "name": self.data.dataset.name, **self.scope.as_dict()}


def read_questions(dataset: MergeDataset, scope: Scope) -> Questions:
    """Read the questions of a scope, each distinct pair once.

    Raises:
        InputError: If the data set does not have what the scope names.
    """
    data = read_config(dataset, scope.config)
    part = in_scope(data, scope)
    uses: dict[int, list[dict[str, Any]]] = {int(pair): [] for pair in pairs_in_scope(data, part)}
    for pair, use in _uses(data, part):
        uses[pair].append(use)
    return Questions(
        data,
        scope,
        tuple(Question(pair, *data.pairs[pair], tuple(each)) for pair, each in uses.items()),
    )


def _uses(data: ScoredConfig, part: InScope) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the index of the pair, and the use, of each seed and each variant in scope."""
    labels = [data.label_names[number] for number in data.seed_labels]
    if part.ask_seeds:
        for seed in np.flatnonzero(part.seeds).tolist():
            yield int(data.seed_pairs[seed]), {"seed_id": data.seed_ids[seed], "label": labels[seed]}
    columns = ["variant_id", "word_class", "original", "replacement"]
    rows = read_split(data.dataset, data.config).select(columns).to_pylist() if part.variants.any() else []
    for variant in np.flatnonzero(part.variants).tolist():
        seed = int(data.variant_seeds[variant])
        drawn = [number for number in part.subsamples if data.in_subsample[number, variant]]
        use = {"seed_id": data.seed_ids[seed], "label": labels[seed], **rows[variant], "subsamples": drawn}
        yield int(data.variant_pairs[variant]), use
