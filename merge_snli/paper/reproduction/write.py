"""Write a reproduction: every number beside the paper's as JSON, and the Markdown file and the page that show it."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from merge_snli.base.files import write_json, write_text
from merge_snli.base.table import NO_VALUE, Column, Table, capitalized
from merge_snli.comparison.findings import comparable
from merge_snli.comparison.html_page import asset, shared_style, template
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
    document = json.loads((out / JSON_FILE).read_text(encoding="utf-8"))
    write_text(out / MARKDOWN_FILE, as_markdown(document))
    write_text(out / PAGE, as_html(document, out))


def finding(document: Document) -> str:
    """Return in one sentence how many numbers of the paper have ours beside them, and with which verdicts."""
    verdicts = Counter(cell["verdict"] for artifact in document["artifacts"] for cell in artifact["cells"])
    compared = {verdict: verdicts[verdict] for verdict in COMPARED}
    return comparable(compared, verdicts.total(), document["not_comparable"] or "none was computed")


def summary(document: Document) -> Table:
    """Return how many cells of each artifact have each verdict."""
    counts = {
        artifact["name"]: Counter(cell["verdict"] for cell in artifact["cells"]) for artifact in document["artifacts"]
    }
    verdicts = [verdict for verdict in VERDICTS if any(verdict in of for of in counts.values())]
    return Table(
        columns=(Column("", "left"), *map(Column, verdicts)),
        rows=tuple(
            (artifact["title"], *(counts[artifact["name"]][verdict] or None for verdict in verdicts))
            for artifact in document["artifacts"]
        ),
        finding=finding(document),
        notes=("Numbers of cells. Differs: our number has no interval, or is a word.",),
    )


def grid(artifact: Document) -> dict[str, list[dict[str, str]]]:
    """Return the cells of an artifact as the paper prints them, in texts: those of each row, by name of the row.

    Each cell has the paper's number, ours, the mark of the verdict, and what the interval and the verdict are.
    """
    digits = _digits(artifact)
    rows: dict[str, list[dict[str, str]]] = {}
    for cell in artifact["cells"]:
        shown = digits[cell["column"]]
        if isinstance(cell["paper"], int | float):
            shown = decimals(cell["paper"])
        explained = cell["verdict"]
        if cell["difference"]:
            explained = f"{_number(cell['difference'], shown, '+')}, {explained}"
        if cell["interval"]:
            low, high = (_number(end, shown) for end in cell["interval"])
            explained += f", interval {low} to {high}"
        rows.setdefault(cell["row"], []).append(
            {
                "column": cell["column"],
                "paper": _number(cell["paper"], shown) or NO_VALUE,
                "ours": _number(cell["ours"], shown) or NO_VALUE,
                "mark": _mark(cell),
                "explained": explained,
            }
        )
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
    rows: dict[str, dict[str, None]] = {}
    for cell in artifact["cells"]:
        if cell["reason"] not in ("", known):
            rows.setdefault(cell["reason"], {})[cell["row"]] = None
    everywhere = len({cell["row"] for cell in artifact["cells"]})
    found = []
    for reason, names in rows.items():
        some = "" if len(names) == everywhere else f" ({_rows(list(names))})"
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


def as_markdown(document: Document) -> str:
    """Return the reproduction as Markdown, with cells such as `90.5 / 90.0 ✓`: the paper's number, ours, the mark."""
    lines = [
        f"# Reproduction of {document['paper']['source']}",
        "",
        *_facts(document),
        "",
        summary(document).markdown(),
        LEGEND,
    ]
    for artifact in document["artifacts"]:
        lines += ["", f"## {artifact['title']} ({_place(artifact)})", ""]
        lines += [line for said in artifact["says"] for line in (f"> {_quoted(said)}", "")]
        lines += [line for file in artifact["figure"][:1] for line in (f"![{artifact['title']}]({file})", "")]
        lines += [f"Not computed: {artifact['not_computed']}."] if artifact["not_computed"] else []
        lines += ["", "```bash", *artifact["commands"], "```"] if artifact["commands"] else []
        lines += [_grid_table(artifact, document["not_comparable"]).markdown()] if artifact["cells"] else []
    return "\n".join(lines) + "\n"


def _grid_table(artifact: Document, known_reason: str) -> Table:
    rows = grid(artifact)
    return Table(
        columns=(Column("", "left"), *map(Column, _columns(artifact))),
        rows=tuple(
            (row, *(f"{cell['paper']} / {cell['ours']} {cell['mark']}".strip() for cell in cells))
            for row, cells in rows.items()
        ),
        notes=tuple(reasons(artifact, known_reason)),
    )


def _columns(artifact: Document) -> list[str]:
    return list(dict.fromkeys(cell["column"] for cell in artifact["cells"]))


def _place(artifact: Document) -> str:
    section = artifact["section"]
    return capitalized(section) if section.startswith("appendix") else f"section {section}"


def _quoted(said: str) -> str:
    """Return a quotation; an ellipsis shows that the sentence starts earlier."""
    return f"“{'… ' if said[:1].islower() else ''}{said}”"


def as_html(document: Document, out: Path) -> str:
    """Return the reproduction as a page.

    Args:
        document: The content of the JSON file.
        out: The output folder, with the figures.
    """
    shown = []
    for artifact in document["artifacts"]:
        n_ours = sum(cell["ours"] is not None for cell in artifact["cells"])
        more = {
            "place": _place(artifact),
            "says": [_quoted(said) for said in artifact["says"]],
            "figures": [_figure(out / file, artifact) for file in artifact["figure"]],
            "columns": _columns(artifact),
            "rows": grid(artifact),
            "reasons": reasons(artifact, document["not_comparable"]),
            "n_ours": n_ours,
        }
        shown.append(artifact | more)
    return template(asset("merge_snli.paper.reproduction", "page", "reproduction.html.jinja")).render(
        policy=POLICY,
        style=f"{shared_style()}\n{asset('merge_snli.paper.report', 'page', 'report.css')}",
        paper=document["paper"],
        finding=finding(document),
        facts=_facts(document),
        summary=summary(document),
        legend=LEGEND,
        artifacts=shown,
    )


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


def _figure(file: Path, artifact: Document) -> dict[str, str]:
    """Return a figure as an element of the page, with the width of the page that it is for; empty for any."""
    narrow = file.with_name(f"{file.stem}-narrow.svg")
    width = "narrow" if file.stem.endswith("-narrow") else "wide" if narrow.exists() else ""
    svg = file.read_text(encoding="utf-8")
    return {"width": width, "html": inline_svg(svg, key=file.stem, label=artifact["title"])}
