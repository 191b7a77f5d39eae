"""Write the card of a fine-tuned model from a template and the record of its training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from merge_snli.problems.known_datasets import known_dataset

TEMPLATE = Path(__file__).with_name("card.md")
UNKNOWN = "unknown"


def card_text(record: dict[str, Any], labels: Sequence[str], accuracy: float | None, *, name: str) -> str:
    """Return the card of a model.

    Args:
        record: The record of the training; see `training.finetune.record_of`.
        labels: The model's labels in the order of its outputs.
        accuracy: Its accuracy on the held-out problems; None without any.
        name: The name of the model.
    """
    sources = record["sources"]
    return TEMPLATE.read_text(encoding="utf-8").format(
        metadata=yaml.safe_dump(_metadata(record), sort_keys=False).strip(),
        name=name,
        labels=", ".join(labels),
        base=record["base"]["name"],
        sources="\n".join(
            f"| {source['name']} | {source['used']:,} | {source['copies']} | {source['license'] or UNKNOWN} "
            f"| `{source['digest'][:16]}` |"
            for source in sources
        ),
        license=_license(record),
        training="\n".join(f"| {key.replace('_', ' ')} | {value} |" for key, value in record["training"].items()),
        evaluation=_evaluation(record["held_out"], accuracy),
    )


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    base, sources = record["base"]["name"], record["sources"]
    on_the_hub = [source["name"] for source in sources if known_dataset(source["name"])]
    return {
        **({"license": record["license"]} if record["license"] else {}),
        "language": "en",
        "library_name": "transformers",
        "pipeline_tag": "text-classification",
        **({"base_model": base} if "/" in base else {}),
        **({"datasets": on_the_hub} if on_the_hub else {}),
    }


def _license(record: dict[str, Any]) -> str:
    if record["license"]:
        return f"The weights are derived from these data and the base model. They are under {record['license']}."
    return (
        "The license of the weights was not set (`--license`). It must allow for the licenses of the data and of the "
        "base model: look them up before you share the weights."
    )


def _evaluation(held_out: int, accuracy: float | None) -> str:
    if accuracy is None:
        return "None: no problems were held out."
    return f"Accuracy on the {held_out:,} held-out problems of the sources: {accuracy:.1%}."
