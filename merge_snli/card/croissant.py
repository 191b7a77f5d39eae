"""Write Croissant metadata of a data set, with the package `mlcroissant`.

The Hub generates Croissant metadata for published data sets; this module is for data sets elsewhere.
"""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli import __version__
from merge_snli.card import license_of
from merge_snli.card.metadata import PAIR_TAGS, TAGS
from merge_snli.errors import InputError
from merge_snli.files import write_json
from merge_snli.pairs_record import PairsRecord
from merge_snli.schema import data_file, data_version

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset, PairsDataset
    from merge_snli.record import Record
    from merge_snli.schema import Column

DESCRIPTION = (
    "Variants of natural language inference problems: a word that premise and hypothesis share is replaced by words "
    "suggested by masked language models. Tests whether a model's answers stay right when the inference stays the same."
)
PAPER = "https://arxiv.org/abs/2510.24295"
PAIRS_PAPER = "Luo et al. (2022), Simple but Challenging: NLI Models Fail on Simple Sentences"
TYPES = {"string": "TEXT", "label": "INTEGER", "int32": "INTEGER", "float32": "FLOAT"}
"""Croissant data types by the types of `merge_snli.schema`."""


def write_croissant(dataset: MergeDataset | PairsDataset, path: Path, *, published: date) -> None:
    """Write the Croissant file of a data set.

    Args:
        dataset: The data set.
        path: The file, such as `croissant.json` in the data set's folder; paths in it are relative to its folder.
        published: The date of publication.

    Raises:
        InputError: If `mlcroissant` is not installed.
    """
    write_json(path, croissant(dataset, published=published))


def croissant(dataset: MergeDataset | PairsDataset, *, published: date) -> dict[str, Any]:
    """Return the Croissant metadata of a data set, with a file and a record set per config and split.

    Args:
        dataset: The data set.
        published: The date of publication.

    Raises:
        InputError: If `mlcroissant` is not installed.
    """
    try:
        import mlcroissant as mlc
    except ImportError:
        raise InputError("mlcroissant is not installed: run pip install mlcroissant") from None
    record = dataset.record
    tables = [(config, split) for config, splits in record.rows.items() for split in splits]
    metadata = mlc.Metadata(
        conforms_to="http://mlcommons.org/croissant/1.0",
        in_language=["en"],
        **_subject(record),
        license=[license_of(record) or "unknown"],
        creators=[mlc.Organization(name=f"merge_snli {__version__}")],
        version=data_version(dataset.digest),
        date_published=datetime.combine(published, time()),
        distribution=[_file(record, config, split) for config, split in tables],
        record_sets=[_record_set(record, config, split) for config, split in tables],
    )
    values: dict[str, Any] = metadata.to_json()
    return values


def _subject(record: Record | PairsRecord) -> dict[str, Any]:
    """Return what the metadata says of the content."""
    if isinstance(record, PairsRecord):
        description = f"{record.title}. {' '.join(record.summary.split())}"
        return {
            "name": record.load_name,
            "description": description,
            "keywords": list(PAIR_TAGS),
            "cite_as": PAIRS_PAPER,
        }
    return {
        "name": "merge_snli",
        "description": f"{record.title}. {DESCRIPTION}",
        "keywords": list(TAGS),
        "url": PAPER,
        "cite_as": f"Zgreabăn, Deoskar and Abzianidze (2025), MERGE, {PAPER}",
    }


def _file(record: Record | PairsRecord, config: str, split: str) -> Any:  # noqa: ANN401 - mlcroissant is imported lazily
    import mlcroissant as mlc

    path = data_file(config, split)
    return mlc.FileObject(
        id=path,
        name=path,
        content_url=path,
        encoding_formats=["application/x-parquet"],
        sha256=record.files[path],
    )


def _record_set(record: Record | PairsRecord, config: str, split: str) -> Any:  # noqa: ANN401 - mlcroissant is imported lazily
    import mlcroissant as mlc

    name = f"{config}/{split}"
    return mlc.RecordSet(
        id=name, name=name, fields=[_field(name, data_file(config, split), column) for column in record.columns(config)]
    )


def _field(record_set: str, path: str, column: Column) -> Any:  # noqa: ANN401 - mlcroissant is imported lazily
    import mlcroissant as mlc

    is_list = column.type.startswith("list<")
    kind = column.type.removeprefix("list<").removesuffix(">")
    return mlc.Field(
        id=f"{record_set}/{column.name}",
        name=column.name,
        description=column.description,
        data_types=[getattr(mlc.DataType, TYPES[kind])],
        repeated=is_list,
        source=mlc.Source(file_object=path, extract=mlc.Extract(column=column.name)),
    )
