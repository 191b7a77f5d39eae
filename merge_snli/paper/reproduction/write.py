"""Write a reproduction: every number beside the paper's as JSON, and the Markdown file and the page that show it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from merge_snli.base.batches import grouped
from merge_snli.base.files import read_json, write_json, write_text
from merge_snli.base.table import NO_VALUE, Table, capitalized
from merge_snli.base.templates import page_template, text_template
from merge_snli.comparison.findings import comparable
from merge_snli.comparison.html_page import asset, shared_style
from merge_snli.paper.report.artifact import NamedColumns
from merge_snli.paper.report.write import POLICY, inline_svg
from merge_snli.paper.reproduction.verdict import (
    DIFFERS,
    EQUAL,
    INSIDE,
    NOT_COMPARABLE,
    NOT_COMPUTED,
    OUTSIDE,
    VERDICTS,
    Document,
    decimals,
)

FILES = JSON_FILE, MARKDOWN_FILE, PAGE = "reproduction.json", "reproduction.md", "reproduction.html"

FIGURES = "figures"

COMPARED = tuple(verdict for verdict in VERDICTS if verdict not in (NOT_COMPARABLE, NOT_COMPUTED))

# Rows that a reason names; of more, it says how many.
NAMED_ROWS = 4

# Marks of the verdicts on our numbers; `_mark` has those outside our interval.
MARKS = {EQUAL: "=", INSIDE: "✓", DIFFERS: "≠"}
LEGEND = (
    "Marks: = our number is the paper's after rounding; ✓ the paper's number is inside our 95% interval; ▲ ▼ it is "
    "outside, and ours is higher or lower; ≠ it differs, and ours has no interval or is a word; no mark: the numbers "
    "do not compare, or ours was not computed."
)


def write_reproduction(document: Document, out: Path) -> None:
    """Write the three files.

    Args:
        document: The content of the JSON file.
        out: The output folder, with the figures.

    Raises:
        InputError: If a file cannot be written.
    """
    write_json(out / JSON_FILE, document)
    shown = _shown(read_json(out / JSON_FILE), out)
    # Cells of the Markdown file are such as `90.5 / 90.0 ✓`: the paper's number, ours, the mark.
    for file in (MARKDOWN_FILE, PAGE):
        text = asset("merge_snli.paper.reproduction", "page", f"{file}.jinja")
        template = page_template(text) if file == PAGE else text_template(text)
        write_text(out / file, template.render(table=_grid_table, **shown))


def _verdicts(artifacts: Sequence[Document]) -> Counter[str]:
    verdicts: Counter[str] = Counter()
    for artifact in artifacts:
        verdicts.update(cell["verdict"] for cell in artifact["cells"])
    return verdicts


def finding(document: Document) -> str:
    """Return in one sentence how many numbers of the paper have ours beside them, and with which verdicts."""
    verdicts = _verdicts(document["artifacts"])
    compared = {verdict: verdicts[verdict] for verdict in COMPARED}
    return comparable(compared, verdicts.total(), document["not_comparable"] or "none was computed")


def summary(document: Document) -> Table:
    """Return how many cells of each artifact have each verdict."""
    artifacts = document["artifacts"]
    given = _verdicts(artifacts)
    columns = NamedColumns()
    columns.add_text("", "title")
    for verdict in VERDICTS:
        if given[verdict]:
            columns.add_value(verdict, verdict)
    rows = [{**_verdicts([artifact]), "title": artifact["title"]} for artifact in artifacts]
    note = "Numbers of cells. Differs: our number has no interval, or is a word."
    return columns.table(rows, finding=finding(document), notes=[note])


def grid(artifact: Document) -> dict[str, list[dict[str, str]]]:
    """Return the cells of an artifact as the paper prints them, in texts: those of each row, by name of the row.

    Each cell has the paper's number, ours, the mark of the verdict, and what the interval and the verdict are.
    """
    digits = _digits(artifact)
    rows: dict[str, list[dict[str, str]]] = {}
    for cell in artifact["cells"]:
        paper = cell["paper"]
        column = cell["column"]
        shown = decimals(paper) if isinstance(paper, int | float) else digits[column]
        explained = cell["verdict"]
        if cell["difference"]:
            difference = _number(cell["difference"], shown, "+")
            explained = f"{difference}, {explained}"
        if cell["interval"]:
            low, high = (_number(end, shown) for end in cell["interval"])
            explained += f", interval {low} to {high}"
        texts = {
            "column": column,
            "mark": _mark(cell),
            "explained": explained,
            "paper": _number(paper, shown) or NO_VALUE,
            "ours": _number(cell["ours"], shown) or NO_VALUE,
        }
        rows.setdefault(cell["row"], []).append(texts)
    return rows


def _digits(artifact: Document) -> dict[str, int | None]:
    """Return the most digits after the point that the paper prints in each column; None if it has no numbers there."""
    digits: dict[str, int | None] = {}
    for cell in artifact["cells"]:
        most = digits.setdefault(cell["column"], None)
        if isinstance(cell["paper"], int | float):
            digits[cell["column"]] = max(most or 0, decimals(cell["paper"]))
    return digits


def _mark(cell: Document) -> str:
    """Return the mark of a verdict; of a number outside our interval, it says on which side ours is."""
    if cell["verdict"] == OUTSIDE:
        return "▲" if cell["difference"] > 0 else "▼"
    return MARKS.get(cell["verdict"], "")


def reasons(artifact: Document, known: str = "") -> list[str]:
    """Return why numbers of an artifact do not compare or were not computed, with the rows if it is not so for all.

    Args:
        artifact: The artifact as JSON values.
        known: A reason that is said elsewhere.
    """
    every = {cell["row"] for cell in artifact["cells"]}
    found = []
    for reason, names in grouped((cell["reason"], cell["row"]) for cell in artifact["cells"]).items():
        rows = dict.fromkeys(names)
        if reason not in ("", known):
            some = "" if len(rows) == len(every) else f" ({_rows(list(rows))})"
            found.append(f"{capitalized(reason)}{some}.")
    return found


def _rows(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= NAMED_ROWS else f"{len(names)} rows"


def _number(value: Any, digits: int | None, sign: str = "") -> str | None:  # noqa: ANN401 - a JSON value
    """Return a number with as many digits after the point as the paper prints."""
    if value is None or isinstance(value, str):
        return value
    if digits is None:
        digits = int(isinstance(value, float))
    return f"{value:{sign},.{digits}f}"


def _grid_table(artifact: Document) -> Table:
    columns = NamedColumns()
    columns.add_text("", "")
    for column in artifact["columns"]:
        columns.add_value(column, column)
    rows = []
    for row, cells in artifact["rows"].items():
        texts = {"": row}
        for cell in cells:
            texts[cell["column"]] = f"{cell['paper']} / {cell['ours']} {cell['mark']}".strip()
        rows.append(texts)
    return columns.table(rows, notes=artifact["reasons"])


def _place(artifact: Document) -> str:
    section = artifact["section"]
    return capitalized(section) if section.startswith("appendix") else f"section {section}"


def _quoted(said: str) -> str:
    """Return a quotation; an ellipsis shows that the sentence starts earlier."""
    start = "… " if said[:1].islower() else ""
    return f"“{start}{said}”"


def _shown(document: Document, out: Path) -> Document:
    """Return the values of both templates.

    Args:
        document: The content of the JSON file.
        out: The output folder, with the figures.
    """
    artifacts = []
    for artifact in document["artifacts"]:
        shown = {
            "place": _place(artifact),
            "rows": grid(artifact),
            "figures": _figures(artifact, out),
            "columns": list(_digits(artifact)),
            "says": [_quoted(said) for said in artifact["says"]],
            "reasons": reasons(artifact, document["not_comparable"]),
        }
        artifacts.append(artifact | shown)
    style = f"{shared_style()}\n{asset('merge_snli.paper.report', 'page', 'report.css')}"
    return {
        "paper": document["paper"],
        "finding": finding(document),
        "facts": _facts(document),
        "summary": summary(document),
        "legend": LEGEND,
        "artifacts": artifacts,
        "policy": POLICY,
        "style": style,
    }


def _figures(artifact: Document, out: Path) -> list[dict[str, str]]:
    """Return a figure as elements of the page, with the width of the page that each is for; empty for any."""
    files = [out / file for file in artifact["figure"]]
    widths = [""] if len(files) == 1 else ["wide", "narrow"]
    figures = []
    for width, file in zip(widths, files, strict=False):
        svg = inline_svg(file.read_text(encoding="utf-8"), key=file.stem, label=artifact["title"])
        figures.append({"width": width, "html": svg})
    return figures


def _facts(document: Document) -> list[str]:
    """Return in sentences what was run, and what is missing."""
    run = f"Problems: {document['problems']}. "
    if document["masked_lms"]:
        run += f"Masked LMs: {', '.join(document['masked_lms'])}. "
    run += f"Models: {', '.join(document['models'])}. merge-snli {document['version']}."
    facts = [run]
    if document["paper"]["note"]:
        facts.append(document["paper"]["note"])
    for name, reason in document["failed"].items():
        facts.append(f"Missing: {name}: {reason}")
    return facts
