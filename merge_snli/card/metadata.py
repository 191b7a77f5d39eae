"""The card's YAML metadata, which the Hub and `datasets` read, and the license, which is that of the problems."""

from merge_snli.base.files import JsonObject
from merge_snli.base.hub_ids import split_revision
from merge_snli.dataset.record import Record
from merge_snli.dataset.texts import is_nli
from merge_snli.embedded import PREFIX
from merge_snli.languages.language import ENGLISH
from merge_snli.problems.inputs import ON_HUB, hub_repository, public_name
from merge_snli.problems.known_datasets import NLI, TWO_TEXTS, known_dataset
from merge_snli.schema import ALL, ANNOTATION, data_file, data_version

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
TAGS = ("merge", "nli", "generalization", "pattern-accuracy")
PAIR_TAGS = ("nli", "templates", "generalization", "pattern-accuracy")

UNKNOWN_LICENSE = (
    "The license of the seed problems is unknown. It also applies to their variants: look it up before you share this "
    "data set, and pass it to `merge-snli generate` with `--license`."
)
BUNDLED_TEXT = "The seed problems were written for the MERGE software. They and their variants are under Apache-2.0."


def metadata(record: Record) -> str:
    """Return the card's metadata as YAML.

    `dataset_info` has the features but not the sizes of the splits: with sizes, `load_dataset(..., filters=...)` raises
    an error.

    Args:
        record: The record of the data set.
    """
    from datasets.info import DatasetInfo, DatasetInfosDict
    from huggingface_hub import DatasetCardData

    configs: list[JsonObject] = []
    infos = {}
    for config in record.rows:
        configs.append(_config_metadata(record, config, is_default=not configs))
        infos[config] = DatasetInfo(features=record.features(config), config_name=config)
    data = DatasetCardData(
        language=[record.options.get("language") or ENGLISH],
        task_categories=["text-classification"],
        task_ids=[task_id(record)],
        multilinguality=["monolingual"],
        license=license_of(record) or "unknown",
        pretty_name=record.title,
        size_categories=[_size_category(record)],
        source_datasets=_source_datasets(record),
        annotations_creators=_creators(record),
        language_creators=_creators(record),  # YAML would refer to the same list
        tags=_tags(record),
        configs=configs,
    )
    DatasetInfosDict(infos).to_dataset_card_data(data)
    return str(data.to_yaml()).rstrip("\n")


def _size_category(record: Record) -> str:
    rows = sum(config.rows for config in record.configs.values())
    if ALL in record.configs:  # the other configs have rows of it
        rows = record.configs[ALL].rows
    for limit, name in SIZES:
        if rows < limit:
            return name
    return "1M<n<10M"


def task_id(record: Record) -> str:
    """Return the Hub's id of the task: that of known problems, else NLI or, by the labels, any task over two texts."""
    known = known_dataset(str(record.options.get("problems")), record.options.get("config"))
    if known is not None:
        return known.task_id
    return NLI if is_nli(record.label_names, record.texts) else TWO_TEXTS


def _tags(record: Record) -> list[str]:
    tags = PAIR_TAGS if record.generation is None else TAGS
    return [tag for tag in tags if tag != "nli" or is_nli(record.label_names, record.texts)]


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


def _config_metadata(record: Record, config: str, *, is_default: bool) -> JsonObject:
    """Return what `datasets` reads of a config: its files, its version, and whether it is the default."""
    digest = record.data.digest
    if config == ANNOTATION and record.annotation is not None:
        digest = record.annotation.digest
    read: JsonObject = {"config_name": config}
    if is_default:
        read["default"] = True
    read["version"] = data_version(digest)  # changes whenever the data of the config changes
    read["data_files"] = [{"split": split, "path": data_file(config, split)} for split in record.rows[config]]
    return read


def is_bundled(record: Record) -> bool:
    """Return whether variants were generated from the problems bundled with the package."""
    return record.generation is not None and record.options["problems"].startswith(PREFIX)


def license_of(record: Record) -> str | None:
    """Return the license of a data set as an id of the Hub, in lower case.

    Returns:
        `other` if the problems have their own terms; None if the license is unknown. A data set without a license must
        not be published.
    """
    name = record.terms.license
    return None if name is None else name.lower()


def may_be_shared(record: Record) -> bool:
    """Return whether a license allows sharing the sentences: a known one, and not terms of their own."""
    return license_of(record) not in (None, "other")


def license_text(record: Record) -> str:
    """Return the card's section on license and attribution."""
    if is_bundled(record):
        return BUNDLED_TEXT
    name = license_of(record)
    if name is None:
        terms = UNKNOWN_LICENSE
    elif name == "other":
        terms = "The seed problems have their own terms, which also apply to their variants."
    else:
        terms = f"The seed problems are under `{name}`. Their variants are derived from them, so it applies to both."
    attribution = record.terms.attribution
    return terms if attribution is None else f"{terms}\n\nAttribute the problems to their authors. {attribution}"
