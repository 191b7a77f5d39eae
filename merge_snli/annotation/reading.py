"""Read the scores of annotators from spreadsheets, CSV files and Label Studio's JSON export, and check them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from merge_snli.annotation.sample import COMMENT, SCALE, SCORES, TEXT_COLUMNS, Sample
from merge_snli.annotation.sheet_rows import export_rows, sheet_rows
from merge_snli.annotation.sheets import SAMPLE_FILE
from merge_snli.base.errors import InputError, param
from merge_snli.dataset.record import validation_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.annotation.sheet_rows import Row


@dataclass(frozen=True)
class Judgment:
    """One annotator's scores of one variant.

    Attributes:
        annotator: The annotator's name.
        variant_id: The variant.
        scores: F and R, from 1 to 5, by name.
        comment: The comment, or an empty string.
        texts: The variant as the annotator saw it, by column.
    """

    annotator: str
    variant_id: str
    scores: dict[str, int]
    comment: str
    texts: dict[str, str]


Judgments: TypeAlias = dict[str, tuple[Judgment, ...]]
"""The scores by annotator, in the order of the files: one judgment per sampled variant, sorted by variant id."""


def read_sample(path: Path) -> Sample:
    """Read `sample.json`.

    Raises:
        InputError: If the file is missing or not the record of a sample.
    """
    try:
        return TypeAdapter(Sample).validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}): keep {SAMPLE_FILE} beside the sheets, or name it with "
            f"{param('sample')}"
        ) from error
    except ValidationError as error:
        place, message = validation_errors(error)[0]
        raise InputError(
            f"{path} is not the record of a sample ({place}: {message}): pass the {SAMPLE_FILE} that "
            "merge-snli annotate sample wrote"
        ) from error


def read_judgments(paths: Sequence[Path], sample: Sample) -> Judgments:
    """Read the scores of every annotator.

    Args:
        paths: A sheet (.xlsx or .csv, named after its annotator) per annotator, or exports of Label Studio (.json).
        sample: The sample that the sheets were made from.

    Raises:
        InputError: If a file cannot be read, is a sheet of another sample or annotator, or has missing, double or
            invalid scores.
    """
    judgments: Judgments = {}
    files: dict[str, Path] = {}
    for path in paths:
        for annotator, rows in _rows_by_annotator(path, sample).items():
            if annotator in files:
                raise InputError(f"{path} has scores of {annotator}, as has {files[annotator]}: pass one of the two")
            judgments[annotator] = _judgments(path, annotator, rows, sample)
            files[annotator] = path
    return judgments


def _rows_by_annotator(path: Path, sample: Sample) -> dict[str, list[Row]]:
    """Return the rows of each annotator in a file."""
    if path.suffix.lower() != ".json":
        if path.stem not in sample.annotators:
            raise InputError(
                f"{path} is not named after an annotator of the sample: the file names are "
                f"{' and '.join(f'{name}{path.suffix}' for name in sample.annotators)}"
            )
        return {path.stem: sheet_rows(path)}
    rows = export_rows(path)
    if len(rows) == 1 and path.stem in sample.annotators:
        return {path.stem: next(iter(rows.values()))}
    return rows


def _judgments(path: Path, annotator: str, rows: Iterable[Row], sample: Sample) -> tuple[Judgment, ...]:
    """Check the rows of one annotator, and return the judgments sorted by variant id."""
    expected = set(sample.variant_ids)
    found: dict[str, Judgment] = {}
    places: dict[str, str] = {}
    for place, cells in rows:
        where = f"{path}, {place}"
        texts = {name: str(cells.get(name) or "") for name in TEXT_COLUMNS}
        variant_id = texts["variant_id"]
        if variant_id not in expected:
            raise InputError(
                f"{where}: variant {variant_id!r} is not in the sample: pass the sheets that were made with it"
            )
        if variant_id in found:
            raise InputError(
                f"{where}: variant {variant_id!r} has scores of {annotator} in {places[variant_id]} already: "
                "delete one of them"
            )
        scores = {name: _score(where, name, cells.get(name)) for name in SCORES}
        comment = cells.get(COMMENT)
        text = "" if comment is None else str(comment).strip()
        found[variant_id] = Judgment(annotator, variant_id, scores, text, texts)
        places[variant_id] = place
    missing = sorted(expected - found.keys())
    if missing:
        raise InputError(
            f"{path} lacks {len(missing)} of the sample's {len(expected)} variants for {annotator}, the first is "
            f"{missing[0]!r}: every annotator scores all variants"
        )
    return tuple(found[variant_id] for variant_id in sorted(found))


def _score(where: str, name: str, value: Any) -> int:  # noqa: ANN401 - a cell of a spreadsheet holds any type
    """Return a score from 1 to 5.

    Raises:
        InputError: If the value is missing or not such a number.
    """
    text = "" if value is None else str(value).strip()
    if not text:
        raise InputError(f"{where}: {name} is empty: give a score from 1 to 5")
    for score in SCALE:
        if not isinstance(value, bool) and text in (str(score), f"{score}.0"):
            return score
    raise InputError(f"{where}: {name} is {value!r}: give a whole number from 1 to 5")
