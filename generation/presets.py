"""Presets: options by name, as data: those of the papers, and those chosen by measurements of this project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from merge_snli.base.errors import InputError, param
from merge_snli.models.paper_models import BART, BERT, PAPER_MLMS, ROBERTA


@dataclass(frozen=True, kw_only=True)
class Preset:
    """Options with a name.

    Attributes:
        options: Values of fields of `generation.Options`; the other fields keep their defaults.
        source: Source of the options.
    """

    options: Mapping[str, Any]
    source: str


STRICT: Mapping[str, Any] = {"min_mlms": 2, "same_tag": True, "articles": True, "max_rank": 30}
"""The filters for readable variants that docs/filters.md chooses."""

PRESETS: Mapping[str, Preset] = {
    "paper": Preset(
        options={"mlm": PAPER_MLMS, "top_k": 200, "sides": "intersection", "inflation": 20, "subsamples": 10},
        source="arXiv:2510.24295, section 4 and Table 5 without BART",
    ),
    "paper-bart": Preset(
        options={"mlm": (*PAPER_MLMS, *BART), "top_k": 200, "sides": "intersection", "inflation": 20, "subsamples": 10},
        source="arXiv:2510.24295, section 4 and Table 5, before BART was excluded",
    ),
    "slides": Preset(
        options={"mlm": (BERT[0], ROBERTA[0]), "top_k": 200, "sides": "union", "inflation": 20, "subsamples": 10},
        source="the talk at the 5th NALOMA workshop, 5 August 2025: two masked LMs, premise or hypothesis",
    ),
    "strict": Preset(options=STRICT, source="docs/filters.md: variants that read well, also from small masked LMs"),
    "demo": Preset(
        options={"mlm": ("demo:mlm-wordpiece", "demo:mlm-bpe"), **STRICT, "inflation": 10},
        source="the masked LMs in this package, with the filters of the preset strict",
    ),
}


def preset_options(name: str) -> dict[str, Any]:
    """Return the options of a preset.

    Args:
        name: A key of `PRESETS`.

    Raises:
        InputError: If there is no preset of this name.
    """
    if name not in PRESETS:
        raise InputError(f"{param('preset')} is {name!r}: choose from {', '.join(PRESETS)}")
    return dict(PRESETS[name].options)
