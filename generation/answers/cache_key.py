"""Compute the cache key of a masked LM's answers, and their folder in a work folder."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from generation.options import Options, with_defaults
from generation.work import ANSWERS_FOLDER
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.record import MaskedLMRecord, Record, generation_of
from merge_snli.models.finding import ResolvedModel

# Libraries whose versions may change answers.
LIBRARIES = ("tokenizers", "torch", "transformers")

# Options that change answers.
KEY_OPTIONS = ("dtype", "top_k", "mask", "split_words")


@dataclass(frozen=True, kw_only=True)
class CacheKey:
    """Everything that the answers of one masked LM depend on, except the forms.

    Attributes:
        masked_lm: Its name; not part of the key.
        digest: sha256 of its files.
        device: The type of device: `cpu`, `cuda` ….
        dtype: Its dtype.
        top_k: Number of fillers per form.
        mask: Whether to mask one occurrence at a time or all occurrences of a sentence.
        split_words: Whether to answer words of several tokens.
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
        """Return the folder of the answers in a work folder."""
        return work / ANSWERS_FOLDER / sha256_of_json({**asdict(self), "masked_lm": None})[:32]


def cache_key_of(model: ResolvedModel, options: Options, device: str) -> CacheKey:
    """Return the cache key of one masked LM of a run.

    Args:
        model: The masked LM.
        options: The run's options.
        device: The type of device that it runs on.
    """
    return _cache_key(model, device, options.as_dict(), {name: version(name) for name in LIBRARIES})


def recorded_cache_keys(record: Record) -> tuple[CacheKey, ...]:
    """Return the cache keys of a finished run's masked LMs.

    Args:
        record: The record of the run.
    """
    options, run = with_defaults(record.options), generation_of(record)
    return tuple(_cache_key(mlm, run.device, options, record.versions) for mlm in run.masked_lms)


def _cache_key(
    model: ResolvedModel | MaskedLMRecord, device: str, options: Mapping[str, Any], versions: Mapping[str, str]
) -> CacheKey:
    return CacheKey(
        masked_lm=model.name,
        digest=model.digest,
        device=device,
        libraries={name: versions[name] for name in LIBRARIES},
        **{name: options[name] for name in KEY_OPTIONS},
    )
