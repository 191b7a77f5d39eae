"""Read a data set and the predictions of its models as pandas frames, one row per variant."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeAlias

import pandas as pd

Json = dict[str, Any]
# A pandas data frame.
Frame: TypeAlias = Any
# A pandas series.
Series: TypeAlias = Any


@dataclass(frozen=True)
class Data:
    """One config of a data set.

    Attributes:
        record: The content of `run.json`.
        config: The config.
        seeds: One row per seed, by id, in the order of the variants: premise, hypothesis, gold and copied columns.
        variants: One row per variant: seed, word_class, original, replacement, log_odds, masked_lms (a set).
        subsamples: One row per subsample: variant and subsample.
        results: The result file of each model, by name.
        answers: Predicted label of each model on each variant, a column per model; missing if it was left out.
        on_seeds: Predicted label of each model on each seed, a column per model.
        removed: The same of the seeds that were left out, with their gold label.
    """

    record: Json
    config: str
    seeds: Frame
    variants: Frame
    subsamples: Frame
    results: dict[str, Json]
    answers: Frame
    on_seeds: Frame
    removed: Frame

    def without(self, ids: Collection[str]) -> Self:
        """Return the data without some seeds."""
        kept = ~self.variants["seed"].isin(ids)
        return replace(
            self,
            seeds=self.seeds[~self.seeds.index.isin(ids)],
            variants=self.variants[kept],
            subsamples=self.subsamples[self.subsamples["variant"].isin(self.variants.index[kept])],
            answers=self.answers[kept],
            on_seeds=self.on_seeds[~self.on_seeds.index.isin(ids)],
        )

    def lacking(self) -> set[str]:
        """Return the seeds that some model has no prediction on."""
        return {*self.on_seeds.index[self.on_seeds.isna().any(axis=1)]}

    @property
    def models(self) -> list[str]:
        return list(self.results)

    def compared(self, label: str, model: str) -> str:
        """Return a label in the labels in which a model is compared."""
        return label if label in self.results[model]["compared_labels"] else "not_entailment"

    def gold(self, model: str) -> Series:
        """Return the gold label of each seed as it is compared with the model's predictions."""
        return self.seeds["gold"].map(lambda label: self.compared(label, model))

    def right(self, model: str) -> Series:
        """Return whether the model is right on each variant."""
        return self.answers[model] == self.variants["seed"].map(self.gold(model))

    def drawn(self, model: str, mask: Series = None, right: Series = None) -> Frame:
        """Return one row per subsample that the model has a prediction on: variant, subsample, seed and right.

        Args:
            model: The model.
            mask: Whether each variant counts; by default all.
            right: Whether the model counts as right on each variant; by default its own.
        """
        right = self.right(model) if right is None else right
        chosen = self.answers[model].notna() if mask is None else self.answers[model].notna() & mask
        rows = self.variants.assign(right=right)[chosen][["seed", "right"]]
        return self.subsamples.join(rows, on="variant", how="inner")


def read(folder: Path, results: Sequence[Path], without: Collection[str] = ()) -> list[Data]:
    """Read each config of a data set that has results, `all` first.

    Args:
        folder: Folder of the data set.
        results: Result files, in the order of the report.
        without: Ids of seeds to leave out.
    """
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    contents = [
        json.loads(path.read_text(encoding="utf-8")) | {"table": pd.read_parquet(path.with_suffix(".parquet"))}
        for path in results
    ]
    own = [value for value in contents if value["dataset"]["digest"] == record["data"]["digest"]]
    configs = {value["dataset"]["config"] for value in own}
    return [
        _config(folder, record, config, [value for value in own if value["dataset"]["config"] == config], {*without})
        for config in ("all", "noun", "verb", "adj", "adv")
        if config in configs
    ]


def _config(folder: Path, record: Json, config: str, results: Sequence[Json], without: set[str]) -> Data:
    rows = pd.read_parquet(folder / f"data/{config}/test.parquet")
    names = _names(results)
    gold = rows["label"].map(dict(enumerate(results[0]["dataset"]["labels"])))
    known = {"variant_id", "seed_id", "premise", "hypothesis", "label", "seed_premise", "seed_hypothesis"}
    known |= {"word_class", "original", "replacement", "premise_mlms", "hypothesis_mlms", "log_odds", "subsamples"}
    variants = rows.rename(columns={"seed_id": "seed"})[["seed", "word_class", "original", "replacement", "log_odds"]]
    masked_lms = [{*one, *other} for one, other in zip(rows["premise_mlms"], rows["hypothesis_mlms"], strict=True)]
    variants = variants.assign(masked_lms=pd.Series(masked_lms, index=rows.index))
    seeds = rows.assign(gold=gold).groupby("seed_id", sort=False).first()
    seeds = seeds.drop(columns=["premise", "hypothesis"]).rename(
        columns={"seed_premise": "premise", "seed_hypothesis": "hypothesis"}
    )
    seeds = seeds[["premise", "hypothesis", "gold", *(name for name in rows if name not in known)]]
    answers, on_seeds = pd.DataFrame(index=rows.index), pd.DataFrame(index=seeds.index)
    for name, result in zip(names, results, strict=True):
        given = result.pop("table").set_index("row_id")
        answers[name] = rows["variant_id"].map(given["answer"][~given["is_seed"]]).astype(object)
        on_seeds[name] = given["answer"][given["is_seed"]]
    subsamples = rows["subsamples"].explode().dropna().rename("subsample").rename_axis("variant").reset_index()
    kept = ~variants["seed"].isin(without)
    return Data(
        record=record,
        config=config,
        seeds=seeds[~seeds.index.isin(without)],
        variants=variants[kept],
        subsamples=subsamples[subsamples["variant"].isin(variants.index[kept])].astype(int),
        results=dict(zip(names, results, strict=True)),
        answers=answers[kept],
        on_seeds=on_seeds[~on_seeds.index.isin(without)],
        removed=on_seeds.assign(gold=seeds["gold"])[on_seeds.index.isin(without)],
    )


def _names(results: Sequence[Json]) -> list[str]:
    """Return the names of the models in tables: with the dtype, unless it is float32 or that of a function."""
    dtypes = [result["run"]["dtype"] for result in results]
    return [
        result["model"]["name"] if dtype in (None, "float32") else f"{result['model']['name']} ({dtype})"
        for result, dtype in zip(results, dtypes, strict=True)
    ]
