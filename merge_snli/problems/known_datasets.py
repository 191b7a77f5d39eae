"""Known data sets of problems on the Hub: their columns, splits, labels and licenses, from `known_datasets.toml`."""

from dataclasses import dataclass
from functools import cache

from merge_snli.base.files import toml_beside
from merge_snli.base.hub_ids import split_revision
from merge_snli.dataset.label_spellings import Labels
from merge_snli.schema import NLI_LABELS

# Ids of tasks on the Hub.
NLI, TWO_TEXTS = "natural-language-inference", "multi-input-text-classification"


@dataclass(frozen=True, kw_only=True)
class KnownDataset:
    """A data set on the Hub whose columns, splits and labels are known.

    Attributes:
        hub_id: The Hub id.
        config: The config to load; None if there is only one.
        premise_column: The column of the premise.
        hypothesis_column: The column of the hypothesis.
        label_column: The column of the gold label.
        labels: Names of the labels in the order of their numbers.
        data_labels: The value of `--data-labels`; None if the data set has its own label names.
        splits: The splits with gold labels, the default first.
        license: The license as the Hub spells it; None if the card has none.
        attribution: The publication to cite and other terms, as a sentence.
        note: Advice if the data set cannot be loaded; empty if there is none.
        task_id: The Hub's id of the task.
        config_is_language: Whether the config is the code of the language of the problems.
        world_knowledge: Whether what is known about the replaced word can decide the label.
    """

    hub_id: str
    config: str | None = None
    premise_column: str = "premise"
    hypothesis_column: str = "hypothesis"
    label_column: str = "label"
    labels: Labels = NLI_LABELS
    data_labels: Labels | None = None
    splits: tuple[str, ...]
    license: str | None = None
    attribution: str
    note: str = ""
    task_id: str = NLI
    config_is_language: bool = False
    world_knowledge: bool = False


@cache
def known_datasets() -> tuple[KnownDataset, ...]:
    """Return the data sets of the file."""
    from pydantic import TypeAdapter

    entries = toml_beside(__file__)["data_sets"]
    return TypeAdapter(tuple[KnownDataset, ...]).validate_python(entries)


def known_dataset(name: str, config: str | None = None) -> KnownDataset | None:
    """Return the known data set with this Hub id, with or without a revision; None if it is not known.

    Args:
        name: The Hub id.
        config: The config; None for that of the first entry with this Hub id.
    """
    hub_id, _ = split_revision(name)
    entries = [known for known in known_datasets() if known.hub_id == hub_id]
    own = [known for known in entries if len(entries) == 1 or config in (None, known.config)]
    return own[0] if own else None
