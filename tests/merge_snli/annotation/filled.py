"""Fill in the sheets of a sample with made-up scores."""

import csv
import json
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from merge_snli.base.files import read_json

Scores = dict[str, tuple[int, int]]
"""F and R by variant id."""


def random_scores(ids: list[str], seed: int) -> Scores:
    """Scores that are mostly good; two annotators with different seeds mostly agree."""
    same = random.Random(0)
    own = random.Random(seed)
    scores = {}
    for each in sorted(ids):
        fluency, reasoning = same.choices(range(1, 6), [1, 1, 1, 3, 9], k=2)
        first, second = own.choices([0, 1, 2], [6, 2, 1], k=2)
        scores[each] = max(1, fluency - first), max(1, reasoning - second)
    return scores


def fill_csv(path: Path, scores: Mapping[str, tuple[int, int]]) -> None:
    """Write scores into a CSV sheet."""
    with csv_rows(path) as rows:
        for row in rows:
            row["F"], row["R"] = map(str, scores[row["variant_id"]])


@contextmanager
def csv_rows(path: Path) -> Iterator[list[dict[str, str]]]:
    """Read the rows of a CSV sheet, and write them back after they were changed."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    yield rows
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@contextmanager
def xlsx_rows(path: Path) -> Iterator[Any]:
    """Open the worksheet of a spreadsheet, and save it after it was changed."""
    from openpyxl import load_workbook

    workbook = load_workbook(path)
    yield workbook.active
    workbook.save(path)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Read the rows of a sheet or the content of a JSON file, and write them back after they were changed."""
    if path.suffix == ".json":
        content = read_json(path)
        yield content
        path.write_text(json.dumps(content), encoding="utf-8")
    else:
        with (csv_rows if path.suffix == ".csv" else xlsx_rows)(path) as rows:
            yield rows


def edit(name: str, change: Callable[[Any], object]) -> Callable[[Path], None]:
    """Return a function that changes the content of a file of a folder."""

    def damage(folder: Path) -> None:
        with opened(folder / name) as content:
            change(content)

    return damage


def fill_xlsx(path: Path, scores: Mapping[str, tuple[int, int]]) -> None:
    """Write scores into a spreadsheet."""
    with xlsx_rows(path) as sheet:
        for row in sheet.iter_rows(min_row=2):
            row[6].value, row[7].value = scores[row[0].value]


def export(tasks: Path, scores: Mapping[Any, Mapping[str, tuple[int, int]]]) -> list[dict[str, Any]]:
    """Return Label Studio's JSON export of a project, with one annotation of each task per user."""
    exported = []
    for number, task in enumerate(read_json(tasks), 1):
        annotations = []
        for user, by_id in scores.items():
            given = [_choice(*each) for each in zip("FR", by_id[task["data"]["variant_id"]], strict=True)]
            annotations.append({"completed_by": user, "was_cancelled": False, "result": given})
        exported.append({"id": number, "data": task["data"], "annotations": annotations})
    return exported


def _choice(name: str, score: int) -> dict[str, Any]:
    return {"from_name": name, "to_name": "premise", "type": "choices", "value": {"choices": [str(score)]}}
