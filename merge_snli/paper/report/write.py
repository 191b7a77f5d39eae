"""Write a report as a folder: one HTML page without scripts, the figures, the tables and every number."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.base.files import write_bytes, write_json, write_text
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.templates import page_template
from merge_snli.card.metadata import license_text
from merge_snli.comparison.html_page import asset, shared_style
from merge_snli.comparison.line_chart import COLORS, GRAY, GRID, image
from merge_snli.comparison.scored_dataset import NotComputable, ScoredDataset
from merge_snli.dataset.out_folder import check_out, new_content
from merge_snli.paper.report.artifact import Artifact, Draw
from merge_snli.paper.report.report import Chapter, Report
from merge_snli.results.grouping import all_notes

_VARIABLES = {
    "#000000": "var(--ink)",
    "#ffffff": "var(--card)",
    GRAY: "var(--soft)",
    GRID: "var(--grid)",
    **{color: f"var(--line-{position})" for position, color in enumerate(COLORS)},
}
_COLOR = re.compile("|".join(_VARIABLES))
_NUMBER = re.compile(r"-?\d+\.\d{3,}")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
# What the page shows of a chapter, section or artifact.
Shown: TypeAlias = dict[str, Any]

CONTENT = FIGURES, TABLES, NUMBERS, PAGE = "figures", "tables", "report.json", "index.html"


def inline_svg(text: str, *, key: str, label: str) -> str:
    """Return the SVG element for an HTML page.

    Args:
        text: The SVG file.
        key: Prefix of the element's ids, unique on the page.
        label: Text for readers who do not see the figure.

    Returns:
        The element: without prolog, metadata and comments, with the colors of the page instead of fixed ones, and with
        coordinates in hundredths of a point.
    """
    element = text[text.index("<svg") :]
    element = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style[^>]*>.*?</style>", "", element, flags=re.DOTALL)
    element = _COLOR.sub(lambda color: _VARIABLES[color[0]], element)
    element = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{key}-", element)
    element = _NUMBER.sub(lambda number: f"{float(number[0]):.2f}", element)
    size = re.search(r'viewBox="[^"]*"', element)
    box = size[0] if size else ""
    opening = f'<svg {box} role="img" aria-label="{escape(label)}" class="figure">'
    return re.sub(r"\s*\n\s*", " ", opening + element[element.index(">") + 1 :])


def render_page(report: Report, chapters: Sequence[Shown]) -> str:
    """Return the page as HTML.

    Args:
        report: The report.
        chapters: What the page shows of each chapter.
    """
    data_sets = {chapter.scored[0].data.stored.digest for chapter in report.data_sets}
    style = f"{shared_style()}\n{_asset('report.css')}"
    page = page_template(_asset("report.html.jinja"))
    return page.render(policy=POLICY, style=style, n_data_sets=len(data_sets), chapters=chapters)


def _facts(scored: ScoredDataset) -> Shown:
    """Return a data set, the notes on its models, and its license."""
    record = scored.data.stored.record
    notes = []
    for model in scored.models:
        notes += [(model.name, note) for note in all_notes(model.result)]
    terms = license_text(record).replace("`", "")
    return {"scored": scored, "inflation": record.options.get("inflation"), "notes": notes, "terms": terms}


def _asset(name: str) -> str:
    return asset("merge_snli.paper.report", "page", name)


def check_report_folder(out: str | Path) -> Path:
    """Check that a report can be written to a folder, and expand `~` and links in its path.

    Raises:
        InputError: If `check_out` refuses the folder, or it has files that are not a report's.
    """
    return check_out(out, "a report", CONTENT)


def write_report(report: Report, out: Path, progress: Progress) -> Path:
    """Write a report beside `out`, then replace `out` by it.

    Args:
        report: The report.
        out: Output folder; a report in it is replaced.
        progress: Where to report the progress.

    Returns:
        Path of the page.

    Raises:
        InputError: If `out` has other files, the disk is full, or the folder cannot be written; `out` is unchanged.
    """
    out = check_report_folder(out)
    with new_content(out, CONTENT) as staged:
        for folder in (FIGURES, TABLES):
            (staged / folder).mkdir()
        _write_files(report, staged, progress)
    return out / PAGE


def _write_files(report: Report, folder: Path, progress: Progress) -> None:
    chapters = []
    with progress.stage("report", unit="figures and tables") as stage:
        for chapter in report.chapters:
            chapters.append(_write_chapter(chapter, folder, stage))
    write_text(folder / PAGE, render_page(report, chapters))
    write_json(folder / NUMBERS, report.as_dict())


def _write_chapter(chapter: Chapter, folder: Path, stage: Stage) -> Shown:
    """Write the artifacts of a chapter, and return what the page shows of it."""
    sections = []
    not_computed = []
    for section, value in chapter.analyses:
        if isinstance(value, NotComputable):
            not_computed.append((section, str(value).rstrip(".")))
            continue
        artifacts = []
        for show in section.artifacts:
            artifact = show(value)
            artifacts.append(_write_artifact(artifact, f"{chapter.key}-{artifact.name}", folder))
            stage.advance(1)
        sections.append({"section": section, "artifacts": artifacts})
    facts = [_facts(scored) for scored in chapter.scored] if chapter.of_one_data_set else []
    return {"chapter": chapter, "facts": facts, "sections": sections, "not_computed": not_computed}


def _write_artifact(artifact: Artifact, key: str, folder: Path) -> Shown:
    """Write an artifact, and return what the page shows of it: of a figure the elements by width."""
    name = key
    for number, table in enumerate(artifact.tables, start=1):
        if number > 1:
            name = f"{key}-{number}"
        path = folder / TABLES / name
        write_text(path.with_name(f"{name}.csv"), table.csv())
        write_text(path.with_name(f"{name}.md"), table.markdown())
        write_text(path.with_name(f"{name}.tex"), table.latex())
    svg = {}
    if artifact.draw is not None:
        figures = _write_figure(artifact.draw, artifact.title, folder / FIGURES / key)
        for width, content in figures.items():
            svg[width] = inline_svg(content.decode(), key=f"{key}-{width}", label=artifact.title)
    return {"artifact": artifact, "svg": svg}


def _write_figure(draw: Draw, title: str, stem: Path) -> dict[str, bytes]:
    """Write a figure as PNG and SVG; return it and the figure for a phone as SVG by width."""
    wide, narrow = draw(False, title), draw(True, title)
    svg = image(wide, "svg", text_as="none")
    write_bytes(stem.with_name(f"{stem.name}.png"), image(wide, "png"))
    write_bytes(stem.with_name(f"{stem.name}.svg"), svg)
    return {"wide": svg, "narrow": image(narrow, "svg", text_as="none")}
