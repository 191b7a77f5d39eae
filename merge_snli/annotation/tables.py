"""Show and write the numbers of an annotation study: tables, Figures 3 and 10, and what to adjudicate."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path

from merge_snli.annotation.reading import Judgments
from merge_snli.annotation.report import Annotation
from merge_snli.annotation.sample import COMMENT, TEXT_COLUMNS, headings
from merge_snli.annotation.scores import DatasetScores, VariantScores, Weighted, disagreements
from merge_snli.base.files import write_json, write_text
from merge_snli.base.table import Cell, Column, Table, count
from merge_snli.comparison.bar_charts import Bars, draw_bars
from merge_snli.dataset.judgments import SCALE, SCORES
from merge_snli.dataset.texts import TextNames
from merge_snli.models.paper_models import PAPER_NAMES
from merge_snli.results.naming import safe_name
from merge_snli.results.rows import ends_text
from merge_snli.schema import WORD_CLASSES

PANELS = {"F": "Fluency", "R": "Reasoning"}
CATEGORIES = ["\n".join([str(score), *word.split()]) for score, word in SCALE.items()]

ANNOTATION_FILE = "annotation.json"


def draw_figures(scores: DatasetScores, out: Path) -> list[Path]:
    """Draw Figure 3 and, if the masked LMs are known, Figure 10 for the variants of one data set.

    Args:
        scores: The scores.
        out: Output folder.

    Returns:
        The written files.
    """
    stem = f"{safe_name(scores.name)}-{scores.digest[:8]}"
    styles = {name: WORD_CLASSES.index(name) for name in scores.classes}
    files = _draw(
        scores.classes,
        styles,
        out / f"{stem}-figure-3-word-classes",
        title=f"Scores by word class, {scores.name}",
        line=None if scores.weighted is None else _weighted_line(scores.classes, scores.weighted),
    )
    if scores.masked_lms:
        named = {PAPER_NAMES.get(name, name): of_masked_lm for name, of_masked_lm in scores.masked_lms.items()}
        styles = {name: nth for nth, name in enumerate(named)}
        title = f"Scores by masked LM that validated the variant, {scores.name}"
        files += _draw(named, styles, out / f"{stem}-figure-10-masked-lms", title=title)
    return files


def _draw(
    groups: Mapping[str, VariantScores], styles: Mapping[str, int], path: Path, *, title: str, line: Bars | None = None
) -> list[Path]:
    bars = [
        Bars(f"{name}: {scores.good.share:.0%} of {scores.good.variants} good", _heights(scores), styles[name])
        for name, scores in groups.items()
    ]
    return draw_bars(
        bars, CATEGORIES, path, title=title, panels=PANELS, y_label="Share of the given scores (%)", line=line
    )


def _heights(scores: VariantScores) -> dict[str, list[float]]:
    counts = {"F": scores.fluency.values(), "R": scores.reasoning.values()}
    return {name: [count / sum(of_score) for count in of_score] for name, of_score in counts.items()}


def _weighted_line(classes: Mapping[str, VariantScores], weighted: Weighted) -> Bars:
    heights = {name: _heights(scores) for name, scores in classes.items()}
    weights = weighted.weights
    return Bars(
        f"weighted by the classes' shares of seeds: {weighted.share:.0%} good",
        {
            score: [
                sum(weights[name] * heights[name][score][category] for name in weights)
                for category in range(len(SCALE))
            ]
            for score in SCORES
        },
        0,
    )


def annotation_tables(annotation: Annotation) -> list[Table]:
    """Return the shares of good variants and the agreement as tables."""
    return [_shares_table(annotation), *([_agreement_table(annotation)] if annotation.agreement else [])]


def _shares_table(annotation: Annotation) -> Table:
    columns = (
        Column("Variants", "left"),
        Column("Judged"),
        Column("Good"),
        Column("95% interval"),
        *(Column(f"Good for {name}") for name in annotation.annotators),
    )
    rows = list[tuple[Cell, ...]]()
    if len(annotation.datasets) > 1:
        rows.append(_row("all data sets", annotation.pool))
    for scores in annotation.datasets:
        prefix = f"{scores.name}: " if len(annotation.datasets) > 1 else ""
        rows.append(_row(f"{prefix}all", scores.overall))
        if scores.weighted is not None:
            ends = ends_text(scores.weighted.interval.low, scores.weighted.interval.high)
            blank = [None] * len(annotation.annotators)
            rows.append((f"{prefix}weighted by class", None, scores.weighted.share * 100, ends, *blank))
        for name, of_group in (*scores.classes.items(), *(scores.masked_lms or {}).items()):
            rows.append(_row(f"{prefix}{name}", of_group))
    return Table(title="Good variants (%)", columns=columns, rows=tuple(rows), notes=_notes(annotation))


def _notes(annotation: Annotation) -> tuple[str, ...]:
    good = "Good: the means of F and R over the annotators add up to 9 or more; for one annotator, F + R is 9 or more."
    intervals = "Intervals: Wilson's; of the weighted share, a bootstrap that resamples each class."
    weighted = "Weighted by class: by the classes' shares of seeds."
    unknown = [scores.name for scores in annotation.datasets if scores.masked_lms is None]
    few = [scores.name for scores in annotation.datasets if scores.weighted is None]
    models = [
        f"{judge.annotator} is the language model {judge.model}: up to {judge.per_question} variants per question, "
        f"guidelines {judge.prompt[:12]}…."
        for judge in annotation.judges
    ]
    others = {
        f"Left out: {count(annotation.unread, 'variant')} with replies whose scores cannot be read.": annotation.unread,
        f"For shares by masked LM and Figure 10, pass --dataset with {' and '.join(unknown)}.": unknown,
        f"No weighted share of {', '.join(few)}: a word class with seeds has fewer than 2 judged variants.": few,
    }
    return (good, intervals, weighted, *models, *(note for note, applies in others.items() if applies))


def _row(name: str, scores: VariantScores) -> tuple[Cell, ...]:
    good, of_annotators = scores.good, scores.by_annotator.values()
    ends = ends_text(good.interval.low, good.interval.high)
    return (name, good.variants, good.share * 100, ends, *(good.share * 100 for good in of_annotators))


def _agreement_table(annotation: Annotation) -> Table:
    columns = (
        Column("Score", "left"),
        Column("Krippendorff's alpha", format=".3f"),
        *(Column(f"Kappa {' and '.join(pair['annotators'])}", format=".3f") for pair in annotation.agreement[0].kappas),
        Column("Equal (%)"),
    )
    rows = tuple(
        (on.score, on.alpha, *(pair["kappa"] for pair in on.kappas), on.equal / on.variants * 100)
        for on in annotation.agreement
    )
    notes = (
        "Alpha: for ordinal data. Kappa: Cohen's, with quadratic weights. A dash: all scores are equal.",
        f"adjudication.csv: {count(annotation.to_adjudicate, 'variant')} on which annotators differ by 2 or more.",
    )
    return Table(title="Agreement", columns=columns, rows=rows, notes=notes)


def write_annotation(annotation: Annotation, judgments: Judgments, out: Path, texts: TextNames) -> list[Path]:
    """Write `annotation.json`, `annotation.md`, `adjudication.csv` and the figures.

    Args:
        annotation: The numbers.
        judgments: The scores they were computed from.
        out: Output folder.
        texts: What the two texts of a problem are called.

    Returns:
        The written files.
    """
    # The variants on which annotators differ, with the scores and comments of each.
    of_annotators = [f"{column}_{name}" for name in judgments for column in (*SCORES, COMMENT)]
    named = headings(texts)
    adjudication = Table(
        columns=tuple(map(Column, (*(named[name] for name in TEXT_COLUMNS), *of_annotators))),
        rows=tuple(
            (
                *rows[-1].texts.values(),
                *(cell for row in rows for cell in chain[Cell](row.scores.values(), [row.comment])),
            )
            for rows in disagreements(judgments)
        ),
    )
    write_json(out / ANNOTATION_FILE, asdict(annotation))
    write_text(out / "annotation.md", "\n".join(table.markdown() for table in annotation_tables(annotation)))
    write_text(out / "adjudication.csv", adjudication.csv())
    figures = [path for scores in annotation.datasets for path in draw_figures(scores, out)]
    return [*(out / name for name in (ANNOTATION_FILE, "annotation.md", "adjudication.csv")), *figures]
