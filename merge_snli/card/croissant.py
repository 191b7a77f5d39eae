"""A Croissant file of a data set: its files and columns in the vocabulary that search engines of data sets read.

The Hub makes one by itself of what is published; this one is for a folder elsewhere. It needs `mlcroissant`.
"""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli import __version__
from merge_snli.card import license_of
from merge_snli.card.metadata import TAGS, pretty_name
from merge_snli.errors import InputError
from merge_snli.files import write_json
from merge_snli.schema import columns, data_file, data_version

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset
    from merge_snli.record import Record
    from merge_snli.schema import Column

DESCRIPTION = (
    "Variants of natural language inference problems in which a word that premise and hypothesis share is replaced by "
    "words that masked language models propose: a test of whether a model's answers hold while the inference stays."
)
PAPER = "https://arxiv.org/abs/2510.24295"
TYPES = {"string": "TEXT", "label": "INTEGER", "int32": "INTEGER", "float32": "FLOAT"}
"""The data types of the vocabulary by the schema's."""


def write_croissant(source: MergeDataset, path: Path, *, published: date) -> None:
    """Write the Croissant file of a data set.

    Args:
        source: The data set.
        path: The file, such as `croissant.json` in the data set's folder, where relative names of files start.
        published: The day of its publication.

    Raises:
        InputError: Where `mlcroissant` is not installed.
    """
    write_json(path, croissant(source, published=published))


def croissant(source: MergeDataset, *, published: date) -> dict[str, Any]:
    """Return the Croissant metadata of a data set: one file and one set of records a config and split.

    Args:
        source: The data set.
        published: The day of its publication.

    Raises:
        InputError: Where `mlcroissant` is not installed.
    """
    try:
        import mlcroissant as mlc
    except ImportError:
        raise InputError("a Croissant file needs mlcroissant: pip install mlcroissant") from None
    record = source.record
    tables = [(config, split) for config, splits in record.data.rows.items() for split in splits]
    metadata = mlc.Metadata(
        name="merge_snli",
        conforms_to="http://mlcommons.org/croissant/1.0",
        description=f"{pretty_name(record)}. {DESCRIPTION}",
        keywords=list(TAGS),
        in_language=["en"],
        url=PAPER,
        license=[license_of(record) or "unknown"],
        cite_as=f"Zgreabăn, Deoskar and Abzianidze (2025), MERGE, {PAPER}",
        creators=[mlc.Organization(name=f"merge_snli {__version__}")],
        version=data_version(source.digest),
        date_published=datetime.combine(published, time()),
        distribution=[_file(record, config, split) for config, split in tables],
        record_sets=[_records(record, config, split) for config, split in tables],
    )
    made: dict[str, Any] = metadata.to_json()
    return made


def _file(record: Record, config: str, split: str) -> Any:  # noqa: ANN401 - mlcroissant is imported late
    import mlcroissant as mlc

    path = data_file(config, split)
    return mlc.FileObject(
        id=path,
        name=path,
        content_url=path,
        encoding_formats=["application/x-parquet"],
        sha256=record.data.files[path],
    )


def _records(record: Record, config: str, split: str) -> Any:  # noqa: ANN401 - mlcroissant is imported late
    import mlcroissant as mlc

    options = record.options
    described = columns(config, options["classes"], options.get("keep_column", ()))
    name = f"{config}/{split}"
    return mlc.RecordSet(
        id=name, name=name, fields=[_field(name, data_file(config, split), each) for each in described]
    )


def _field(records: str, path: str, column: Column) -> Any:  # noqa: ANN401 - mlcroissant is imported late
    import mlcroissant as mlc

    repeated = column.type.startswith("list<")
    kind = column.type.removeprefix("list<").removesuffix(">")
    return mlc.Field(
        id=f"{records}/{column.name}",
        name=column.name,
        description=column.description,
        data_types=[getattr(mlc.DataType, TYPES[kind])],
        repeated=repeated,
        source=mlc.Source(file_object=path, extract=mlc.Extract(column=column.name)),
    )
