"""Shelves: all that the answers of one masked LM depend on, and where they lie in a work folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from generation.options import with_defaults
from generation.work.folder import ANSWERS_FOLDER
from merge_snli.files import sha256_of_json

if TYPE_CHECKING:
    from pathlib import Path

    from generation.options import Options
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.record import Record

LIBRARIES = ("tokenizers", "torch", "transformers")
"""Libraries another version of which may give other answers."""

CHOSEN = ("dtype", "top_k", "mask", "split_words")
"""Options that answers depend on."""


@dataclass(frozen=True, kw_only=True)
class CacheKey:
    """All that the answers of one masked LM depend on, but for the forms.

    Attributes:
        masked_lm: Its name; answers do not depend on it.
        digest: sha256 of its files.
        device: The kind of device: `cpu`, `cuda` ….
        dtype: What it computes in.
        top_k: How many fillers a form.
        mask: Whether one occurrence is masked at a time or all of a sentence.
        split_words: Whether words of several tokens are answered.
        libraries: The versions of `LIBRARIES`.
    """

    masked_lm: str
    digest: str
    device: str
    dtype: str
    top_k: int
    mask: str
    split_words: bool
    libraries: dict[str, str]

    def folder(self, work: Path) -> Path:
        """Return where its answers lie in a work folder."""
        return work / ANSWERS_FOLDER / sha256_of_json({**asdict(self), "masked_lm": None})[:32]


def cache_key_of(source: ResolvedModel, options: Options, device: str) -> CacheKey:
    """Return the shelf of one masked LM of a run.

    Args:
        source: The masked LM.
        options: The run's choices.
        device: The kind of device that it runs on.
    """
    chosen = {name: getattr(options, name) for name in CHOSEN}
    libraries = {name: version(name) for name in LIBRARIES}
    return CacheKey(masked_lm=source.name, digest=source.digest, device=device, libraries=libraries, **chosen)


def recorded_cache_keys(record: Record) -> tuple[CacheKey, ...]:
    """Return the shelves of a finished run's masked LMs.

    Args:
        record: The record of the run.
    """
    options = with_defaults(record.options)
    return tuple(
        CacheKey(
            masked_lm=mlm.name,
            digest=mlm.digest,
            device=record.device,
            libraries={name: record.versions[name] for name in LIBRARIES},
            **{name: options[name] for name in CHOSEN},
        )
        for mlm in record.masked_lms
    )
