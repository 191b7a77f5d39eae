"""The card's YAML metadata, which the Hub and `datasets` read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.card.license import is_embedded, license_of
from merge_snli.files import is_path
from merge_snli.hub import split_revision
from merge_snli.problems.file_rows import READERS
from merge_snli.schema import ALL, ANNOTATION, TEST, data_file, data_version, features

if TYPE_CHECKING:
    from merge_snli.record import Record

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
TAGS = ("merge", "nli", "generalization", "pattern-accuracy")

Json = dict[str, Any]


def public_name(name: str) -> str:
    """Return the last part of a path, so that no folder of this machine is published; return a Hub id unchanged.

    A folder with the form of a Hub id, such as `data/mine`, counts as an id.
    """
    return Path(name).name if name.endswith(tuple(READERS)) or is_path(name) else name


def metadata(record: Record) -> str:
    """Return the card's metadata as YAML.

    `dataset_info` has the features but not the sizes of the splits: with sizes, `load_dataset(..., filters=...)` raises
    an error.

    Args:
        record: The record of a run.
    """
    from datasets.info import DatasetInfo, DatasetInfosDict
    from huggingface_hub import DatasetCardData

    rows, options = record.rows, record.options
    data = DatasetCardData(
        language=["en"],
        license=license_of(record) or "unknown",
        pretty_name=record.title,
        size_categories=[_size(rows[ALL][TEST])],
        source_datasets=_source_datasets(record),
        task_categories=["text-classification"],
        task_ids=["natural-language-inference"],
        annotations_creators=_creators(record),
        language_creators=_creators(record),
        multilinguality=["monolingual"],
        tags=list(TAGS),
        configs=[_config(config, splits, _version(record, config)) for config, splits in rows.items()],
    )
    labels, extra = record.problems.label_names, options["keep_column"]
    infos = {
        config: DatasetInfo(features=features(config, labels, options["classes"], extra), config_name=config)
        for config in rows
    }
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return str(data.to_yaml()).rstrip("\n")


def _size(rows: int) -> str:
    return next((name for limit, name in SIZES if rows < limit), "1M<n<10M")


def _creators(record: Record) -> list[str]:
    """Return who wrote the texts and labels: the seeds, if known, and the variants."""
    if is_embedded(record):
        return ["expert-generated", "machine-generated"]
    is_known = record.terms.attribution is not None
    return ["crowdsourced", "machine-generated"] if is_known else ["machine-generated"]


def _source_datasets(record: Record) -> list[str] | None:
    """Return the Hub id of the problems; None for a file or folder."""
    problems = record.options["problems"]
    if is_embedded(record):
        return ["original"]
    hub_id, _ = split_revision(problems)
    return [hub_id] if "/" in hub_id and public_name(problems) == problems else None


def _version(record: Record, config: str) -> str:
    """Return the version of a config, which changes whenever its data changes."""
    if config == ANNOTATION and record.annotation is not None:
        return data_version(record.annotation.digest)
    return data_version(record.data.digest)


def _config(config: str, splits: dict[str, int], version: str) -> Json:
    data_files = [{"split": split, "path": data_file(config, split)} for split in splits]
    default = {"default": True} if config == ALL else {}
    return {"config_name": config, **default, "version": version, "data_files": data_files}
