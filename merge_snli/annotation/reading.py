"""Read the scores of annotators from spreadsheets, CSV files, Label Studio's JSON export and logs, and check them."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.annotation.sample import (
    COMMENT,
    SAMPLE_FILE,
    SPELLINGS,
    TEXT_COLUMNS,
    Sample,
    SheetRow,
    headings,
    read_sample,
    whole_sample,
)
from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.table import printable, without_mark
from merge_snli.dataset.judgments import SCORES, is_judgments, judgments_in
from merge_snli.dataset.record import JudgeRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import TextNames
from merge_snli.problems.spreadsheets import read_xlsx

VARIANT_ID = "variant_id"
# What may separate the cells of a CSV file; spreadsheet programs of some languages write semicolons.
DELIMITERS = ",;\t"

# A row as it was read: its number or task, for messages, and its cells by column.
Row: TypeAlias = tuple[str, dict[str, Any]]


def sheet_rows(path: Path, texts: TextNames) -> list[Row]:
    """Read a spreadsheet or CSV file.

    Args:
        path: The file. Rows are numbered as a spreadsheet program shows them; empty rows are skipped.
        texts: What the sheets call the two texts of a problem.

    Raises:
        InputError: If the file cannot be read, has another extension, or lacks a column.
    """
    readers = {".xlsx": read_xlsx, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InputError(f"{path} is neither .xlsx, .csv nor .json: pass a sheet or an export of Label Studio")
    with explained(OSError, f"{path} cannot be read ({REASON}): name the file of a sheet"):
        header, *rows = readers[path.suffix.lower()](path) or [[]]
    columns = {heading: name for name, heading in headings(texts).items()}
    names = [columns.get(name, name) for name in map(_text, header)]
    for name in (VARIANT_ID, *SCORES):
        if names.count(name) != 1:
            problem = "has two columns" if name in names else "has no column"
            raise InputError(f"{path}, row 1: {problem} {name}: restore the header of the sheet")
    read: list[Row] = []
    for number, cells in enumerate(rows, 2):
        if any(cell not in (None, "") for cell in cells):
            values = [without_mark(cell) if isinstance(cell, str) else cell for cell in cells]
            read.append((f"row {number}", dict(zip(names, values, strict=False))))
    return read


def _text(cell: Any) -> str:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    return "" if cell is None else without_mark(str(cell).strip())


def _read_csv(path: Path) -> list[Sequence[Any]]:
    message = f"{path} is not a CSV file in UTF-8 ({REASON}): save it as CSV UTF-8"
    with explained((UnicodeDecodeError, csv.Error), message):
        text = path.read_bytes().decode("utf-8-sig")
        first = text.partition("\n")[0]
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=first.count), strict=True))


def export_rows(path: Path) -> dict[str, list[Row]]:
    """Read Label Studio's export in its format JSON.

    Args:
        path: The file.

    Returns:
        The rows of each annotator, by e-mail address if the export has it, otherwise `user N`. Skipped tasks have none.

    Raises:
        InputError: If the file cannot be read, is not such an export, or has no annotation.
    """
    rows: dict[str, list[Row]] = {}
    message = f"{path} is not an export of Label Studio ({REASON}): export the project in the format JSON"
    with (
        explained((ValueError, TypeError, LookupError, AttributeError), message),
        explained(OSError, f"{path} cannot be read ({REASON}): name an export of Label Studio"),
    ):
        for task in json.loads(path.read_bytes()):
            for annotation in task["annotations"]:
                if not annotation.get("was_cancelled"):
                    values = {region["from_name"]: _value(region["value"]) for region in annotation["result"]}
                    user = annotation["completed_by"]
                    name = str(user["email"]) if isinstance(user, dict) else f"user {user}"
                    rows.setdefault(name, []).append((f"task {task['id']}", {**task["data"], **values}))
    if not rows:
        raise InputError(f"{path} has no annotations: submit them in Label Studio, then export the project")
    return rows


def _value(value: dict[str, Any]) -> str:
    """Return the chosen score or the lines of a comment; several choices become a text that is not a score."""
    return "\n".join(map(str, value["text"] if "text" in value else value["choices"]))


@dataclass(frozen=True)
class Judgment:
    """One annotator's scores of one variant.

    Attributes:
        annotator: The annotator's name.
        variant_id: The variant.
        scores: F and R, from 1 to 5, by name.
        comment: The comment, or an empty string.
        texts: The variant as the annotator saw it, by column.
        judge: How the annotator was asked, if it is a language model.
    """

    annotator: str
    variant_id: str
    scores: dict[str, int]
    comment: str
    texts: dict[str, str]
    judge: JudgeRecord | None = None


# The scores by annotator, in the order of the files: one judgment per sampled variant, sorted by variant id. Logs and
# tables of judgments may lack some, such as those in replies of a language model that cannot be read.
Judgments: TypeAlias = dict[str, tuple[Judgment, ...]]


def read_sheets(
    paths: Sequence[Path], sample_file: Path | None = None, datasets: Sequence[MergeDataset] = ()
) -> tuple[Sample, Judgments]:
    """Read a sample and the scores of every annotator.

    Args:
        paths: At least one file as for `read_judgments`, or folder of filled-in sheets.
        sample_file: The file of the sample; None for that beside the first of them, or in it.
        datasets: Data sets whose variants are the sample if there are only judgments, and no file of a sample.

    Raises:
        InputError: As `read_sample`, `filled_sheets` and `read_judgments`.
    """
    folder = paths[0] if paths[0].is_dir() else paths[0].parent
    is_whole = datasets and not (sample_file or (folder / SAMPLE_FILE).exists()) and all(map(is_judgments, paths))
    sample = whole_sample(datasets) if is_whole else read_sample(sample_file or folder / SAMPLE_FILE)
    files = [filled_sheets(path, sample) if path.is_dir() else [path] for path in paths]
    return sample, read_judgments([path for of_folder in files for path in of_folder], sample)


def filled_sheets(folder: Path, sample: Sample) -> list[Path]:
    """Return the sheets in a folder that have a score, and exports of Label Studio that are named after an annotator.

    Args:
        folder: The folder.
        sample: The sample that the sheets were made from.

    Raises:
        InputError: If an annotator has no such sheet, or a sheet cannot be read.
    """
    filled: list[Path] = []
    for annotator in sample.annotators:
        paths = [folder / f"{annotator}{extension}" for extension in (".xlsx", ".csv", ".json")]
        with_scores = [
            path
            for path in paths
            if path.is_file()
            and (
                path.suffix == ".json"
                or any(cells.get(name) for _, cells in sheet_rows(path, sample.texts) for name in SCORES)
            )
        ]
        if not with_scores:
            raise InputError(
                f"{folder} has no filled-in sheet of {annotator}: add {' or '.join(path.name for path in paths)}, or "
                "name the files of the other annotators"
            )
        filled += with_scores
    return filled


def read_judgments(paths: Sequence[Path], sample: Sample) -> Judgments:
    """Read the scores of every annotator.

    Args:
        paths: A sheet (.xlsx or .csv, named after its annotator) per annotator, exports of Label Studio (.json), or
            judgments as for `merge_snli.dataset.judgments.judgments_in`.
        sample: The sample that the sheets were made from.

    Raises:
        InputError: If a file cannot be read, is a sheet of another sample or annotator, has missing, double or invalid
            scores, or a text of it was changed. Judgments in logs and tables may be fewer than the sample.
    """
    judgments: Judgments = {}
    files: dict[str, Path] = {}
    for path in paths:
        for annotator, of_annotator in _judgments_in(path, sample).items():
            if annotator in files:
                raise InputError(f"{path} has scores of {annotator}, as has {files[annotator]}: pass one of the two")
            judgments[annotator] = of_annotator
            files[annotator] = path
    return judgments


def _judgments_in(path: Path, sample: Sample) -> Judgments:
    if is_judgments(path):
        return _judgments_of_table(path, sample)
    rows = _rows_by_annotator(path, sample)
    return {annotator: _judgments(path, annotator, of_annotator, sample) for annotator, of_annotator in rows.items()}


def _judgments_of_table(path: Path, sample: Sample) -> Judgments:
    """Return the scores of the sample in a log or table, which may have more variants, and may lack some."""
    read, shown = judgments_in([path]), sample.shown
    judges = {judge.annotator: judge for judge in read.judges}
    for dataset in sample.datasets:
        if any(dataset.digest not in judge.datasets for judge in judges.values()):
            raise InputError(
                f"{path} has no scores of {dataset.name} (sha256 {dataset.digest[:12]}…): name the sample of the log "
                f"with {param('sample')}"
            )
    judgments: dict[str, tuple[Judgment, ...]] = {}
    for row in (row for row in read.table.to_pylist() if row[VARIANT_ID] in shown):
        name, key, scores = row["annotator"], row[VARIANT_ID], {score: row[score] for score in SCORES}
        judgment = Judgment(name, key, scores, row[COMMENT], shown[key], judges.get(name))
        judgments[name] = (*judgments.get(name, ()), judgment)
    if not judgments:
        raise InputError(f"{path} has no scores of the sample's variants: look at it with inspect view")
    return judgments


def _rows_by_annotator(path: Path, sample: Sample) -> dict[str, list[Row]]:
    """Return the rows of each annotator in a file."""
    if path.suffix.lower() != ".json":
        if path.stem not in sample.annotators:
            raise InputError(
                f"{path} is not named after an annotator of the sample: the sheets are those of "
                f"{', '.join(sample.annotators)}, such as {sample.annotators[0]}.xlsx"
            )
        return {path.stem: sheet_rows(path, sample.texts)}
    rows = export_rows(path)
    if len(rows) == 1 and path.stem in sample.annotators:
        return {path.stem: next(iter(rows.values()))}
    return rows


def _judgments(path: Path, annotator: str, rows: Iterable[Row], sample: Sample) -> tuple[Judgment, ...]:
    """Check the rows of one annotator, and return the judgments sorted by variant id."""
    expected = set(sample.variant_ids)
    shown, named = {row[VARIANT_ID]: row for row in sample.rows}, headings(sample.texts)
    judgments: dict[str, tuple[str, Judgment]] = {}
    for row, cells in rows:
        where = f"{path}, {row}"
        texts = {name: str(cells.get(name) or "") for name in TEXT_COLUMNS}
        variant_id = texts[VARIANT_ID]
        if variant_id not in expected:
            raise InputError(
                f"{where}: variant {variant_id!r} is not in the sample: pass the sheets that were made with it"
            )
        _check_texts(where, cells, shown.get(variant_id, {}), named)
        if variant_id in judgments:
            raise InputError(
                f"{where}: variant {variant_id!r} has scores of {annotator} in {judgments[variant_id][0]} already: "
                "delete one of them"
            )
        scores = {name: _score(where, name, cells.get(name)) for name in SCORES}
        judgments[variant_id] = row, Judgment(annotator, variant_id, scores, _text(cells.get(COMMENT)), texts)
    missing = sorted(expected - judgments.keys())
    if missing:
        raise InputError(
            f"{path} lacks {len(missing)} of the sample's {len(expected)} variants for {annotator}, the first is "
            f"{missing[0]!r}: every annotator scores all variants"
        )
    return tuple(judgments[variant_id][1] for variant_id in sorted(judgments))


def _check_texts(where: str, cells: dict[str, Any], shown: SheetRow, named: Mapping[str, str]) -> None:
    """Check that the annotator judged the texts of the sample.

    A column that was removed from a sheet is no change; spaces and line breaks do not count.
    """
    for name, text in shown.items():
        given = str(cells.get(name, text) or "")
        if _words(given) != _words(text):
            raise InputError(
                f"{where}, column {named[name]}: {given!r} is not the text of the sample, {text!r}: the scores are of "
                "another sentence, so restore it and judge it again"
            )


def _words(text: str) -> list[str]:
    return without_mark(printable(text)).split()


def _score(where: str, name: str, value: Any) -> int:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    """Return a score from 1 to 5."""
    text = _text(value)
    if text not in SPELLINGS:
        problem = f"is {value!r}: give a whole number" if text else "is empty: give a score"
        raise InputError(f"{where}: {name} {problem} from 1 to 5")
    return SPELLINGS[text]
