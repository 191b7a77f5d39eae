"""The card of a fine-tuned model."""

from collections.abc import Sequence
from pathlib import Path

from huggingface_hub import ModelCardData

from merge_snli.base.files import JsonObject
from merge_snli.base.templates import text_template
from merge_snli.problems.known_datasets import known_dataset

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def card_text(record: JsonObject, labels: Sequence[str], accuracy: float | None, *, name: str) -> str:
    """Return the card of a model.

    Args:
        record: The record of the training; see `training.finetune.record_of`.
        labels: The labels of the model.
        accuracy: Its accuracy on the held-out problems; None without any.
        name: The name of the model.
    """
    base = record["base"]["name"]
    sources = record["sources"]
    metadata = ModelCardData(
        license=record["license"],
        language="en",
        library_name="transformers",
        pipeline_tag="text-classification",
        base_model=base if "/" in base else None,
        datasets=[source["name"] for source in sources if known_dataset(source["name"])] or None,
    )
    template = text_template(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(metadata=metadata.to_yaml(), name=name, labels=labels, record=record, accuracy=accuracy)
