"""Show the analyses that are tables: Table 3, and those of sections 5.1 and 5.5 of the paper."""

import math
from collections.abc import Mapping
from functools import partial

from merge_snli.base.files import JsonObject
from merge_snli.base.table import Table, capitalized, count
from merge_snli.comparison.findings import difference, not_compared, ranking
from merge_snli.comparison.statistics_tables import pair_table, table_of_tests
from merge_snli.paper.hard_seeds import RARELY, HardSeeds
from merge_snli.paper.majority import Majority
from merge_snli.paper.report.artifact import Artifact, NamedColumns, basis
from merge_snli.paper.seed_correctness import SeedCorrectness
from merge_snli.paper.table_3 import SeedsAgainstVariants, Table3
from merge_snli.results.rows import DEFINITIONS, PA

# Shares by name.
Scores = Mapping[str, float]

ABOUT = " ".join(f"{name}: {DEFINITIONS[name]}." for name in ("Seeds", "Variants", "QT", "MT"))
SEED_NOTES = ("Scores in percent.", ABOUT)


def table_3_artifact(value: Table3) -> Artifact:
    """Return Table 3, with intervals and letters."""
    accuracies = {}
    intervals = {}
    for row in value.rows:
        name = row["model"]
        accuracy = row["pattern_accuracy"]
        accuracies[name] = math.nan if accuracy is None else accuracy
        intervals[name] = row["pattern_accuracy_interval"]
    tables = [_table_3(value)]
    if value.family is not None:
        tables.append(pair_table(value.family))
    most = max(row["seeds"] for row in value.rows)
    return Artifact(
        name="table-3",
        paper="Table 3",
        title="Scores of the models",
        caption="Each row has the scores of one model, each with its interval.",
        finding=ranking(accuracies, intervals, value.family) + not_compared(value.apart),
        basis=basis(most, len(value.rows)),
        tables=tuple(tables),
    )


def _table_3(value: Table3) -> Table:
    has_seeds = any(row["on_seeds"] is not None for row in value.rows)
    has_source = any(row["source"] is not None for row in value.rows)
    unit = "seed" if has_seeds else "group"
    columns = NamedColumns()
    columns.add_text("Model", "model")
    columns.add_value("n", "seeds")
    if has_source:
        columns.add_score("Source", "source")
    if has_seeds:
        columns.add_score("Seeds", "on_seeds")
        columns.add_score("Variants", "on_variants")
    else:
        columns.add_score("Accuracy", "on_variants")
    columns.add_score("PA(0.9)", "pattern_accuracy")
    if has_seeds:
        columns.add_score("QT", "qt", "+.1f")
        columns.add_share("MT", "mt", ".0f")
    columns.add_text("Letters", "letters")
    notes = [*SEED_NOTES] if has_seeds else ["Scores in percent. Accuracy: share of the pairs predicted correctly."]
    notes.append(f"n: number of {unit}s, those that all models have predictions on.")
    notes += [f"{model}." for model in value.coverage]
    if value.level is not None:
        notes.append(f"{value.level:.0%} intervals: {value.method} over {unit}s.")
    if has_source:
        notes.append(f"Source: {DEFINITIONS['Source']}, with Wilson's interval.")
    if value.family is not None:
        notes.append("Models that share a letter do not differ significantly in PA(0.9).")
    return columns.table(value.rows, notes=notes)


def seeds_against_variants_artifact(value: SeedsAgainstVariants) -> Artifact:
    """Return the tests of seeds against variants."""
    over_seeds, over_models = value.over_seeds, value.over_models
    tests = [(f"seeds − variants, over {over_seeds.unit}s", over_seeds, None)]
    for test in over_models:
        tests.append((f"{test.first} − {test.second}, over {test.result.unit}s", test.result, None))
    of = count(over_seeds.n, "seed")
    if over_models:
        of = basis(over_seeds.n, over_models[0].result.n)
    finding = difference(over_seeds, "on seeds", "on their variants", what="Mean accuracy")
    return Artifact(
        name="seeds-against-variants",
        paper="Section 5.1",
        title="Seeds against variants",
        caption="Each row is a test of two sample accuracies; a positive difference means that the first is higher.",
        basis=of,
        finding=f"{finding}.",
        tables=(table_of_tests(tests),),
    )


