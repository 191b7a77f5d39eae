"""Our numbers on data: Tables 2, 4, 5, 6 and 9, and Figure 9."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from generation.report.overlap import draw_overlap
from generation.report.tables import report_tables
from merge_snli.base.table import Table
from merge_snli.dataset.stored import find_dataset
from merge_snli.models.finding import find_model
from merge_snli.models.paper_models import PAPER_NAMES
from merge_snli.reproduction.plan import PLAIN, SUGGESTIONS, Reproduction
from merge_snli.reproduction.verdict import OurNumber

Cells = Mapping[tuple[str, str], OurNumber]

FIGURES = "figures"

# The tables of a data set by name of the exhibit, with their number of columns that name a row.
TABLES = {"table-2": 1, "table-4": 1, "table-5": 1, "table-6": 2, "table-9": 1}


@dataclass(frozen=True, kw_only=True)
class Ours:
    """What we have for an exhibit.

    Attributes:
        cells: Our numbers, by row and column.
        reason: Why there are no others.
        files: Its figure, as paths in the output folder: an SVG file and one for the width of a phone, or a PNG file.
    """

    cells: Cells = field(default_factory=dict)
    reason: str = ""
    files: tuple[str, ...] = ()


def data_numbers(run: Reproduction) -> dict[str, Ours]:
    """Return our numbers on the plain data set, by name of the exhibit, and draw Figure 9.

    Raises:
        InputError: If a file of the data set or of its work folder is missing or changed.
    """
    dataset = find_dataset(str(run.folder(PLAIN)))
    tables, overlap = report_tables(dataset, run.work, suggestions=run.needs(SUGGESTIONS))
    found = {
        name: Ours(cells=_cells(tables[name.replace("-", "_")], labels), reason="not in this run")
        for name, labels in TABLES.items()
    }
    kinds = {}
    for name in run.options.mlm:
        model = find_model(name, allow_pickle=run.model_options.allow_pickle)
        config = json.loads((model.path / "config.json").read_text(encoding="utf-8"))
        kind = OurNumber(value="E-D" if config.get("is_encoder_decoder") else "E")
        kinds[PAPER_NAMES.get(model.name, model.name), "architecture"] = kind
    found["table-5"] = Ours(cells={**kinds, **found["table-5"].cells}, reason="not a masked LM of this run")
    if run.needs(SUGGESTIONS):
        draw_overlap(overlap, run.out / FIGURES / "figure-9.png")
        found["figure-9"] = Ours(files=(f"{FIGURES}/figure-9.png",))
    return found


def _cells(table: Table, labels: int) -> Cells:
    """Return the cells of a table by the names in its first columns, masked LMs by their names in the paper."""
    headers = [column.header for column in table.columns]
    return {
        (" ".join(PAPER_NAMES.get(str(name), str(name)) for name in row[:labels]), header): OurNumber(value=value)
        for row in table.rows
        for header, value in zip(headers[labels:], row[labels:], strict=True)
    }
