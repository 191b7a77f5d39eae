"""Compare data sets that differ in their filters, on the same seeds (section 5.4 and Figure 8 of the paper)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.base.option import described
from merge_snli.base.table import count
from merge_snli.comparison.curves import averaged
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset, on_common_seeds
from merge_snli.dataset.record import generation_of
from merge_snli.problems.options import ProblemOptions
from merge_snli.results.grouping import ModelKey, is_two_way, model_key
from merge_snli.statistics import Family, compare_models

# Names of the sets of Figure 8, by the options `sides`, `filters` and `scramble`; plain is the paper's ALL.
SET_NAMES: Mapping[tuple[str, tuple[str, ...], bool], str] = {
    ("intersection", ("prob", "pos"), False): "plain",
    ("union", ("prob", "pos"), False): "P∪H",
    ("intersection", ("pos",), False): "pos",
    ("intersection", ("prob",), False): "prob",
    ("intersection", (), False): "none",
    ("intersection", ("prob", "pos"), True): "scrambled",
}

# Options in which the sets of Figure 8 may differ; masked LMs, tagger and judgments are compared by their files.
MAY_DIFFER = frozenset(
    ("keep_column", "sides", "filters", "scramble", "mlm", "seeds_from", "judgments", "device", "title", "license")
).union(name for name, option in described(ProblemOptions) if not option.changes_rows)


@dataclass(frozen=True, kw_only=True)
class FilterSets:
    """The data sets side by side.

    Attributes:
        sets: The sets on the same seeds, in the order of Figure 8, then the others. Each has its `name` in Figure 8, or
            its title if its options are others or those of another of the sets, or if it differs from most of the sets
            in more than the options that Figure 8 compares; the `title` of the data set; the `digest` of the data; the
            `config`; the number of its variants, drawn or not, `generated`; and its `curve`, averaged over the models,
            with the number of distinct drawn variants.
        models: The models that were scored on all of them.
        models_left_out: The other models.
        seeds: Number of seeds of each set that all these models have predictions on in every set; the others are left
            out.
        coverage: The models that have fewer seeds than a set, with number and reason.
        tested_seeds: Number of seeds that have a value in every set.
        family: Paired permutation tests over seeds between any two sets, with p-values adjusted by Holm's method (the
            paper's are unpaired); None with fewer than two seeds.
        refused: The data sets on other seeds, each with what is different.
    """

    sets: tuple[JsonObject, ...]
    models: tuple[str, ...]
    models_left_out: tuple[str, ...]
    seeds: int
    coverage: tuple[str, ...]
    tested_seeds: int
    family: Family | None
    refused: tuple[str, ...]


def filter_sets(data: Sequence[ScoredDataset]) -> FilterSets:
    """Draw the PA curves of data sets on the same seeds, averaged over the same models, and test any two of them.

    If the data sets are on different seeds, the largest group on the same seeds is compared.

    Args:
        data: Data sets, each with its models.

    Raises:
        NotComputable: If no two data sets have the same seeds, or no model was scored on all that do.
    """
    chosen, others = _same_seeds([scored for scored in data if scored.data.has_seeds])
    if len(chosen) < 2:
        raise NotComputable(
            "Figure 8 needs two data sets on the same seeds: give --dataset of each, made with --seeds-from"
        )
    restricted = on_common_seeds(_with_common_models(chosen))
    named = sorted(zip(_names(restricted), restricted, strict=True), key=lambda pair: _rank(pair[0]))
    ids = restricted[0].ids
    sets = []
    coverage = []
    values = {}
    for name, scored in named:
        curve, of_seeds = averaged(scored)
        record = scored.record
        about: JsonObject = {"name": name, "title": record.title, "digest": record.digest, "config": record.config}
        sets.append({**about, "generated": len(scored.groups), "curve": curve})
        by_seed = dict(zip(scored.ids, of_seeds.tolist(), strict=True))
        values[name] = np.array([by_seed[seed] for seed in ids])
    for scored in restricted:
        coverage += [f"{scored.record.title}: {line}" for line in scored.coverage]
    complete = ~np.isnan(list(values.values())).any(axis=0)
    family = None
    if complete.sum() > 1:
        family = compare_models({name: column[complete] for name, column in values.items()})
    compared = _models_of(restricted[:1])
    return FilterSets(
        sets=tuple(sets),
        models=tuple(compared.values()),
        models_left_out=tuple(name for key, name in _models_of(chosen).items() if key not in compared),
        seeds=len(ids),
        coverage=tuple(coverage),
        tested_seeds=int(complete.sum()),
        family=family,
        refused=tuple(_refused(scored, chosen[0]) for scored in others),
    )


def _models_of(data: Sequence[ScoredDataset]) -> dict[ModelKey, str]:
    """Return the names of the models of some data sets."""
    names = {}
    for scored in data:
        for model in scored.models:
            names[model_key(model.result)] = model.name
    return names


def _same_seeds(data: Sequence[ScoredDataset]) -> tuple[list[ScoredDataset], list[ScoredDataset]]:
    """Return the largest group of data sets with the same seeds, the first one if several are, and the others.

    Two-way models are not averaged with the others: their data sets are a group of their own.
    """
    keys = [(is_two_way(scored.models[0].result), frozenset(_problems(scored).items())) for scored in data]
    largest = max(keys, key=keys.count, default=None)
    chosen: list[ScoredDataset] = []
    others: list[ScoredDataset] = []
    for key, scored in zip(keys, data, strict=True):
        (chosen if key == largest else others).append(scored)
    return chosen, others


def _with_common_models(data: Sequence[ScoredDataset]) -> list[ScoredDataset]:
    """Return the data sets with only the models that were scored on all of them.

    Raises:
        NotComputable: If there is no such model.
    """
    common = set(_models_of(data))
    for scored in data:
        common &= _models_of([scored]).keys()
    if not common:
        raise NotComputable(
            f"Figure 8 needs a model that was scored on all {len(data)} data sets on the same seeds: score the same "
            "models on each"
        )
    found = []
    for scored in data:
        models = tuple(model for model in scored.models if model_key(model.result) in common)
        found.append(replace(scored, models=models))
    return found


def _problems(scored: ScoredDataset) -> dict[str, tuple[str, ...]]:
    """Return premise, hypothesis and label of each seed by its id."""
    return dict(zip(scored.ids, scored.seeds, strict=True))


def _names(data: Sequence[ScoredDataset]) -> list[str]:
    """Return the name of each set: by its options, else by title, else by title and digest, whichever is unique."""
    inputs = [_other_inputs(scored) for scored in data]
    (most, number), *next_most = Counter(inputs).most_common(2)
    is_usual = not next_most or number > next_most[0][1]
    names = []
    titles = []
    full = []
    for scored, own_inputs in zip(data, inputs, strict=True):
        about = scored.record
        of_options = SET_NAMES.get(_options(scored)) if is_usual and own_inputs == most else None
        names.append(of_options or about.title)
        titles.append(about.title)
        full.append(f"{about.title} [{about.digest[:8]}], config {about.config}")
    for others in (titles, full):
        names = [name if names.count(name) == 1 else other for name, other in zip(names, others, strict=True)]
    return names


def _options(scored: ScoredDataset) -> tuple[str, tuple[str, ...], bool]:
    options: JsonObject = scored.data.stored.record.options
    filters = tuple(options.get("filters", ("prob", "pos")))
    return options.get("sides", "intersection"), filters, options.get("scramble", False)


def _other_inputs(scored: ScoredDataset) -> str:
    """Return a digest of what the rows depend on besides the problems and the options that Figure 8 compares."""
    record = scored.data.stored.record
    generation = generation_of(record)
    options = {name: value for name, value in record.options.items() if name not in MAY_DIFFER}
    masked_lms = sorted(model.digest for model in generation.masked_lms)
    inputs = [options, masked_lms, generation.tagger.digest]
    if generation.judgments is not None:
        inputs.append(generation.judgments.digest)
    return sha256_of_json(inputs)


def _rank(name: str) -> int:
    order = [*SET_NAMES.values()]
    return order.index(name) if name in order else len(order)


def _refused(scored: ScoredDataset, reference: ScoredDataset) -> str:
    own = _problems(scored)
    other = _problems(reference)
    differing = next((seed for seed in own | other if own.get(seed) != other.get(seed)), None)
    reason = f"seed {differing} is not the same as in the others, or one of them does not have it"
    if differing is None:
        reason = "its models answer with other labels than those of the others"
    sizes = f"{count(len(own), 'seed')}, the others have {len(other):,}"
    return f"{scored.record.title}, config {scored.record.config}, is not compared: {reason} ({sizes})"
