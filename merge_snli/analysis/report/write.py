"""Write a report as a folder: the page, the figures, the tables and every number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.analysis.charts.line_chart import image
from merge_snli.analysis.not_computable import NotComputable
from merge_snli.analysis.report.page import DrawnExhibit, render_page
from merge_snli.base.files import write_bytes, write_json, write_text
from merge_snli.dataset.folders import check_out, new_content

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.analysis.report.exhibit import Draw, Exhibit
    from merge_snli.analysis.report.report import Report
    from merge_snli.base.progress import Progress
    from merge_snli.base.table import Table

CONTENT = FIGURES, TABLES, NUMBERS, PAGE = "figures", "tables", "report.json", "index.html"


def check_report_folder(out: str | Path) -> Path:
    """Check that a report can be written to a folder, and expand `~` and links in its path.

    Raises:
        InputError: If `check_out` refuses the folder, or it has files that are not a report's.
    """
    return check_out(
        out, "a report", lambda folder: min({path.name for path in folder.iterdir()} - {*CONTENT}, default=None)
    )


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
    drawn: dict[tuple[str, str], list[DrawnExhibit]] = {}
    with progress.stage("report", unit="figures and tables") as stage:
        for part in report.parts:
            for section, value in part.analyses:
                if not isinstance(value, NotComputable):
                    exhibits = drawn.setdefault((part.key, section.name), [])
                    for exhibit in section.exhibits(value):
                        exhibits.append(_write_exhibit(exhibit, f"{part.key}-{exhibit.name}", folder))
                        stage.advance(1)
    write_text(folder / PAGE, render_page(report, drawn))
    write_json(folder / NUMBERS, report.as_dict())


def _write_exhibit(exhibit: Exhibit, key: str, folder: Path) -> DrawnExhibit:
    svg = None if exhibit.draw is None else _write_figure(exhibit.draw, exhibit.title, folder / FIGURES / key)
    for number, table in enumerate(exhibit.tables):
        _write_table(table, folder / TABLES / (f"{key}-{number + 1}" if number else key))
    return DrawnExhibit(key=key, exhibit=exhibit, svg=svg)


def _write_figure(draw: Draw, title: str, stem: Path) -> tuple[str, str]:
    """Write a figure as PNG and SVG; return it and the figure for a phone as SVG."""
    wide, narrow = draw(False, title), draw(True, title)
    svg = image(wide, "svg", text_as="none")
    write_bytes(stem.with_name(f"{stem.name}.png"), image(wide, "png"))
    write_bytes(stem.with_name(f"{stem.name}.svg"), svg)
    return svg.decode(), image(narrow, "svg", text_as="none").decode()


def _write_table(table: Table, stem: Path) -> None:
    for extension, text in (("csv", table.csv()), ("md", table.markdown()), ("tex", table.latex())):
        write_text(stem.with_name(f"{stem.name}.{extension}"), text)
