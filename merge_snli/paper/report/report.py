"""Run the analyses of data sets with results, and convert their values to JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pydantic_core

from merge_snli.base.files import JsonObject
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.table import count
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset, on_common_seeds, without_seeds
from merge_snli.paper.report.sections import ACROSS, SECTIONS, Section, Settings
from merge_snli.results.grouping import titles_of, two_way_suffix, without_permuted
from merge_snli.results.naming import safe_name

# Analyses with their values, or with the `NotComputable` that says why there is none.
Analyses: TypeAlias = tuple[tuple[Section, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """The analyses of one config of one data set, or those across data sets.

    Attributes:
        key: Prefix of the names of its files.
        title: Heading.
        scored: The data set and the predictions; several for the analyses across data sets.
        analyses: The analyses, in the order of the page.
    """

    key: str
    title: str
    scored: tuple[ScoredDataset, ...]
    analyses: Analyses

    @property
    def of_one_data_set(self) -> bool:
        """Whether the chapter is about one data set, not about what differs between them."""
        return self.analyses[0][0] in SECTIONS

    def as_dict(self) -> JsonObject:
        """Return the values as JSON values, by name of the analysis."""
        return {section.name: json_value(value) for section, value in self.analyses}


@dataclass(frozen=True, kw_only=True)
class Report:
    """All analyses.

    Attributes:
        data_sets: The analyses of each config of each data set.
        across_data_sets: The analyses across data sets.
        without_seeds: The same without the seeds that the user judged mislabeled; None if no seed was named.
        left_out: Ids of the seeds that this report leaves out.
    """

    data_sets: tuple[Chapter, ...]
    across_data_sets: Chapter
    without_seeds: Report | None = None
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the titles of the chapters in one line."""
        return f"<Report: {', '.join(chapter.title for chapter in self.chapters)}>"

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """All chapters, in the order of the page."""
        more = () if self.without_seeds is None else self.without_seeds.chapters
        return (*self.data_sets, self.across_data_sets, *more)

    def as_dict(self) -> JsonObject:
        """Return every number as JSON values; numbers that are not finite become null."""
        data_sets = []
        for chapter in self.data_sets:
            (scored,) = chapter.scored
            about = {
                "title": chapter.title,
                "digest": scored.record.digest,
                "config": scored.record.config,
                "models": [model.name for model in scored.models],
                "not_compared": dict(scored.apart),
                "analyses": chapter.as_dict(),
            }
            data_sets.append(about)
        numbers: JsonObject = {"data_sets": data_sets, "across_data_sets": self.across_data_sets.as_dict()}
        if self.without_seeds is not None:
            numbers["without_seeds"] = {"seeds": [*self.without_seeds.left_out], **self.without_seeds.as_dict()}
        return numbers


def make_report(
    scored: Sequence[ScoredDataset], settings: Settings, progress: Progress, *, leave_out: tuple[str, ...] = ()
) -> Report:
    """Run every analysis on every data set, and those across data sets, on the seeds that all compared models have.

    Args:
        scored: Data sets with results, at least one.
        settings: What some analyses need besides.
        progress: Where to report the progress.
        leave_out: Ids of seeds; if any, every analysis runs again without them.

    Raises:
        InputError: If a model has no other seed, or the models of a data set have no seed in common.
    """
    total = len(scored) * len(SECTIONS) + len(ACROSS)
    smaller = []
    if leave_out:
        total *= 2
        smaller = [without_seeds(dataset, leave_out) for dataset in scored]
    with progress.stage("analyses", unit="analyses", total=total) as stage:
        whole = _analyses(scored, settings, stage)
        if not leave_out:
            return whole
        suffix = f", without {count(len(leave_out), 'seed')}"
        rest = _analyses(smaller, settings, stage, suffix=suffix)
        return replace(whole, without_seeds=replace(rest, left_out=leave_out))


def _analyses(scored: Sequence[ScoredDataset], settings: Settings, stage: Stage, *, suffix: str = "") -> Report:
    end = "-without-seeds" if suffix else ""
    common = [on_common_seeds([dataset])[0] for dataset in scored]
    chapters = []
    for title, dataset in zip(titles_of([dataset.record for dataset in scored]), common, strict=True):
        labels = two_way_suffix(dataset.models[0].result)
        data = dataset.record
        key = f"{safe_name(data.name)}-{data.digest[:8]}-{data.config}"
        if labels:
            key += "-two-way"
        analyses = _computed(SECTIONS, (dataset,), settings, stage)
        chapters.append(
            Chapter(key=f"{key}{end}", title=f"{title}{labels}{suffix}", scored=(dataset,), analyses=analyses)
        )
    across = Chapter(
        key=f"across-data-sets{end}",
        title=f"Across data sets{suffix}",
        scored=tuple(scored),
        analyses=_computed(ACROSS, scored, settings, stage),
    )
    return Report(data_sets=tuple(chapters), across_data_sets=across)


def _computed(
    sections: Sequence[Section], scored: Sequence[ScoredDataset], settings: Settings, stage: Stage
) -> Analyses:
    """Return the value of each analysis, or why it cannot be computed."""
    averaged = [_averaged(dataset) for dataset in scored]
    analyses: list[tuple[Section, Any]] = []
    for section in sections:
        try:
            value = section.compute(scored if section.all_models else averaged, settings)
        except NotComputable as reason:
            value = reason
        analyses.append((section, value))
        stage.advance(1)
    return tuple(analyses)


def _averaged(scored: ScoredDataset) -> ScoredDataset:
    """Return a data set with the models that means over models are of."""
    kept = {id(result) for result in without_permuted([model.result for model in scored.models])}
    return replace(scored, models=tuple(model for model in scored.models if id(model.result) in kept))


def json_value(value: Any) -> Any:  # noqa: ANN401 - the value of any analysis
    """Convert the value of an analysis to JSON values.

    Examples:
        >>> json_value({"mean": float("nan"), "n": (1, 2)})
        {'mean': None, 'n': [1, 2]}
    """
    if isinstance(value, NotComputable):
        return {"not_computed": str(value)}
    return pydantic_core.to_jsonable_python(value, inf_nan_mode="null")
