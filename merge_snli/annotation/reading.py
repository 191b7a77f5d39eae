"""Read the scores of annotators from sheets, exports and logs, and check that they are of a sample."""

from collections.abc import Sequence
from pathlib import Path

from merge_snli.annotation.sample import SAMPLE_FILE, Sample, read_sample, whole_sample
from merge_snli.annotation.sheet_rows import Row, export_rows, sheet_rows, text_of
from merge_snli.annotation.shown import COMMENT, VARIANT_ID, headings
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import printable, without_mark
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments, is_judgments, judgments_in, judgments_of
from merge_snli.dataset.record import JudgeRecord
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.texts import TextNames

# The spellings of each score; spreadsheets may have numbers with decimals.
SPELLINGS = {str(score): score for score in SCALE} | {f"{score}.0": score for score in SCALE}


def read_sheets(
    paths: Sequence[Path], sample_file: Path | None = None, datasets: Sequence[MergeDataset] = ()
) -> tuple[Sample, VariantJudgments]:
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
    files = []
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
    filled = []
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


def read_judgments(paths: Sequence[Path], sample: Sample) -> VariantJudgments:
    """Read the scores of every annotator.

    Args:
        paths: A sheet (.xlsx or .csv, named after its annotator) per annotator, exports of Label Studio (.json), or
            judgments as for `merge_snli.dataset.judgments.judgments_in`.
        sample: The sample that the sheets were made from.

    Raises:
        InputError: If a file cannot be read, is a sheet of another sample or annotator, has missing, double or invalid
            scores, or a text of it was changed. Judgments in logs and tables may be fewer than the sample.
    """
    rows = []
    judges: list[JudgeRecord] = []
    files: dict[str, Path] = {}
    for path in paths:
        if is_judgments(path):
            read = _judgments_of_table(path, sample)
            own = read.table.to_pylist()
            judges += read.judges
        else:
            own = _rows_of_sheet(path, sample)
        for annotator in dict.fromkeys(row["annotator"] for row in own):
            if annotator in files:
                raise InputError(f"{path} has scores of {annotator}, as has {files[annotator]}: pass one of the two")
            files[annotator] = path
        rows += own
    return judgments_of(rows, judges, source=", ".join(map(str, paths)))


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


def _rows_of_sheet(path: Path, sample: Sample) -> list[JsonObject]:
    """Return the scores in a sheet, or those of each annotator in an export, who have scored all variants."""
    rows = []
    for annotator, of_annotator in _rows_by_annotator(path, sample).items():
        judged = [_judgment(where, annotator, cells, sample) for where, cells in of_annotator]
        rows += judged
        missing = sorted(sample.shown.keys() - {row[VARIANT_ID] for row in judged})
        if missing:
            raise InputError(
                f"{path} lacks {len(missing)} of the sample's {len(sample.shown)} variants for {annotator}, the first "
                f"is {missing[0]!r}: every annotator scores all variants"
            )
    return rows


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


def _judgment(where: str, annotator: str, cells: JsonObject, sample: Sample) -> JsonObject:
    """Return the scores in a row, after checking that the annotator judged the texts of the sample.

    A column that was removed from a sheet is not a change; spaces and line breaks do not count.
    """
    variant_id = str(cells.get(VARIANT_ID))
    if variant_id not in sample.shown:
        raise InputError(
            f"{where}: variant {variant_id!r} is not in the sample: pass the sheets that were made with it"
        )
    for name, text in sample.shown[variant_id].items():
        given = str(cells.get(name, text) or "")
        if _words(given) != _words(text):
            raise InputError(
                f"{where}, column {headings(sample.texts)[name]}: {given!r} is not the text of the sample, {text!r}: "
                "the scores are of another sentence, so restore it and judge it again"
            )
    scores = {name: SPELLINGS.get(text_of(cells.get(name)), cells.get(name)) for name in SCORES}
    comment = text_of(cells.get(COMMENT))
    return {"where": where, VARIANT_ID: variant_id, "annotator": annotator, **scores, COMMENT: comment}


def _words(text: str) -> list[str]:
    return without_mark(printable(text)).split()
