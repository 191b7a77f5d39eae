"""Show the analyses that are tables: Table 3, and those of sections 5.1 and 5.5 of the paper."""

import math

from merge_snli.base.table import Column, Table, capitalized, count
from merge_snli.comparison.findings import difference, not_compared, ranking
from merge_snli.comparison.statistics_tables import pair_table, table_of_tests
from merge_snli.paper.hard_seeds import RARELY, HardSeeds, SeedCorrectness
from merge_snli.paper.majority import Majority
from merge_snli.paper.report.artifact import Artifact, basis
from merge_snli.paper.report.curve_artifacts import percent_or_none
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
    tests = [
        (f"{name}, over {result.unit}s", result, None)
        for name, result in (
            ("seeds − variants", value.over_seeds),
            *((f"{test.first} − {test.second}", test.result) for test in value.over_models),
        )
    ]
    models = [count(test.result.n, "model") for test in value.over_models[:1]]
    return (
        Artifact(
            name="seeds-against-variants",
            paper="Section 5.1",
            title="Seeds against variants",
            caption="Each row is a test of two sample accuracies; a positive difference means that the first is "
            "higher.",
            basis=", ".join([count(value.over_seeds.n, "seed"), *models]),
            finding=f"{difference(value.over_seeds, 'on seeds', 'on their variants', what='Mean accuracy')}.",
            tables=(table_of_tests(tests),),
        ),
    )


def majority_artifacts(value: Majority) -> tuple[Artifact, ...]:
    """Return PA at the quality threshold against majority labels."""
    rows = [*value.models.items(), ("mean", value.mean)]
    table = Table(
        columns=(
            Column("Model", "left"),
            Column("Gold label", format=PERCENT),
            Column("Own majority", format=PERCENT),
            Column("Vote of the models", format=PERCENT),
            Column(f"Always {value.constant_label}", format=PERCENT),
        ),
        rows=tuple((name, *map(percent_or_none, scores.values())) for name, scores in rows),
        notes=(
            "PA(0.9) in percent, with the label of each variant replaced. Own majority: the model's most frequent "
            "answer on the seed's variants. Vote: the label that most models predict on the seed, which is the gold "
            f"label of {100 * value.vote_accuracy:.1f}% of the seeds; {count(value.tied_votes, 'vote')} tied. Always "
            f"{value.constant_label}: the most frequent gold label ({100 * value.constant_share:.1f}% of the seeds).",
            "The paper's sentence (≈ 50% at 90%) fits more than one of these; the constant label is the likeliest.",
        ),
    )
    return (
        Artifact(
            name="majority-label",
            paper="Section 5.1",
            title="Pattern accuracy against majority labels",
            caption="Each column is PA(0.9) against one kind of label; the last row is the mean over the models.",
            basis=count(len(value.models), "model"),
            finding=f"With the most frequent gold label of the seeds, {value.constant_label}, instead of the gold one, "
            f"mean {PA} is {100 * value.mean['constant']:.1f}, not {100 * value.mean['gold']:.1f}. This is not tested.",
            tables=(table,),
        ),
    )


def seed_correctness_artifacts(value: SeedCorrectness) -> tuple[Artifact, ...]:
    """Return PA at the quality threshold by whether the model answers the seed right."""
    table = Table(
        columns=(
            Column("Model", "left"),
            Column("Seeds right"),
            Column("PA(0.9), seeds right", format=PERCENT),
            Column("Seeds wrong"),
            Column("PA(0.9), seeds wrong", format=PERCENT),
        ),
        rows=(
            *(
                (
                    name,
                    row["seeds_right"],
                    percent_or_none(row["right"]),
                    row["seeds_wrong"],
                    percent_or_none(row["wrong"]),
                )
                for name, row in value.models.items()
            ),
            ("mean", None, percent_or_none(value.mean_right), None, percent_or_none(value.mean_wrong)),
        ),
        notes=(
            'The paper says "93 on average" and "only 0.01"; the unit of the second is unclear, as the means of its '
            "Table 3 imply about 9%.",
        ),
    )
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
    seeds = value.rarely_right
    models = list(seeds[0].answers) if seeds else []
    votes = any(seed.votes is not None for seed in seeds)
    table = Table(
        columns=(
            Column("seed_id", "left"),
            *(Column(capitalized(name), "left", wrap=True) for name in value.texts),
            Column("Gold label", "left"),
            *((Column("Annotators", "left"),) if votes else ()),
            Column("Variants"),
            Column("Mean accuracy", format=PERCENT),
            *(Column(model, "left") for model in models),
        ),
        rows=tuple(
            (
                seed.seed_id,
                seed.premise,
                seed.hypothesis,
                seed.gold,
                *((", ".join(f"{label} {n}" for label, n in (seed.votes or {}).items()),) if votes else ()),
                seed.variants,
                100 * seed.mean_accuracy,
                *seed.answers.values(),
            )
            for seed in seeds
        ),
        notes=(
            "Mean accuracy on all scored variants of the seed, in percent, and the answer of each model on the seed. "
            "The CSV file has the column seed_id that --without-seeds reads: keep the rows that you judge mislabeled.",
        ),
    )
    return (
        Artifact(
            name="table-10-hard-seeds",
            paper="Table 10",
            title="Hard seeds",
            caption=f"Each row is a seed with a mean accuracy below {RARELY:.0%}, hardest first.",
            basis=f"{len(seeds):,} of {count(value.seeds, 'seed')}; {len(value.never_right):,} with no right answer",
            finding=f"The models answer below {RARELY:.0%} of the variants right on "
            f"{format(len(seeds), ',') if seeds else 'none'} of "
            f"{count(value.seeds, 'seed')}{f', and none on {len(value.never_right):,}' if seeds else ''}.",
            tables=(table,) if seeds else (),
        ),
    )
