"""Show the analyses that are tables: Table 3, and those of sections 5.1 and 5.5 of the paper."""

import math
from collections.abc import Mapping
from functools import partial

from merge_snli.base.columns import Columns
from merge_snli.base.table import Table, capitalized, count
from merge_snli.comparison.findings import difference, not_compared, ranking
from merge_snli.comparison.statistics_tables import pair_table, table_of_tests
from merge_snli.paper.hard_seeds import RARELY, HardSeed, HardSeeds
from merge_snli.paper.majority import Majority
from merge_snli.paper.report.artifact import Artifact, basis
from merge_snli.paper.report.curve_artifacts import percent_or_none
from merge_snli.paper.seed_correctness import SeedCorrectness
from merge_snli.paper.table_3 import SCORES, SeedsAgainstVariants, Table3
from merge_snli.results.model_columns import ModelColumns, ModelRow
from merge_snli.results.rows import DEFINITIONS, PA, ScoreValues

PERCENT = ".1f"
SEED_NOTES = (
    "Scores in percent.",
    " ".join(f"{name}: {DEFINITIONS[name]}." for name in ("Seeds", "Variants", "QT", "MT")),
)


def table_3_artifacts(value: Table3) -> tuple[Artifact, ...]:
    """Return Table 3, with intervals and letters."""
    accuracies, intervals = {}, {}
    for row in value.rows:
        accuracies[row["model"]] = math.nan if row["pattern_accuracy"] is None else row["pattern_accuracy"]
        intervals[row["model"]] = row["pattern_accuracy_interval"]
    tables = [_table_3(value)]
    if value.family is not None:
        tables.append(pair_table(value.family))
    return (
        Artifact(
            name="table-3",
            paper="Table 3",
            title="Scores of the models",
            caption="Each row has the scores of one model, each with its interval.",
            finding=ranking(accuracies, intervals, value.family) + not_compared(value.apart),
            basis=basis(max(row["seeds"] for row in value.rows), len(value.rows)),
            tables=tuple(tables),
        ),
    )


def _table_3(value: Table3) -> Table:
    seeds = any(row["on_seeds"] is not None for row in value.rows)
    with_source = any(row["source"] is not None for row in value.rows)
    unit = "seed" if seeds else "group"
    columns = ModelColumns(exact=True)
    columns.add_name()
    columns.add("n", lambda row: row.number)
    if with_source:
        columns.add_score("Source", "source", interval="Source, interval")
    if seeds:
        columns.add_score("Seeds", "on_seeds", interval="Seeds, interval")
        columns.add_score("Variants", "on_variants", interval="Variants, interval")
    else:
        columns.add_score("Accuracy", "on_variants", interval="Accuracy, interval")
    columns.add_score("PA(0.9)", "pattern_accuracy", interval="PA(0.9), interval")
    if seeds:
        columns.add_score("QT", "qt", "+.1f", interval="QT, interval")
        columns.add_score("MT", "mt", ".0f")
    columns.add_letters()
    rows = []
    for row in value.rows:
        scores: dict[str, float | None] = {"mt": row["mt"]}
        for name in SCORES:
            low, high = row[f"{name}_interval"] or (None, None)
            scores |= {name: row[name], f"{name}_low": low, f"{name}_high": high}
        rows.append(ModelRow(row["model"], ScoreValues(scores), row["letters"], row["seeds"]))
    notes = [*SEED_NOTES] if seeds else ["Scores in percent. Accuracy: share of the pairs predicted correctly."]
    notes.append(f"n: number of {unit}s, those that all models have predictions on.")
    notes += [f"{model}." for model in value.coverage]
    if value.level is not None:
        notes.append(f"{value.level:.0%} intervals: {value.method} over {unit}s.")
    if with_source:
        notes.append(f"Source: {DEFINITIONS['Source']}, with Wilson's interval.")
    if value.family is not None:
        notes.append("Models that share a letter do not differ significantly in PA(0.9).")
    return columns.table(rows, notes=notes)


def seeds_against_variants_artifacts(value: SeedsAgainstVariants) -> tuple[Artifact, ...]:
    """Return the tests of seeds against variants."""
    tests = [(f"seeds − variants, over {value.over_seeds.unit}s", value.over_seeds, None)]
    for test in value.over_models:
        tests.append((f"{test.first} − {test.second}, over {test.result.unit}s", test.result, None))
    of = count(value.over_seeds.n, "seed")
    if value.over_models:
        of += f", {count(value.over_models[0].result.n, 'model')}"
    return (
        Artifact(
            name="seeds-against-variants",
            paper="Section 5.1",
            title="Seeds against variants",
            caption="Each row is a test of two sample accuracies; a positive difference means that the first is "
            "higher.",
            basis=of,
            finding=difference(value.over_seeds, "on seeds", "on their variants", what="Mean accuracy") + ".",
            tables=(table_of_tests(tests),),
        ),
    )


