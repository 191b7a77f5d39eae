"""The card of a fine-tuned model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCardData

from merge_snli.problems.known_datasets import known_dataset

TEMPLATE = Path(__file__).with_name("card.md")

NO_LICENSE = (
    "The license of the weights was not set (`--license`). It must allow for the licenses of the data and of the base "
    "model: look them up before you share the weights."
)


def card_text(record: dict[str, Any], labels: Sequence[str], accuracy: float | None, *, name: str) -> str:
    """Return the card of a model.

    Args:
        record: The record of the training; see `training.finetune.record_of`.
        labels: The labels of the model.
        accuracy: Its accuracy on the held-out problems; None without any.
        name: The name of the model.
    """
    base, license_id = record["base"]["name"], record["license"]
    sources = record["sources"]
    metadata = ModelCardData(
        license=license_id,
        language="en",
        library_name="transformers",
        pipeline_tag="text-classification",
        base_model=base if "/" in base else None,
        datasets=[source["name"] for source in sources if known_dataset(source["name"])] or None,
    )
    about_license = NO_LICENSE
    if license_id:
        about_license = f"The weights are derived from these data and the base model. They are under {license_id}."
    evaluation = "None: no problems were held out."
    if accuracy is not None:
        evaluation = f"Accuracy on the {record['held_out']:,} held-out problems of the sources: {accuracy:.1%}."
    training = [f"| {key.replace('_', ' ')} | {value} |" for key, value in record["training"].items()]
    return TEMPLATE.read_text(encoding="utf-8").format(
        metadata=metadata.to_yaml(),
        name=name,
        labels=", ".join(labels),
        base=base,
        sources="\n".join(map(_source_row, sources)),
        license=about_license,
        training="\n".join(training),
        evaluation=evaluation,
    )


def _source_row(source: dict[str, Any]) -> str:
    about = f"{source['used']:,} | {source['copies']} | {source['license'] or 'unknown'}"
    return f"| {source['name']} | {about} | `{source['digest'][:16]}` |"
