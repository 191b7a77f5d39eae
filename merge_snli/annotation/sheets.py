"""Write the sheets of a sample: one per annotator as XLSX and CSV, guidelines, and a Label Studio project."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from pydantic import TypeAdapter

from merge_snli.annotation.sample import SAMPLE_FILE, Sample, rank
from merge_snli.annotation.shown import COLUMNS, COMMENT, SheetRow, headings
from merge_snli.base.errors import explained
from merge_snli.base.extras import install_command
from merge_snli.base.files import write_json, write_text
from merge_snli.base.table import Cell, Column, Table, capitalized, count, printable
from merge_snli.base.templates import page_template, text_template
from merge_snli.comparison.html_page import asset, shared_style
from merge_snli.dataset.judgments import SCALE, SCORES
from merge_snli.dataset.out_folder import check_out, new_content
from merge_snli.dataset.texts import TextNames

GUIDELINES, GUIDELINES_PAGE = "guidelines.md", "guidelines.html"
# Widths of columns in characters.
WIDTHS = {"variant_id": 16, "label": 14, **dict.fromkeys(SCORES, 5), COMMENT: 40}
TEXT_WIDTH = 36


def label_config(texts: TextNames) -> str:
    """Return the labeling interface: the texts, one choice from 1 to 5 for each score, and a comment."""
    titles = {name: capitalized(heading.replace("_", " ")) for name, heading in headings(texts).items()}
    return _rendered("label_config.xml.jinja", titles=titles, scores=SCORES, scale=SCALE)


def write_sheets(sample: Sample, out: Path) -> None:
    """Write the folder of a sample; it appears complete or not at all.

    Args:
        sample: The sample.
        out: A folder that does not exist or is empty.
    """
    with new_content(check_out(out, content=())) as staged:
        header = [*headings(sample.texts).values()]
        blank = [""] * (len(SCORES) + 1)
        for annotator in sample.annotators:
            rows = tuple((*row.values(), *blank) for row in _in_order_of(annotator, sample))
            write_text(staged / f"{annotator}.csv", Table(columns=[*map(Column, header)], rows=rows).csv())
            _write_xlsx(staged / f"{annotator}.xlsx", header, rows)
        text = guidelines(sample)
        write_text(staged / GUIDELINES, text)
        write_text(staged / GUIDELINES_PAGE, _as_page(text))
        write_text(staged / "label_config.xml", label_config(sample.texts))
        write_json(staged / "tasks.json", [{"data": row} for row in _in_order_of("", sample)])
        write_json(staged / SAMPLE_FILE, TypeAdapter(Sample).dump_python(sample, mode="json"))


def sample_table(sample: Sample) -> Table:
    """Return how many variants were drawn from how many, by data set and stratum."""
    rows: list[tuple[Cell, ...]] = []
    for dataset in sample.datasets:
        for stratum, population in dataset.population.items():
            rows.append((dataset.name, stratum, population, dataset.size))
    return Table(
        columns=(Column("Data set", "left"), Column("Stratum", "left"), Column("Variants"), Column("Sampled")),
        rows=rows,
        notes=(f"{count(len(sample.shown), 'variant')} per annotator",),
    )


def _in_order_of(annotator: str, sample: Sample) -> list[SheetRow]:
    """Return the rows in an order of the annotator's own."""
    return sorted(sample.rows, key=lambda row: rank(sample.random_seed, annotator, row["variant_id"]))


def guidelines(sample: Sample, how_to_answer: str = "") -> str:
    """Return the guidelines for annotators, which name the texts and labels of the sample.

    Args:
        sample: The sample.
        how_to_answer: The last section for annotators who have no sheets; empty for that on filling in a sheet.
    """
    shown = "A question" if how_to_answer else "Each row"
    values = {"is_nli": sample.is_nli, "labels": sample.labels, "how_to_answer": how_to_answer, "shown": shown}
    return _rendered(GUIDELINES, **values, **sample.texts._asdict())


def _rendered(name: str, **values: Any) -> str:  # noqa: ANN401 - any values
    """Return the text of a template of this package with values in it."""
    return text_template(asset("merge_snli.annotation", name), quoteattr=quoteattr).render(values)


def _as_page(text: str) -> str:
    """Return a Markdown text as a page for a browser, in the style of the other pages."""
    with explained(ImportError, f"markdown-it-py is not installed: run {install_command('annotate')}"):
        from markdown_it import MarkdownIt
    return page_template(asset("merge_snli.annotation", "guidelines.html.jinja")).render(
        style=shared_style(), text=MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    )


def _write_xlsx(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a spreadsheet with drop-downs for the scores."""
    with explained(ImportError, f"openpyxl is not installed: run {install_command('annotate')}"):
        import openpyxl
    styles = openpyxl.styles
    letter_of = openpyxl.utils.get_column_letter
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "variants"
    sheet.append(header)
    for row in rows:
        sheet.append([printable(text) for text in row])
    for column, name in enumerate(COLUMNS, 1):
        sheet.cell(1, column).font = styles.Font(bold=True)
        sheet.column_dimensions[letter_of(column)].width = WIDTHS.get(name, TEXT_WIDTH)
    for cells in sheet.iter_rows():
        for cell in cells:
            if cell.row > 1:
                cell.alignment = styles.Alignment(wrap_text=True, vertical="top")
            if isinstance(cell.value, str):
                cell.data_type = "s"  # a text that starts with an equals sign is not a formula
    sheet.freeze_panes = "B2"
    choices = ",".join(map(str, SCALE))
    drop_down = openpyxl.worksheet.datavalidation.DataValidation(
        type="list", formula1=f'"{choices}"', allow_blank=True, showErrorMessage=True
    )
    drop_down.error = f"Choose one of {choices}: 1 is poor, 5 is good."
    sheet.add_data_validation(drop_down)
    for name in SCORES:
        letter = letter_of(COLUMNS.index(name) + 1)
        drop_down.add(f"{letter}2:{letter}{len(rows) + 1}")
    workbook.save(path)
