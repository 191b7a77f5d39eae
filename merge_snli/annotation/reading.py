"""Read the scores of annotators from sheets, exports and logs, and check that they are of a sample."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from merge_snli.annotation.sample import SAMPLE_FILE, Sample, read_sample, whole_sample
from merge_snli.annotation.sheet_rows import Row, export_rows, sheet_rows, text_of
from merge_snli.annotation.shown import COMMENT, TEXT_COLUMNS, VARIANT_ID, SheetRow, headings
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import printable, without_mark
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments, is_judgments, judgments_in
from merge_snli.dataset.record import JudgeRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import TextNames

# The spellings of each score; spreadsheets may have numbers with decimals.
SPELLINGS = {str(score): score for score in SCALE} | {f"{score}.0": score for score in SCALE}

# A row of config `annotation`, with the texts as the annotator saw them: the columns of a sheet, and the annotator.
Judgment: TypeAlias = JsonObject
# The judgments of an annotator by variant id.
ByVariant: TypeAlias = dict[str, Judgment]


@dataclass(frozen=True)
class Judgments:
    """The scores of the variants of a sample.

    Attributes:
        rows: The judgments of each annotator, in the order of the files, by variant id. Logs and tables of judgments
            may lack some variants, such as those in replies of a language model that cannot be read.
        judges: The prompts and settings of the annotators that are language models, sorted by name.
    """

    rows: dict[str, ByVariant]
    judges: tuple[JudgeRecord, ...] = ()


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
    beside = (paths[0] if paths[0].is_dir() else paths[0].parent) / SAMPLE_FILE
    if datasets and sample_file is None and not beside.exists() and all(map(is_judgments, paths)):
        sample = whole_sample(datasets)
    else:
        sample = read_sample(sample_file or beside)
    files: list[Path] = []
    for path in paths:
        files += filled_sheets(path, sample) if path.is_dir() else [path]
    return sample, read_judgments(files, sample)


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
        names = [f"{annotator}{extension}" for extension in (".xlsx", ".csv", ".json")]
        with_scores = [folder / name for name in names if _is_filled(folder / name, sample.texts)]
        if not with_scores:
            raise InputError(
                f"{folder} has no filled-in sheet of {annotator}: add {' or '.join(names)}, or name the files of the "
                "other annotators"
            )
        filled += with_scores
    return filled


def _is_filled(path: Path, texts: TextNames) -> bool:
    """Return whether a file exists and, if it is a sheet, has a score."""
    if path.suffix == ".json" or not path.is_file():
        return path.is_file()
    return any(any(map(cells.get, SCORES)) for _, cells in sheet_rows(path, texts))


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
    rows: dict[str, ByVariant] = {}
    files: dict[str, Path] = {}
    judges: list[JudgeRecord] = []
    for path in paths:
        judged: dict[str, ByVariant] = {}
        if is_judgments(path):
            read = _judgments_of_table(path, sample)
            judges += read.judges
            for row in read.table.to_pylist():
                judged.setdefault(row["annotator"], {})[row[VARIANT_ID]] = sample.shown[row[VARIANT_ID]] | row
        else:
            for annotator, of_annotator in _rows_by_annotator(path, sample).items():
                judged[annotator] = _judgments(path, annotator, of_annotator, sample)
        for annotator in judged:
            if annotator in files:
                raise InputError(f"{path} has scores of {annotator}, as has {files[annotator]}: pass one of the two")
            files[annotator] = path
        rows |= judged
    return Judgments(rows, tuple(sorted(judges, key=lambda judge: judge.annotator)))


def _judgments_of_table(path: Path, sample: Sample) -> VariantJudgments:
    """Return the scores of the sample in a log or table, which may have more variants, and may lack some."""
    read = judgments_in([path])
    for dataset in sample.datasets:
        if any(dataset.digest not in judge.datasets for judge in read.judges):
            raise InputError(
                f"{path} has no scores of {dataset.name} (sha256 {dataset.digest[:12]}…): name the sample of the log "
                "with ⟦sample⟧"
            )
    read = read.of(VARIANT_ID, sample.shown)
    if not read.table.num_rows:
        raise InputError(f"{path} has no scores of the sample's variants: look at it with inspect view")
    return read


def _rows_by_annotator(path: Path, sample: Sample) -> dict[str, list[Row]]:
    """Return the rows of each annotator in a file."""
    is_named = path.stem in sample.annotators
    if path.suffix.lower() != ".json":
        if not is_named:
            raise InputError(
                f"{path} is not named after an annotator of the sample: the sheets are those of "
                f"{', '.join(sample.annotators)}, such as {sample.annotators[0]}.xlsx"
            )
        return {path.stem: sheet_rows(path, sample.texts)}
    rows = export_rows(path)
    if is_named and len(rows) == 1:
        return {path.stem: next(iter(rows.values()))}
    return rows


def _judgments(path: Path, annotator: str, rows: Iterable[Row], sample: Sample) -> ByVariant:
    """Check the rows of one annotator, and return the judgments by variant id."""
    shown: dict[str, SheetRow] = {variant_id: {} for variant_id in sample.variant_ids}
    shown |= {row[VARIANT_ID]: row for row in sample.rows}
    judgments: ByVariant = {}
    judged_in: dict[str, str] = {}
    for where, cells in rows:
        judgment: Judgment = {name: str(cells.get(name) or "") for name in TEXT_COLUMNS}
        variant_id = judgment[VARIANT_ID]
        if variant_id not in shown:
            raise InputError(
                f"{where}: variant {variant_id!r} is not in the sample: pass the sheets that were made with it"
            )
        _check_texts(where, cells, shown[variant_id], sample.texts)
        if variant_id in judgments:
            raise InputError(
                f"{where}: variant {variant_id!r} has scores of {annotator} in {judged_in[variant_id]} already: "
                "delete one of them"
            )
        judgment |= {name: _score(where, name, cells.get(name)) for name in SCORES}
        judgments[variant_id] = judgment | {"annotator": annotator, COMMENT: text_of(cells.get(COMMENT))}
        judged_in[variant_id] = where
    missing = sorted(shown.keys() - judgments)
    if missing:
        raise InputError(
            f"{path} lacks {len(missing)} of the sample's {len(shown)} variants for {annotator}, the first is "
            f"{missing[0]!r}: every annotator scores all variants"
        )
    return judgments


def _check_texts(where: str, cells: JsonObject, shown: SheetRow, texts: TextNames) -> None:
    """Check that the annotator judged the texts of the sample.

    A column that was removed from a sheet is no change; spaces and line breaks do not count.
    """
    for name, text in shown.items():
        given = str(cells.get(name, text) or "")
        if _words(given) != _words(text):
            raise InputError(
                f"{where}, column {headings(texts)[name]}: {given!r} is not the text of the sample, {text!r}: the "
                "scores are of another sentence, so restore it and judge it again"
            )


def _words(text: str) -> list[str]:
    return without_mark(printable(text)).split()


def _score(where: str, name: str, value: Any) -> int:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    """Return a score from 1 to 5."""
    text = text_of(value)
    if text not in SPELLINGS:
        problem = f"is {value!r}: give a whole number" if text else "is empty: give a score"
        raise InputError(f"{where}: {name} {problem} from 1 to 5")
    return SPELLINGS[text]
