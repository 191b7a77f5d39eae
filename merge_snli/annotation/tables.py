"""Show and write the numbers of an annotation study: tables, Figures 3 and 10, and what to adjudicate."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from merge_snli.annotation.report import Annotation, DatasetScores
from merge_snli.annotation.sample import Sample
from merge_snli.annotation.scores import VariantScores, in_common
from merge_snli.annotation.shown import COMMENT, TEXT_COLUMNS, VARIANT_ID, headings
from merge_snli.base.files import write_json, write_text
from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.comparison.bar_charts import Bars, draw_bars
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments
from merge_snli.models.paper_models import PAPER_NAMES
from merge_snli.results.naming import safe_name
from merge_snli.results.rows import ends_text
from merge_snli.schema import WORD_CLASSES

PANELS = {"F": "Fluency", "R": "Reasoning"}
CATEGORIES = ["\n".join([str(score), *word.split()]) for score, word in SCALE.items()]

ANNOTATION_FILE = "annotation.json"
TABLES_FILE = "annotation.md"
ADJUDICATION_FILE = "adjudication.csv"


def draw_figures(scores: DatasetScores, out: Path) -> list[Path]:
    """Draw Figure 3 and, if the masked LMs are known, Figure 10 for the variants of one data set.

    Args:
        scores: The scores.
        out: Output folder.

    Returns:
        The written files.
    """
    stem = f"{safe_name(scores.name)}-{scores.digest[:8]}"
    bars = [_bars(name, of_class, WORD_CLASSES.index(name)) for name, of_class in scores.classes.items()]
    line = None
    weighted = scores.weighted
    if weighted is not None:
        heights = [_heights(scores.classes[name]) for name in weighted.weights]
        mean = {score: np.dot([*weighted.weights.values()], [each[score] for each in heights]) for score in SCORES}
        line = Bars(f"weighted by the classes' shares of seeds: {weighted.share:.0%} good", mean, 0)
    files = _draw(bars, out / f"{stem}-figure-3-word-classes", f"Scores by word class, {scores.name}", line)
    if scores.masked_lms:
        named = enumerate(scores.masked_lms.items())
        bars = [_bars(PAPER_NAMES.get(name, name), of_masked_lm, number) for number, (name, of_masked_lm) in named]
        title = f"Scores by masked LM that validated the variant, {scores.name}"
        files += _draw(bars, out / f"{stem}-figure-10-masked-lms", title)
    return files


def _draw(bars: Sequence[Bars], path: Path, title: str, line: Bars | None = None) -> list[Path]:
    y_label = "Share of the given scores (%)"
    return draw_bars(bars, CATEGORIES, path, title=title, panels=PANELS, y_label=y_label, line=line)


def _bars(name: str, scores: VariantScores, style: int) -> Bars:
    return Bars(f"{name}: {scores.good.share:.0%} of {scores.good.variants} good", _heights(scores), style)


def _heights(scores: VariantScores) -> dict[str, list[float]]:
    heights = {}
    for name, counts in (("F", scores.fluency), ("R", scores.reasoning)):
        heights[name] = [count / sum(counts.values()) for count in counts.values()]
    return heights


def annotation_tables(annotation: Annotation) -> list[Table]:
    """Return the shares of good variants and the agreement as tables."""
    tables = [_shares_table(annotation)]
    if annotation.agreement:
        tables.append(_agreement_table(annotation))
    return tables


def _shares_table(annotation: Annotation) -> Table:
    columns = [Column("Variants", "left"), Column("Judged"), Column("Good"), Column("95% interval")]
    columns += [Column(f"Good for {name}") for name in annotation.annotators]
    rows: list[tuple[Cell, ...]] = []
    prefix = ""
    if len(annotation.datasets) > 1:
        rows.append(_row("all data sets", annotation.pool))
    for scores in annotation.datasets:
        if len(annotation.datasets) > 1:
            prefix = f"{scores.name}: "
        rows.append(_row(f"{prefix}all", scores.overall))
        if scores.weighted is not None:
            ends = ends_text(scores.weighted.interval.ends)
            blank = [None] * len(annotation.annotators)
            rows.append((f"{prefix}weighted by class", None, scores.weighted.share * 100, ends, *blank))
        groups = scores.classes | (scores.masked_lms or {})
        rows += [_row(f"{prefix}{name}", of_group) for name, of_group in groups.items()]
    return Table(title="Good variants (%)", columns=columns, rows=rows, notes=_notes(annotation))


def _notes(annotation: Annotation) -> tuple[str, ...]:
    notes = [
        "Good: the means of F and R over the annotators add up to 9 or more; for one annotator, F + R is 9 or more.",
        "Intervals: Wilson's; of the weighted share, a bootstrap that resamples each class.",
        "Weighted by class: by the classes' shares of seeds.",
    ]
    for judge in annotation.judges:
        notes.append(
            f"{judge.annotator} is the language model {judge.model}: up to {judge.per_question} variants per "
            f"question, guidelines {judge.prompt[:12]}…."
        )
    if annotation.unread:
        unread = count(annotation.unread, "variant")
        notes.append(f"Left out: {unread} with replies whose scores cannot be read.")
    unknown = [scores.name for scores in annotation.datasets if scores.masked_lms is None]
    if unknown:
        notes.append(f"For shares by masked LM and Figure 10, pass --dataset with {' and '.join(unknown)}.")
    few = [scores.name for scores in annotation.datasets if scores.weighted is None]
    if few:
        notes.append(
            f"No weighted share of {', '.join(few)}: a word class with seeds has fewer than 2 judged variants."
        )
    return tuple(notes)


def _row(name: str, scores: VariantScores) -> tuple[Cell, ...]:
    good = scores.good
    ends = ends_text(good.interval.ends)
    shares = [of_annotator.share * 100 for of_annotator in scores.by_annotator.values()]
    return (name, good.variants, good.share * 100, ends, *shares)


def _agreement_table(annotation: Annotation) -> Table:
    columns = [Column("Score", "left"), Column("Krippendorff's alpha", format=".3f")]
    for pair in annotation.agreement[0].kappas:
        columns.append(Column(f"Kappa {' and '.join(pair['annotators'])}", format=".3f"))
    columns.append(Column("Equal (%)"))
    rows = []
    for on in annotation.agreement:
        kappas = [pair["kappa"] for pair in on.kappas]
        rows.append((on.score, on.alpha, *kappas, on.equal / on.variants * 100))
    differing = count(annotation.to_adjudicate, "variant")
    notes = (
        "Alpha: for ordinal data. Kappa: Cohen's, with quadratic weights. A dash: all scores are equal.",
        f"{ADJUDICATION_FILE}: {differing} on which annotators differ by 2 or more.",
    )
    return Table(title="Agreement", columns=columns, rows=rows, notes=notes)


def _adjudication_table(judgments: VariantJudgments, sample: Sample) -> Table:
    """Return the variants on which annotators differ, with the scores and comments of each."""
    named = headings(sample.texts)
    columns = [Column(named[name]) for name in TEXT_COLUMNS]
    for annotator in judgments.annotators:
        columns += [Column(f"{name}_{annotator}") for name in (*SCORES, COMMENT)]
    rows = []
    for of_variant in in_common(judgments).differing():
        cells: list[Cell] = [*sample.shown[of_variant[0][VARIANT_ID]].values()]
        for judgment in of_variant:
            cells += [judgment[name] for name in (*SCORES, COMMENT)]
        rows.append(tuple(cells))
    return Table(columns=columns, rows=rows)


def write_annotation(annotation: Annotation, judgments: VariantJudgments, out: Path, sample: Sample) -> list[Path]:
    """Write `annotation.json`, `annotation.md`, `adjudication.csv` and the figures.

    Args:
        annotation: The numbers.
        judgments: The scores they were computed from.
        out: Output folder.
        sample: The sample.

    Returns:
        The written files.
    """
    write_json(out / ANNOTATION_FILE, asdict(annotation))
    write_text(out / TABLES_FILE, "\n".join(table.markdown() for table in annotation_tables(annotation)))
    write_text(out / ADJUDICATION_FILE, _adjudication_table(judgments, sample).csv())
    files = [out / name for name in (ANNOTATION_FILE, TABLES_FILE, ADJUDICATION_FILE)]
    for scores in annotation.datasets:
        files += draw_figures(scores, out)
    return files
