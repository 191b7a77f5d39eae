"""The card's metadata: what the Hub and `datasets` read at its head."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.card.license import is_embedded, license_of
from merge_snli.files import is_path
from merge_snli.hub import split_revision
from merge_snli.schema import ALL, TEST, data_file, data_version, features

if TYPE_CHECKING:
    from merge_snli.record import Record

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
TAGS = ("merge", "nli", "generalization", "pattern-accuracy")

FILES = (".jsonl", ".csv", ".tsv", ".parquet")
"""How files of problems end."""

Json = dict[str, Any]


def pretty_name(record: Record) -> str:
    """Return the data set's name for people."""
    options = record.options
    source = "its embedded problems" if is_embedded(record) else f"{shown(options['problems'])} ({options['split']})"
    unlike = {
        "scrambled": options.get("scramble", False),
        "unfiltered": len(options.get("filters", ("prob", "pos"))) < len(("prob", "pos")),
        "union": options.get("sides") == "union",
    }
    return ", ".join([f"MERGE on {source}", *(word for word, applies in unlike.items() if applies)])


def shown(name: str) -> str:
    """Return the own name of a file or folder, without the folders of the machine where it was read; an id as it is.

    A folder that is named like an id, such as `data/mine`, is taken for one.
    """
    return Path(name).name if name.endswith(FILES) or is_path(name) else name


def metadata(record: Record) -> str:
    """Return the card's metadata as YAML.

    `dataset_info` has features only: were the splits' sizes in it, `load_dataset(…, filters=…)` would raise.

    Args:
        record: The record of a run, with the `data` that it wrote.
    """
    from datasets.info import DatasetInfo, DatasetInfosDict
    from huggingface_hub import DatasetCardData

    rows, options = record.data.rows, record.options
    version = data_version(record.data.digest)
    data = DatasetCardData(
        language=["en"],
        license=license_of(record) or "unknown",
        pretty_name=pretty_name(record),
        size_categories=[_size(rows[ALL][TEST])],
        source_datasets=_source_datasets(record),
        task_categories=["text-classification"],
        task_ids=["natural-language-inference"],
        annotations_creators=_creators(record),
        language_creators=_creators(record),
        multilinguality=["monolingual"],
        tags=list(TAGS),
        configs=[_config(config, splits, version) for config, splits in rows.items()],
    )
    labels, kept = record.problems.label_names, options.get("keep_column", ())
    infos = {
        config: DatasetInfo(features=features(config, labels, options["classes"], kept), config_name=config)
        for config in rows
    }
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return str(data.to_yaml()).rstrip("\n")


def _size(rows: int) -> str:
    return next((name for limit, name in SIZES if rows < limit), "1M<n<10M")


def _creators(record: Record) -> list[str]:
    """Say who wrote and labelled the seeds, where that is known; the variants are made by machine."""
    if is_embedded(record):
        return ["expert-generated", "machine-generated"]
    known = record.terms.attribution is not None
    return ["crowdsourced", "machine-generated"] if known else ["machine-generated"]


def _source_datasets(record: Record) -> list[str] | None:
    """Return the Hub id of the problems; nothing for a file or folder, of which the Hub knows nothing."""
    problems = record.options["problems"]
    if is_embedded(record):
        return ["original"]
    hub_id, _ = split_revision(problems)
    return [hub_id] if "/" in hub_id and shown(problems) == problems else None


def _config(config: str, splits: dict[str, int], version: str) -> Json:
    files_of = [{"split": split, "path": data_file(config, split)} for split in splits]
    default = {"default": True} if config == ALL else {}
    return {"config_name": config, **default, "version": version, "data_files": files_of}
