"""Define the comparison of the models that were scored on one config of one data set."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from merge_snli.results.answered import Answered
from merge_snli.results.orders import OrderEffect
from merge_snli.results.prompts import PromptEffect
from merge_snli.statistics import Family, Interval, NamedTest, PairAtThresholds, TestResult


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison of the models that were scored on one config of one data set.

    Attributes:
        title: Data set and config, with the data's digest if another compared data set has the same name.
        dataset: Title of the data set.
        digest: sha256 of the data.
        config: `all` or a word class; the config of pairs in groups, or None.
        threshold: Threshold of pattern accuracy, the quality threshold by default.
        unit: What is compared: `seed`, or `group` for pairs in groups.
        seeds: Number of seeds or groups that all models were scored on.
        left_out: Number of seeds or groups of the data that are not compared, because the models were not all scored
            on them.
        subsamples: Number of subsamples; None if the data has none.
        pattern_accuracy: PA of each model as in results: the mean over subsamples of the share of seeds that pass.
        intervals: Interval of each model's PA, the same as in a result on the same seeds.
        smallest_difference: Smallest difference of PA that the permutation test finds with a power of 80%, at the
            strictest step of Holm's method; None if no difference is found. It is that of `--power`.
        family: All pairs of models, with p-values adjusted by Holm's method.
        seeds_against_variants: SA on seeds against SA on variants, over models (section 5.1); None for pairs in groups,
            at other thresholds than the quality threshold, and with one model whose labels are not permuted.
        classes: PA of each pair of word classes at the quality threshold, over seeds (section 5.2); None without the
            data set, whose variants have the classes, and at other thresholds.
        all_thresholds: The tests of all pairs of models at the thresholds 0, 0.01, … 1, if they are requested; of
            several comparisons at different thresholds, only the first has them.
        notes: Notes of each model's result; of a model on the same data with other labels, or that is in no mean over
            models, why.
        prompts: The effect of the prompt at the quality threshold, if the prompts of one model are compared.
        finding: What was found in words: the best model, and from which others it differs significantly.
        orders: The effect of the order of the labels, of each of its prompts that was used with several.
        apart: The models on the same data that are not compared, each with what it lacks of the seeds that most models
            have.
        answered: PA over the answers that can be read, of each model with others.
    """

    title: str
    dataset: str
    digest: str
    config: str | None
    threshold: float
    unit: str
    seeds: int
    left_out: int
    subsamples: int | None
    pattern_accuracy: Mapping[str, float]
    intervals: Mapping[str, Interval]
    smallest_difference: float | None
    family: Family
    seeds_against_variants: TestResult | None
    classes: tuple[NamedTest, ...] | None
    all_thresholds: tuple[PairAtThresholds, ...] | None = None
    notes: Mapping[str, tuple[str, ...]]
    prompts: PromptEffect | None = None
    finding: str
    orders: tuple[OrderEffect, ...] = ()
    apart: Mapping[str, str] = field(default_factory=dict)
    answered: Mapping[str, Answered] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the data and each model's PA in one line."""
        scores = ", ".join(f"{name} {100 * share:.1f}%" for name, share in self.pattern_accuracy.items())
        return f"<Comparison on {self.title}: PA({self.threshold}) {scores}>"
