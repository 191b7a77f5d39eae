"""A whole report, from the result files, the data sets and what the user said besides."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tests.merge_snli.scoring.independent import analyses
from tests.merge_snli.scoring.independent.data import Data, Json, read
from tests.merge_snli.scoring.independent.numbers import curve, distinct, family, mean_values
from tests.merge_snli.scoring.independent.regression import error_drivers, word_frequency

# The analyses of one data set that need nothing else.
OF_ONE: dict[str, Callable[[Data, Json], Json]] = {
    "table_3": analyses.table_3,
    "seeds_against_variants": analyses.seeds_against_variants,
    "model_curves": analyses.model_curves,
    "majority": analyses.majority,
    "classes": analyses.classes,
    "class_pairs": analyses.class_pairs,
    "fine_tuned": analyses.fine_tuned,
    "seed_correctness": analyses.seed_correctness,
    "hard_seeds": analyses.hard_seeds,
}

# The options `sides`, `filters` and `scramble` of the sets of Figure 8.
SETS = {
    "plain": ("intersection", {"prob", "pos"}, False),
    "P∪H": ("union", {"prob", "pos"}, False),
    "pos": ("intersection", {"pos"}, False),
    "prob": ("intersection", {"prob"}, False),
    "none": ("intersection", set(), False),
    "scrambled": ("intersection", {"prob", "pos"}, True),
}


def recompute(
    reported: Json,
    folders: Sequence[Path],
    results: Sequence[Path],
    *,
    words: Counter[str] | None = None,
    without: Collection[str] = (),
) -> Json:
    """Return every number of `report.json`, computed again.

    Args:
        reported: The report. Only what cannot be computed twice is taken from it: the p-values of random permutations
            where they are adjusted, the letters where they are checked, and the counterparts of models.
        folders: The data sets.
        results: Result files, in the order of the report.
        words: Counts of the words of the corpus.
        without: Ids of seeds that a part of the report leaves out.
    """
    numbers = _parts(reported, folders, results, words, ())
    if without:
        numbers["without_seeds"] = {
            "seeds": [*without],
            **_parts(reported["without_seeds"], folders, results, words, without),
        }
    return numbers


def _parts(
    reported: Json,
    folders: Sequence[Path],
    results: Sequence[Path],
    words: Counter[str] | None,
    without: Collection[str],
) -> Json:
    groups = [group for folder in folders for config in read(folder, results, without) for group in by_labels(config)]
    data_sets = []
    for group, part in zip(groups, reported["data_sets"], strict=True):
        one = group.without(group.lacking())
        record = next(iter(one.results.values()))["dataset"]
        data_sets.append(
            {
                "title": part["title"],
                "digest": record["digest"],
                "config": record["config"],
                "models": one.models,
                "analyses": {name: _analysis(name, one, part["analyses"][name], words) for name in part["analyses"]},
            }
        )
    across = {
        name: value if "not_computed" in value else filter_sets(groups, value)
        for name, value in reported["across_data_sets"].items()
    }
    return {"data_sets": data_sets, "across_data_sets": across}


def by_labels(data: Data) -> list[Data]:
    """Return the data with the three-way models, then with the two-way models, if there are such models."""
    three = [name for name in data.models if len(data.results[name]["compared_labels"]) == 3]
    two = [name for name in data.models if name not in three]
    return [_only(data, models) for models in (three, two) if models]


def _analysis(name: str, data: Data, reported: Json, words: Counter[str] | None) -> Json:
    """Recompute an analysis; a reason for which it was not computed is taken over, and listed by the test."""
    if "not_computed" in reported:
        return reported
    if name == "word_frequency" and words is not None:
        return word_frequency(data, words)
    if name == "error_drivers":
        return error_drivers(data, words, reported)
    assert name in OF_ONE, f"{name} is not computed independently"
    return OF_ONE[name](data, reported)


def filter_sets(data: Sequence[Data], reported: Json) -> Json:
    """Recompute Figure 8: the largest group of data sets on the same seeds, with the models that all have."""
    groups: dict[tuple[int, frozenset[tuple[str, ...]]], list[Data]] = {}
    for one in data:
        problems = one.seeds[["premise", "hypothesis", "gold"]].itertuples(name=None)
        n_labels = len(next(iter(one.results.values()))["compared_labels"])
        groups.setdefault((n_labels, frozenset(problems)), []).append(one)
    on_all_seeds = max(groups.values(), key=len)
    chosen = on_all_seeds
    models = [name for name in chosen[0].models if all(name in one.models for one in chosen)]
    everyone = dict.fromkeys(name for one in chosen for name in one.models)
    lacking = {seed for one in chosen for seed in _only(one, models).lacking()}
    chosen = [one.without(lacking) for one in chosen]
    by_name = {_set_name(one): one for one in chosen}
    order = sorted(by_name, key=lambda name: [*SETS, name].index(name))
    values = pd.DataFrame(
        {name: mean_values(_only(by_name[name], models)).reindex(chosen[0].seeds.index) for name in order}
    ).dropna()
    return {
        "sets": [_set(name, by_name[name], models) for name in order],
        "models": models,
        "models_left_out": [name for name in everyone if name not in models],
        "seeds": len(chosen[0].seeds),
        "tested_seeds": len(values),
        "family": family(values, reported["family"]) if len(values) > 1 else None,
        "refused": [
            next((said for said in reported["refused"] if said.startswith(_not_compared(one))), None)
            for one in data
            if not any(one is other for other in on_all_seeds)
        ],
    }


def _set_name(data: Data) -> str:
    options = data.record["options"]
    own = options["sides"], {*options["filters"]}, options["scramble"]
    return next(name for name, option in SETS.items() if option == own)


def _only(data: Data, models: Sequence[str]) -> Data:
    return replace(
        data,
        results={name: data.results[name] for name in models},
        answers=data.answers[list(models)],
        on_seeds=data.on_seeds[list(models)],
    )


def _identity(data: Data) -> Json:
    record = next(iter(data.results.values()))["dataset"]
    return {"title": record["title"], "digest": record["digest"], "config": record["config"]}


def _not_compared(data: Data) -> str:
    """Return how the sentence begins that says why a data set is not compared."""
    return "{title}, config {config}, is not compared: ".format(**_identity(data))


def _set(name: str, data: Data, models: Sequence[str]) -> Json:
    drawn = {model: data.drawn(model) for model in models}
    return {
        "name": name,
        **_identity(data),
        "generated": len(data.variants),
        "curve": curve(drawn, max(map(distinct, drawn.values()))),
    }
