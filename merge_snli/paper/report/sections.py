"""List the analyses of the report in the order of the paper: how each is computed and shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
        if scored.data.seeds is None:
            return None
        return self.corpora.get(generation_of(scored.data.stored.record).tagger.digest)


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


# The analyses of one data set.
SECTIONS: tuple[Section, ...] = (
    Section(
        name="table_3",
        title="Accuracy of the models",
        paper="section 5.1",
        about="Sample accuracy on seeds and variants, and pattern accuracy at the quality threshold.",
        compute=lambda scored, settings: table_3(scored[0], settings.significance),
        artifacts=(table_3_artifact,),
        all_models=True,
    ),
    Section(
        name="seeds_against_variants",
        title="Are variants harder than seeds?",
        paper="section 5.1",
        about="The paper's paired t-test has models as units. The permutation test has seeds as units.",
        compute=_of_one(seeds_against_variants),
        artifacts=(seeds_against_variants_artifact,),
    ),
    Section(
        name="model_curves",
        title="Pattern accuracy by threshold",
        paper="section 5.1",
        about="A seed passes a threshold if at least that share of its variants is predicted correctly.",
        compute=_of_one(model_curves),
        artifacts=(figure_4_artifact, figure_11_artifact),
        all_models=True,
    ),
    Section(
        name="majority",
        title="Majority labels",
        paper="section 5.1",
        about="Pattern accuracy if the gold label of each variant is replaced by a majority label.",
        compute=_of_one(majority),
        artifacts=(majority_artifact,),
    ),
    Section(
        name="classes",
        title="Which word classes are harder?",
        paper="section 5.2",
        about="Welch's t-test compares the seeds that have variants of only one of two classes, without adjustment as "
        "in the paper. The classes are compared below on seeds that have variants of both.",
        compute=_of_one(classes),
        artifacts=(classes_artifact,),
    ),
    Section(
        name="class_pairs",
        title="Word classes on the same seeds",
        paper="section 5.2",
        about="N_V are the variants with replaced nouns of seeds that have variants of nouns and verbs, V_N those with "
        "replaced verbs of the same seeds, and so on.",
        compute=_of_one(class_pairs),
        artifacts=(class_pairs_artifact,),
    ),
    Section(
        name="fine_tuned",
        title="Do masked LMs favor the NLI models that were fine-tuned from them?",
        paper="section 5.3",
        about="Variants that one masked LM alone validated: the one of the NLI model's architecture and size (Equiv), "
        "its family in another size (Size), or another family (Arch); and those that several validated (Multi).",
        compute=lambda scored, settings: fine_tuned(scored[0], settings.fine_tuned_from),
        artifacts=(fine_tuned_artifact,),
    ),
    Section(
        name="seed_correctness",
        title="Seeds answered right and wrong",
        paper="section 5.5",
        about="Pattern accuracy on the variants of seeds that the model itself answers right, and wrong.",
        compute=_of_one(seed_correctness),
        artifacts=(seed_correctness_artifact,),
    ),
    Section(
        name="hard_seeds",
        title="Hard seeds",
        paper="section 5.5",
        about="Seeds whose variants hardly any model answers right. In the paper, most of them are mislabeled.",
        compute=_of_one(hard_seeds),
        artifacts=(hard_seeds_artifact,),
    ),
    Section(
        name="word_frequency",
        title="Word frequency",
        paper="section 5.5",
        about="How frequent replacements and originals are in training data, for seeds answered wrong with variants "
        "answered right.",
        compute=lambda scored, settings: word_frequency(scored[0], settings.corpus_of(scored[0])),
        artifacts=(word_frequency_artifact,),
    ),
    Section(
        name="error_drivers",
        title="What drives errors?",
        paper="research question 3",
        about="Logistic regression of whether a variant is answered right, with an intercept per model.",
        compute=lambda scored, settings: error_drivers(scored[0], settings.corpus_of(scored[0])),
        artifacts=(error_drivers_artifact,),
    ),
)

# The analyses across data sets.
ACROSS: tuple[Section, ...] = (
    Section(
        name="filter_sets",
        title="Which filters matter?",
        paper="section 5.4",
        about="Data sets made with other filters from the same seeds.",
        compute=lambda scored, _: filter_sets(scored),
        artifacts=(filter_sets_artifact,),
    ),
)
