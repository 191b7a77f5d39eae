"""List the analyses of the report in the order of the paper: how each is computed and shown."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.curves import model_curves
from merge_snli.comparison.scored_dataset import ScoredDataset
from merge_snli.comparison.testing import Significance
from merge_snli.comparison.word_classes import class_pairs, classes
from merge_snli.dataset.record import generation_of
from merge_snli.paper.error_drivers import error_drivers
from merge_snli.paper.filter_sets import filter_sets
from merge_snli.paper.fine_tuned import fine_tuned
from merge_snli.paper.hard_seeds import hard_seeds
from merge_snli.paper.majority import majority
from merge_snli.paper.report.artifact import Artifact
from merge_snli.paper.report.curve_artifacts import (
    class_pairs_artifact,
    classes_artifact,
    figure_4_artifact,
    figure_11_artifact,
    filter_sets_artifact,
    fine_tuned_artifact,
)
from merge_snli.paper.report.table_artifacts import (
    hard_seeds_artifact,
    majority_artifact,
    seed_correctness_artifact,
    seeds_against_variants_artifact,
    table_3_artifact,
)
from merge_snli.paper.report.word_artifacts import error_drivers_artifact, word_frequency_artifact
from merge_snli.paper.seed_correctness import seed_correctness
from merge_snli.paper.table_3 import seeds_against_variants, table_3
from merge_snli.paper.word_frequency import word_frequency


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the analyses need besides results and data sets.

    Attributes:
        fine_tuned_from: Masked LM of the architecture and size of each NLI model, by name of the model (Figure 7).
        corpora: Counts of the words in training data, by digest of the tagger that has the tokenizer; empty without a
            corpus.
        significance: How models are tested (Table 3).
    """

    fine_tuned_from: Mapping[str, str] = field(default_factory=dict)
    corpora: Mapping[str, CorpusCounts] = field(default_factory=dict)
    significance: Significance = field(default_factory=Significance)

    def corpus_of(self, scored: ScoredDataset) -> CorpusCounts | None:
        """Return the counts with the tokenizer of a data set."""
        if not scored.data.has_seeds:
            return None
        return self.corpora.get(generation_of(scored.data.stored.record).tagger.digest)


# The texts of each analysis by its name.
TEXTS: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

Compute: TypeAlias = "Callable[[Sequence[ScoredDataset], Settings], Any]"


@dataclass(frozen=True, kw_only=True)
class Section:
    """One analysis in the report.

    Attributes:
        name: Name of its function in `merge_snli.paper` or `merge_snli.comparison`, and of its values in `report.json`.
        title: Heading.
        paper: The section of the paper.
        about: How to read the figures and tables.
        compute: Computes the values from one data set, or from all for an analysis across data sets.
        artifacts: Turn the values into a figure or a table each; the finding of the first answers the heading.
        all_models: Whether models whose labels seem to be permuted are in it, since it has no mean over models.
    """

    name: str
    title: str
    paper: str
    about: str
    compute: Compute
    artifacts: tuple[Callable[[Any], Artifact], ...]
    all_models: bool = False


def _of_one(analysis: Callable[[ScoredDataset], Any]) -> Compute:
    """Return how to compute an analysis that needs one data set and nothing else."""
    return lambda scored, _: analysis(scored[0])


def _section(name: str, compute: Compute, *artifacts: Callable[[Any], Artifact]) -> Section:
    """Return an analysis with its texts."""
    return Section(name=name, compute=compute, artifacts=artifacts, **TEXTS[name])


# The analyses of one data set.
SECTIONS: tuple[Section, ...] = (
    _section("table_3", lambda scored, settings: table_3(scored[0], settings.significance), table_3_artifact),
    _section("seeds_against_variants", _of_one(seeds_against_variants), seeds_against_variants_artifact),
    _section("model_curves", _of_one(model_curves), figure_4_artifact, figure_11_artifact),
    _section("majority", _of_one(majority), majority_artifact),
    _section("classes", _of_one(classes), classes_artifact),
    _section("class_pairs", _of_one(class_pairs), class_pairs_artifact),
    _section(
        "fine_tuned",
        lambda scored, settings: fine_tuned(scored[0], settings.fine_tuned_from),
        fine_tuned_artifact,
    ),
    _section("seed_correctness", _of_one(seed_correctness), seed_correctness_artifact),
    _section("hard_seeds", _of_one(hard_seeds), hard_seeds_artifact),
    _section(
        "word_frequency",
        lambda scored, settings: word_frequency(scored[0], settings.corpus_of(scored[0])),
        word_frequency_artifact,
    ),
    _section(
        "error_drivers",
        lambda scored, settings: error_drivers(scored[0], settings.corpus_of(scored[0])),
        error_drivers_artifact,
    ),
)

# The analyses across data sets.
ACROSS: tuple[Section, ...] = (_section("filter_sets", lambda scored, _: filter_sets(scored), filter_sets_artifact),)
