"""The card's YAML metadata, which the Hub and `datasets` read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from merge_snli.base.hub_ids import split_revision
from merge_snli.card.license import is_bundled, license_of
from merge_snli.problems.inputs import ON_HUB, hub_repository, public_name
from merge_snli.schema import ALL, ANNOTATION, data_file, data_version, features_of

if TYPE_CHECKING:
    from merge_snli.dataset.record import Record

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
TAGS = ("merge", "nli", "generalization", "pattern-accuracy")
PAIR_TAGS = ("nli", "templates", "generalization", "pattern-accuracy")

Json = dict[str, Any]


def metadata(record: Record) -> str:
    """Return the card's metadata as YAML.

    `dataset_info` has the features but not the sizes of the splits: with sizes, `load_dataset(..., filters=...)` raises
    an error.

    Args:
        record: The record of the data set.
    """
    from datasets.info import DatasetInfo, DatasetInfosDict
    from huggingface_hub import DatasetCardData

    everything = record.configs.get(ALL)  # the other configs are parts of it
    rows = sum(config.rows for config in record.configs.values()) if everything is None else everything.rows
    data = DatasetCardData(
        language=["en"],
        task_categories=["text-classification"],
        task_ids=["natural-language-inference"],
        multilinguality=["monolingual"],
        license=license_of(record) or "unknown",
        pretty_name=record.title,
        size_categories=[_size(rows)],
        source_datasets=_source_datasets(record),
        annotations_creators=_creators(record),
        language_creators=_creators(record),
        tags=list(PAIR_TAGS if record.generation is None else TAGS),
        configs=[
            _config_metadata(config, splits, _version(record, config), is_default=number == 0)
            for number, (config, splits) in enumerate(record.rows.items())
        ],
    )
    infos = {
        config: DatasetInfo(features=features_of(record.columns(config), record.label_names), config_name=config)
        for config in record.rows
    }
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return str(data.to_yaml()).rstrip("\n")


def _size(rows: int) -> str:
    return next((name for limit, name in SIZES if rows < limit), "1M<n<10M")


def _creators(record: Record) -> list[str]:
    """Return who wrote the texts and labels: the seeds, if known, and the variants."""
    if is_bundled(record):
        return ["expert-generated", "machine-generated"]
    is_known = record.generation is not None and record.terms.attribution is not None
    return ["crowdsourced", "machine-generated"] if is_known else ["machine-generated"]


def _source_datasets(record: Record) -> list[str] | None:
    """Return the Hub id of the problems; None for a file or folder."""
    if record.generation is None:
        return None
    if is_bundled(record):
        return ["original"]
    problems = record.options["problems"]
    if problems.startswith(ON_HUB):
        return [hub_repository(problems)]
    hub_id, _ = split_revision(problems)
    return [hub_id] if "/" in hub_id and public_name(problems) == problems else None


def _version(record: Record, config: str) -> str:
    """Return the version of a config, which changes whenever its data changes."""
    if config == ANNOTATION and record.annotation is not None:
        return data_version(record.annotation.digest)
    return data_version(record.data.digest)


def _config_metadata(config: str, splits: dict[str, int], version: str, *, is_default: bool) -> Json:
    """Return what `datasets` reads of a config: its files, its version, and whether it is the default."""
    data_files = [{"split": split, "path": data_file(config, split)} for split in splits]
    default = {"default": True} if is_default else {}
    return {"config_name": config, **default, "version": version, "data_files": data_files}
