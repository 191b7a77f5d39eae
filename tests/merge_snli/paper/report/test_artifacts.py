"""Tests of the figures and tables: fixed captions, and the facts that only a note or the basis states."""

from __future__ import annotations

import dataclasses

import pytest

from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.comparison.statistics_tables import table_of_tests
from merge_snli.dataset.texts import TextNames
from merge_snli.paper.hard_seeds import HardSeed, HardSeeds
from merge_snli.paper.majority import Majority
from merge_snli.paper.report.artifact import Artifact
from merge_snli.paper.report.curve_artifacts import MIN_SEEDS
from merge_snli.paper.report.sections import SECTIONS, Settings
from merge_snli.paper.report.table_artifacts import hard_seeds_artifacts, majority_artifacts
from merge_snli.paper.report.word_artifacts import word_frequency_artifacts
from merge_snli.paper.word_frequency import Average, ModelWordFrequency, WordFrequency
from merge_snli.scoring.statistics import Interval, TestResult


def artifacts(scored: ScoredDataset) -> dict[str, Artifact]:
    """Return the artifacts of every analysis that can be computed, by name."""
    found: dict[str, Artifact] = {}
    for section in SECTIONS:
        try:
            value = section.compute([scored], Settings())
        except NotComputable:
            continue
        found |= {each.name: each for each in section.artifacts(value)}
    return found


def test_captions_do_not_depend_on_the_values(scored: ScoredDataset) -> None:
    of_two, of_one = artifacts(scored), artifacts(dataclasses.replace(scored, models=scored.models[:1]))
    assert {"table-3", "figure-5-word-classes", "error-drivers"} <= of_one.keys() & of_two.keys()
    for name in of_one.keys() & of_two.keys():
        assert (of_one[name].title, of_one[name].caption) == (of_two[name].title, of_two[name].caption)
    assert of_one["figure-5-word-classes"].basis != of_two["figure-5-word-classes"].basis


def test_tests_of_seeds_against_variants_have_different_labels(scored: ScoredDataset) -> None:
    (table,) = artifacts(scored)["seeds-against-variants"].tables
    labels = [row[0] for row in table.rows]
    assert len({*labels}) == len(labels) > 1


def test_the_first_artifact_of_each_section_answers_its_heading(scored: ScoredDataset) -> None:
    found = artifacts(scored)
    assert " the highest PA(0.9), " in found["table-3"].finding
    assert "Mean accuracy" in found["seeds-against-variants"].finding
    classes = found["figure-5-word-classes"]
    assert classes.finding.count("p = ") + classes.finding.count("p <") == len(classes.tables[1].rows) == 3
    assert classes.finding.endswith("The p-values are not adjusted.")
    assert "This is not tested." in found["majority-label"].finding
    significant = [row for row in found["error-drivers"].tables[0].rows if row[0] == "all models"]
    assert found["error-drivers"].finding.startswith("Significant coefficients of right answers: ")
    assert significant


def test_curves_of_few_seeds_are_not_drawn(scored: ScoredDataset) -> None:
    found = artifacts(scored)
    seeds = {row[0]: row[1] for row in found["figure-6-class-pairs"].tables[0].rows}
    few = [name for name, number in seeds.items() if isinstance(number, int) and number < MIN_SEEDS]
    assert few
    assert all(f"{name} (" in found["figure-6-class-pairs"].not_drawn for name in few)
    assert (found["figure-6-class-pairs"].draw is None) is (len(few) == len(seeds))
    assert not found["figure-5-word-classes"].not_drawn


def hard_seeds(never: int, rarely: int) -> HardSeeds:
    seed = HardSeed(
        seed_id="s",
        premise="p",
        hypothesis="h",
        gold="neutral",
        votes=None,
        answers={},
        variants=20,
        mean_accuracy=0.0,
    )
    texts = TextNames("question", "sentence_A")
    return HardSeeds(seeds=2222, never_right=(seed,) * never, rarely_right=(seed,) * rarely, texts=texts)


@pytest.mark.parametrize(("never", "rarely"), [(31, 32), (0, 1), (0, 0)])
def test_hard_seeds_are_counted(never: int, rarely: int) -> None:
    [artifact] = hard_seeds_artifacts(hard_seeds(never, rarely))
    assert artifact.basis.startswith(f"{rarely} of 2,222 seeds; {never} ")
    assert [len(table.rows) for table in artifact.tables] == ([rarely] if rarely else [])
    for table in artifact.tables:
        assert [column.header for column in table.columns[1:3]] == ["Question", "Sentence_A"]


def test_the_share_of_the_constant_label_is_noted() -> None:
    mean = {"gold": 0.6, "own": 0.9, "vote": 0.7, "constant": 0.5}
    value = Majority(
        models={"a": mean},
        mean=mean,
        labels=("entailment", "neutral"),
        constant_label="entailment",
        constant_share=0.495,
        tied_votes=0,
        vote_accuracy=0.9,
    )
    [table] = majority_artifacts(value)[0].tables
    assert "49.5%" in " ".join(table.notes)


@pytest.mark.parametrize(
    ("snli_models", "mean_ratio_snli", "shown", "over"),
    [(("m0",), 1234.5, "1,234.5", "m0"), ((), None, "2,000.0", "all models")],
)
def test_the_mean_word_frequency_is_noted_with_its_models(
    snli_models: tuple[str, ...], mean_ratio_snli: float | None, shown: str, over: str
) -> None:
    average = Average(value=2.0, interval=None)
    model = ModelWordFrequency(
        model="m0",
        training_data=None,
        wrong_seeds=3,
        seeds=2,
        pairs=9,
        zero_originals=0,
        zero_replacements=0,
        zero_pairs=0,
        arithmetic_mean=average,
        median=average,
        geometric_mean=average,
    )
    value = WordFrequency(
        corpus="snli",
        corpus_digest="d",
        corpus_tokens=9,
        models=(model,),
        mean_seeds=2.0,
        snli_models=snli_models,
        mean_ratio_snli=mean_ratio_snli,
        mean_ratio_all=2000.0,
    )
    [table] = word_frequency_artifacts(value)[0].tables
    [note] = [note for note in table.notes if shown in note]
    assert over in note


def test_a_table_without_tests_says_why() -> None:
    test = TestResult(
        test="a test",
        statistic=1.0,
        p_value=0.5,
        n=10,
        unit="seed",
        difference=0.1,
        interval=Interval(low=-1, high=1, level=0.95, method="t", unit="seed"),
        effect_size=0.1,
        effect="d",
    )
    empty, full = table_of_tests([]), table_of_tests([("nouns − verbs", test, None)])
    assert (len(empty.rows), len(full.rows)) == (0, 1)
    assert "two seeds" in " ".join(empty.notes)
    assert "two seeds" not in " ".join(full.notes)