def majority_artifacts(value: Majority) -> tuple[Artifact, ...]:
    """Return PA at the quality threshold against majority labels."""
    constant = value.constant_label
    columns = Columns[tuple[str, Mapping[str, float]]]()
    columns.add("Model", lambda row: row[0], align="left")
    columns.add("Gold label", lambda row: percent_or_none(row[1]["gold"]), format=PERCENT)
    columns.add("Own majority", lambda row: percent_or_none(row[1]["own"]), format=PERCENT)
    columns.add("Vote of the models", lambda row: percent_or_none(row[1]["vote"]), format=PERCENT)
    columns.add(f"Always {constant}", lambda row: percent_or_none(row[1]["constant"]), format=PERCENT)
    notes = [
        "PA(0.9) in percent, with the label of each variant replaced. Own majority: the model's most frequent answer "
        "on the seed's variants. Vote: the label that most models predict on the seed, which is the gold label of "
        f"{100 * value.vote_accuracy:.1f}% of the seeds; {count(value.tied_votes, 'vote')} tied. Always {constant}: "
        f"the most frequent gold label ({100 * value.constant_share:.1f}% of the seeds).",
        "The paper's sentence (≈ 50% at 90%) fits more than one of these; the constant label is the likeliest.",
    ]
    table = columns.table([*value.models.items(), ("mean", value.mean)], notes=notes)
    means = {name: f"{100 * share:.1f}" for name, share in value.mean.items()}
    return (
        Artifact(
            name="majority-label",
            paper="Section 5.1",
            title="Pattern accuracy against majority labels",
            caption="Each column is PA(0.9) against one kind of label; the last row is the mean over the models.",
            basis=count(len(value.models), "model"),
            finding=f"With the most frequent gold label of the seeds, {constant}, instead of the gold one, mean {PA} "
            f"is {means['constant']}, not {means['gold']}. This is not tested.",
            tables=(table,),
        ),
    )


def seed_correctness_artifacts(value: SeedCorrectness) -> tuple[Artifact, ...]:
    """Return PA at the quality threshold by whether the model answers the seed right."""
    columns = Columns[tuple[str, Mapping[str, float]]]()
    columns.add("Model", lambda row: row[0], align="left")
    columns.add("Seeds right", lambda row: row[1].get("seeds_right"))
    columns.add("PA(0.9), seeds right", lambda row: percent_or_none(row[1]["right"]), format=PERCENT)
    columns.add("Seeds wrong", lambda row: row[1].get("seeds_wrong"))
    columns.add("PA(0.9), seeds wrong", lambda row: percent_or_none(row[1]["wrong"]), format=PERCENT)
    mean = {"right": value.mean_right, "wrong": value.mean_wrong}
    note = (
        'The paper says "93 on average" and "only 0.01"; the unit of the second is unclear, as the means of its Table '
        "3 imply about 9%."
    )
    table = columns.table([*value.models.items(), ("mean", mean)], notes=[note])
    return (
        Artifact(
            name="right-and-wrong-seeds",
            paper="Section 5.5",
            title="Pattern accuracy on seeds answered right and wrong",
            caption="Each row is one model: how many seeds it answers right and wrong, and PA(0.9) in percent on the "
            "variants of each.",
            basis=count(len(value.models), "model"),
            finding=f"Mean {PA} is {100 * value.mean_right:.1f} on seeds that a model answers right, and "
            f"{100 * value.mean_wrong:.1f} on those that it answers wrong. This is not tested.",
            tables=(table,),
        ),
    )


def hard_seeds_artifacts(value: HardSeeds) -> tuple[Artifact, ...]:
    """Return Table 10, the seeds that hardly any model answers right."""
    seeds, of_all = value.rarely_right, count(value.seeds, "seed")
    finding = f"The models answer below {RARELY:.0%} of the variants right on none of {of_all}."
    if seeds:
        finding = (
            f"The models answer below {RARELY:.0%} of the variants right on {len(seeds):,} of {of_all}, and none on "
            f"{len(value.never_right):,}."
        )
    return (
        Artifact(
            name="table-10-hard-seeds",
            paper="Table 10",
            title="Hard seeds",
            caption=f"Each row is a seed with a mean accuracy below {RARELY:.0%}, hardest first.",
            basis=f"{len(seeds):,} of {of_all}; {len(value.never_right):,} with no right answer",
            finding=finding,
            tables=(_table_10(value),) if seeds else (),
        ),
    )


def _table_10(value: HardSeeds) -> Table:
    columns = Columns[HardSeed]()
    columns.add("seed_id", lambda seed: seed.seed_id, align="left")
    columns.add(capitalized(value.texts.first), lambda seed: seed.premise, align="left", wrap=True)
    columns.add(capitalized(value.texts.second), lambda seed: seed.hypothesis, align="left", wrap=True)
    columns.add("Gold label", lambda seed: seed.gold, align="left")
    if any(seed.votes is not None for seed in value.rarely_right):
        columns.add("Annotators", _votes, align="left")
    columns.add("Variants", lambda seed: seed.variants)
    columns.add("Mean accuracy", lambda seed: 100 * seed.mean_accuracy, format=PERCENT)
    for model in value.rarely_right[0].answers:
        columns.add(model, partial(_answer, model), align="left")
    note = (
        "Mean accuracy on all scored variants of the seed, in percent, and the answer of each model on the seed. The "
        "CSV file has the column seed_id that --without-seeds reads: keep the rows that you judge mislabeled."
    )
    return columns.table(value.rarely_right, notes=[note])


def _votes(seed: HardSeed) -> str:
    return ", ".join(f"{label} {number}" for label, number in (seed.votes or {}).items())


def _answer(model: str, seed: HardSeed) -> str | None:
    return seed.answers[model]
