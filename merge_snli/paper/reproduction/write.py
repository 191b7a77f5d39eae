"""Write a reproduction: every number beside the paper's as JSON, and the Markdown file and the page that show it."""

import base64
import json
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from merge_snli.base.files import write_json, write_text
from merge_snli.base.table import Column, Table
from merge_snli.comparison.html_page import asset, shared_style, template
from merge_snli.paper.report.write import POLICY, inline_svg
from merge_snli.paper.reproduction.verdict import VERDICTS, Document, decimals

FILES = JSON_FILE, MARKDOWN_FILE, PAGE = "reproduction.json", "reproduction.md", "reproduction.html"

FIGURES = "figures"


def write_reproduction(document: Document, out: Path) -> None:
    """Write the three files.

    Args:
        document: The content of the JSON file.
        out: The output folder, with the figures.

    Raises:
        InputError: If a file cannot be written.
    """
    write_json(out / JSON_FILE, document)
    document = json.loads((out / JSON_FILE).read_text(encoding="utf-8"))
    write_text(out / MARKDOWN_FILE, as_markdown(document))
    write_text(out / PAGE, as_html(document, out))


def summary(document: Document) -> Table:
    """Return how many cells of each artifact have each verdict."""
    counts = {
        artifact["name"]: Counter(cell["verdict"] for cell in artifact["cells"]) for artifact in document["artifacts"]
    }
    verdicts = [verdict for verdict in VERDICTS if any(verdict in of for of in counts.values())]
    return Table(
        columns=(Column("", "left"), *map(Column, verdicts)),
        rows=tuple((name, *(of[verdict] or None for verdict in verdicts)) for name, of in counts.items() if of.total()),
        notes=("Numbers of cells. Differs: our number has no interval, or is a word.",),
    )


def cell_table(artifact: Document, known_reason: str = "") -> Table:
    """Return the cells of an artifact as a table, without columns that none of them has a value for.

    Args:
        artifact: The artifact as JSON values.
        known_reason: A reason that is said elsewhere, why no number compares.
    """
    columns = (
        Column("", "left"),
        Column(" ", "left"),
        Column("paper"),
        Column("ours"),
        Column("95% interval"),
        Column("difference"),
        Column("verdict", "left"),
        Column("reason", "left", wrap=True),
    )
    rows = [_row(cell, known_reason) for cell in artifact["cells"]]
    kept = [number for number in range(len(columns)) if any(row[number] is not None for row in rows)]
    return Table(
        columns=tuple(columns[number] for number in kept),
        rows=tuple(tuple(row[number] for number in kept) for row in rows),
    )


def _row(cell: Document, known_reason: str) -> tuple[str | None, ...]:
    paper, ends = cell["paper"], cell["interval"]
    return (
        cell["row"],
        cell["column"],
        _number(paper, paper),
        _number(cell["ours"], paper),
        None if ends is None else " to ".join(_number(end, paper) or "" for end in ends),
        None if cell["difference"] is None else _number(cell["difference"], paper, "+"),
        cell["verdict"],
        None if cell["reason"] in ("", known_reason) else cell["reason"],
    )


def _number(value: Any, like: Any, sign: str = "") -> str | None:  # noqa: ANN401 - a JSON value
    """Return a number with as many digits as the paper's."""
    if value is None or isinstance(value, str):
        return value
    digits = decimals(like) if isinstance(like, int | float) else int(isinstance(value, float))
    return f"{value:{sign},.{digits}f}"


def as_markdown(document: Document) -> str:
    """Return the reproduction as Markdown."""
    lines = [
        f"# Reproduction of {document['paper']['source']}",
        "",
        *_facts(document),
        "",
        summary(document).markdown(),
    ]
    for artifact in document["artifacts"]:
        lines += ["", f"## {artifact['title']} (section {artifact['section']})", ""]
        lines += [line for said in artifact["says"] for line in (f"> {said}", "")]
        lines += [line for file in artifact["figure"][:1] for line in (f"![{artifact['title']}]({file})", "")]
        lines += [f"Not computed: {artifact['not_computed']}."] if artifact["not_computed"] else []
        lines += ["", "```bash", *artifact["commands"], "```"] if artifact["commands"] else []
        lines += [cell_table(artifact, document["not_comparable"]).markdown()] if artifact["cells"] else []
    return "\n".join(lines) + "\n"


def as_html(document: Document, out: Path) -> str:
    """Return the reproduction as a page.

    Args:
        document: The content of the JSON file.
        out: The output folder, with the figures.
    """
    shown = [
        {
            **artifact,
            "figures": [_figure(out / file, artifact) for file in artifact["figure"]],
            "table": cell_table(artifact, document["not_comparable"]).html() if artifact["cells"] else "",
        }
        for artifact in document["artifacts"]
    ]
    return template(asset("merge_snli.paper.reproduction", "page", "reproduction.html.jinja")).render(
        policy=POLICY,
        style=f"{shared_style()}\n{asset('merge_snli.paper.report', 'page', 'report.css')}",
        paper=document["paper"],
        facts=_facts(document),
        summary=summary(document).html() if any(artifact["cells"] for artifact in document["artifacts"]) else "",
        artifacts=shown,
    )


def _facts(document: Document) -> list[str]:
    """Return in sentences what was run, and what is missing."""
    why, masked_lms = document["not_comparable"], ", ".join(document["masked_lms"])
    return [
        f"Problems: {document['problems']}. {masked_lms and f'Masked LMs: {masked_lms}. '}Models: "
        f"{', '.join(document['models'])}. merge-snli {document['version']}.",
        *([document["paper"]["note"]] if document["paper"]["note"] else []),
        *([f"No number compares with the paper's: {why}."] if why else []),
        *(f"Missing: {name}: {reason}" for name, reason in document["failed"].items()),
    ]


def _figure(file: Path, artifact: Document) -> dict[str, str]:
    """Return a figure as an element of the page, with its width."""
    width = "narrow" if file.stem.endswith("-narrow") else "wide"
    if file.suffix == ".svg":
        svg = file.read_text(encoding="utf-8")
        return {"width": width, "html": inline_svg(svg, key=file.stem, label=artifact["title"])}
    data = base64.b64encode(file.read_bytes()).decode()
    return {
        "width": "",
        "html": f'<img class="figure" alt="{escape(artifact["title"])}" src="data:image/png;base64,{data}">',
    }
