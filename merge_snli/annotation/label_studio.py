"""A sample as a Label Studio project: the labeling interface, and the tasks to import."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from merge_snli.annotation.scale import SCALE, SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from merge_snli.annotation.sample import SheetRow

TEXTS = (
    ("Seed (assume that it is fine)", ("seed_premise", "seed_hypothesis")),
    ("Variant", ("premise", "hypothesis", "label")),
)
"""Headings of the interface, each with the columns shown below it."""


def label_config() -> str:
    """Return the labeling interface: the texts, one choice from 1 to 5 for each score, and a comment."""
    lines = ["<View>"]
    for heading, columns in TEXTS:
        lines.append(f'  <Header value="{heading}"/>')
        lines += [f'  <Text name="{name}" value="{name.replace("_", " ").capitalize()}: ${name}"/>' for name in columns]
    for name, meaning in SCORES.items():
        lines.append(f"  <Header value={quoteattr(f'{name}, {meaning}')}/>")
        lines.append(f'  <Choices name="{name}" toName="premise" choice="single" showInline="true" required="true">')
        lines += [f'    <Choice value="{score}" hint="{word}"/>' for score, word in SCALE.items()]
        lines.append("  </Choices>")
    lines.append('  <TextArea name="comment" toName="premise" placeholder="Comment (optional)" maxSubmissions="1"/>')
    return "\n".join([*lines, "</View>", ""])


def tasks(rows: Iterable[SheetRow]) -> list[dict[str, Any]]:
    """Return the tasks to import, one per variant."""
    return [{"data": asdict(row)} for row in rows]
