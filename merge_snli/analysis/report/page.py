"""Render the report as one HTML page without scripts, which works offline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from merge_snli.analysis.html_page import asset, shared_style, template
from merge_snli.analysis.not_computable import NotComputable
from merge_snli.analysis.report.inline_svg import inline_svg
from merge_snli.card.metadata import license_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.analysis.report.exhibit import Exhibit
    from merge_snli.analysis.report.report import Part, Report
    from merge_snli.analysis.scored_dataset import ScoredDataset

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, kw_only=True)
class DrawnExhibit:
    """An exhibit with its figure as SVG.

    Attributes:
        key: Stem of its files, unique in the report.
        exhibit: The figure or table.
        svg: The figure, and the figure for the width of a phone; None without a figure.
    """

    key: str
    exhibit: Exhibit
    svg: tuple[str, str] | None


def render_page(report: Report, drawn: Mapping[tuple[str, str], Sequence[DrawnExhibit]]) -> str:
    """Return the page as HTML.

    Args:
        report: The report.
        drawn: The exhibits of each analysis that was computed, by key of its part and name of its section.
    """
    return template(_asset("report.html.jinja")).render(
        policy=POLICY,
        style=f"{shared_style()}\n{_asset('report.css')}",
        n_data_sets=len(report.data_sets),
        parts=[_part(part, drawn) for part in report.parts],
    )


def _part(part: Part, drawn: Mapping[tuple[str, str], Sequence[DrawnExhibit]]) -> dict[str, Any]:
    return {
        "key": part.key,
        "title": part.title,
        "facts": [_facts(scored) for scored in part.scored] if part.of_one_data_set else [],
        "sections": [
            {"section": section, "exhibits": [_shown(each) for each in drawn[part.key, section.name]]}
            for section, value in part.analyses
            if not isinstance(value, NotComputable)
        ],
        "not_computed": [
            (section.title, section.paper, str(value).rstrip("."))
            for section, value in part.analyses
            if isinstance(value, NotComputable)
        ],
    }


def _facts(scored: ScoredDataset) -> dict[str, Any]:
    return {
        "seeds": len(scored.ids),
        "coverage": scored.coverage,
        "variants": len(scored.groups),
        "units": scored.data.units,
        "subsamples": scored.models[0].result.draws,
        "models": [model.name for model in scored.models],
        "notes": [(model.name, note) for model in scored.models for note in model.result.notes],
        "terms": license_text(scored.dataset.record).replace("`", ""),
    }


def _shown(drawn: DrawnExhibit) -> dict[str, Any]:
    exhibit = drawn.exhibit
    svg = dict(zip(("wide", "narrow"), drawn.svg or (), strict=False))
    return {
        "exhibit": exhibit,
        "svg": {
            width: inline_svg(text, key=f"{drawn.key}-{width}", label=exhibit.title) for width, text in svg.items()
        },
        "tables": [table.html() for table in exhibit.tables],
    }


def _asset(name: str) -> str:
    return asset("merge_snli.analysis.report", "page", name)