def majority_artifact(value: Majority) -> Artifact:
    """Return PA at the quality threshold against majority labels."""
    constant = value.constant_label
    columns = NamedColumns()
    columns.add_text("Model", "model")
    columns.add_share("Gold label", "gold")
    columns.add_share("Own majority", "own")
    columns.add_share("Vote of the models", "vote")
    columns.add_share(f"Always {constant}", "constant")
    notes = [
        "PA(0.9) in percent, with the label of each variant replaced. Own majority: the model's most frequent answer "
        "on the seed's variants. Vote: the label that most models predict on the seed, which is the gold label of "
        f"{100 * value.vote_accuracy:.1f}% of the seeds; {count(value.tied_votes, 'vote')} tied. Always {constant}: "
        f"the most frequent gold label ({100 * value.constant_share:.1f}% of the seeds).",
        "The paper's sentence (≈ 50% at 90%) fits more than one of these; the constant label is the likeliest.",
    ]
    mean = value.mean
    finding = (
        f"With the most frequent gold label of the seeds, {constant}, instead of the gold one, mean {PA} is "
        f"{100 * mean['constant']:.1f}, not {100 * mean['gold']:.1f}. This is not tested."
    )
    return Artifact(
        name="majority-label",
        paper="Section 5.1",
        title="Pattern accuracy against majority labels",
        caption="Each column is PA(0.9) against one kind of label; the last row is the mean over the models.",
        basis=count(len(value.models), "model"),
        finding=finding,
        tables=(columns.table(_with_mean(value.models, mean), notes=notes),),
    )


def _with_mean(models: Mapping[str, Scores], mean: Scores) -> list[JsonObject]:
    """Return a row per model, and one with the mean."""
    return [{"model": name, **scores} for name, scores in (*models.items(), ("mean", mean))]


def seed_correctness_artifact(value: SeedCorrectness) -> Artifact:
    """Return PA at the quality threshold by whether the model answers the seed right."""
    columns = NamedColumns()
    columns.add_text("Model", "model")
    columns.add_value("Seeds right", "seeds_right")
    columns.add_share("PA(0.9), seeds right", "right")
    columns.add_value("Seeds wrong", "seeds_wrong")
    columns.add_share("PA(0.9), seeds wrong", "wrong")
    rows = _with_mean(value.models, {"right": value.mean_right, "wrong": value.mean_wrong})
    note = (
        'The paper says "93 on average" and "only 0.01"; the unit of the second is unclear, as the means of its Table '
        "3 imply about 9%."
    )
    return Artifact(
        name="right-and-wrong-seeds",
        paper="Section 5.5",
        title="Pattern accuracy on seeds answered right and wrong",
        caption="Each row is one model: how many seeds it answers right and wrong, and PA(0.9) in percent on the "
        "variants of each.",
        basis=count(len(value.models), "model"),
        finding=f"Mean {PA} is {100 * value.mean_right:.1f} on seeds that a model answers right, and "
        f"{100 * value.mean_wrong:.1f} on those that it answers wrong. This is not tested.",
        tables=(columns.table(rows, notes=[note]),),
    )


def hard_seeds_artifact(value: HardSeeds) -> Artifact:
    """Return Table 10, the seeds that hardly any model answers right."""
    rarely = len(value.rarely_right)
    never = len(value.never_right)
    of_all = count(value.seeds, "seed")
    found = f"none of {of_all}"
    tables = []
    if rarely:
        found = f"{rarely:,} of {of_all}, and none on {never:,}"
        tables.append(_table_10(value))
    return Artifact(
        name="table-10-hard-seeds",
        paper="Table 10",
        title="Hard seeds",
        caption=f"Each row is a seed with a mean accuracy below {RARELY:.0%}, hardest first.",
        basis=f"{rarely:,} of {of_all}; {never:,} with no right answer",
        finding=f"The models answer below {RARELY:.0%} of the variants right on {found}.",
        tables=tuple(tables),
    )


def _table_10(value: HardSeeds) -> Table:
    columns = NamedColumns()
    columns.add_text("seed_id", "seed_id")
    columns.add_value(capitalized(value.texts.first), "premise", align="left", wrap=True)
    columns.add_value(capitalized(value.texts.second), "hypothesis", align="left", wrap=True)
    columns.add_text("Gold label", "gold")
    if any(seed["votes"] is not None for seed in value.rarely_right):
        columns.add("Annotators", lambda seed: _votes(seed["votes"]), align="left")
    columns.add_value("Variants", "variants")
    columns.add_share("Mean accuracy", "mean_accuracy")
    for model in value.rarely_right[0]["answers"]:
        columns.add(model, partial(_answer, model), align="left")
    note = (
        "Mean accuracy on all scored variants of the seed, in percent, and the answer of each model on the seed. The "
        "CSV file has the column seed_id that --without-seeds reads: keep the rows that you judge mislabeled."
    )
    return columns.table(value.rarely_right, notes=[note])


def _votes(votes: Mapping[str, int] | None) -> str:
    return ", ".join(f"{label} {number}" for label, number in (votes or {}).items())


def _answer(model: str, seed: JsonObject) -> str | None:
    answer: str | None = seed["answers"][model]
    return answer
