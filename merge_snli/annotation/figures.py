"""Draw the scores F and R by word class (the paper's Figure 3) and by masked LM (Figure 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.analysis.charts.bar_chart import Bars, draw_bars
from merge_snli.annotation.scale import SCALE, SCORES
from merge_snli.models.paper_models import PAPER_NAMES
from merge_snli.schema import WORD_CLASSES
from merge_snli.scoring.results.files import safe_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from merge_snli.annotation.scores import DatasetScores, Part, Weighted

PANELS = {"F": "Fluency", "R": "Reasoning"}
CATEGORIES = ["\n".join([str(score), *word.split()]) for score, word in SCALE.items()]


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
        named = {PAPER_NAMES.get(name, name): part for name, part in scores.masked_lms.items()}
        styles = {name: nth for nth, name in enumerate(named)}
        title = f"Scores by masked LM that validated the variant, {scores.name}"
        files += _draw(named, styles, out / f"{stem}-figure-10-masked-lms", title=title)
    return files


def _draw(
    parts: Mapping[str, Part], styles: Mapping[str, int], path: Path, *, title: str, line: Bars | None = None
) -> list[Path]:
    bars = [
        Bars(f"{name}: {part.good.share:.0%} of {part.good.variants} good", _heights(part), styles[name])
        for name, part in parts.items()
    ]
    return draw_bars(
        bars, CATEGORIES, path, title=title, panels=PANELS, y_label="Share of the given scores (%)", line=line
    )


def _heights(part: Part) -> dict[str, list[float]]:
    counts = {name: list(part.counts(name).values()) for name in SCORES}
    return {name: [count / sum(each) for count in each] for name, each in counts.items()}


def _weighted_line(classes: Mapping[str, Part], weighted: Weighted) -> Bars:
    heights = {name: _heights(part) for name, part in classes.items()}
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
