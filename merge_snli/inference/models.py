"""Where a model lies: a Hub id, a folder or `demo:NAME` becomes a folder on disk with a digest."""

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from merge_snli.embedded import embedded_path
from merge_snli.errors import InputError, reason
from merge_snli.files import is_path, sha256_of_file, sha256_of_json
from merge_snli.hub import fetch, split_revision

logger = logging.getLogger(__name__)

MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "*.tiktoken")
"""What is fetched of a model repository and what its digest covers: no pickles, no code, no pictures."""

SAFETENSORS = "*.safetensors"
PICKLES = ("*.bin",)
CODE = ("*.py",)
"""What is fetched and covered beside these where a user asks for it."""

CARD = "README.md"
"""Fetched too, since it may say what a model was trained on; no digest covers it."""

ADAPTER_CONFIG = "adapter_config.json"

TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
    "tokenizer.model",
)
"""A model folder has at least one of these; without any, `transformers` would make up an empty tokenizer."""


@dataclass(frozen=True)
class ResolvedModel:
    """A model that was found.

    Attributes:
        name: The Hub id without a revision, or `demo:NAME`; for a folder, the folder's own name.
        path: The folder that `from_pretrained` reads.
        revision: The commit on the Hub, or None for a folder.
        digest: sha256 over the names and contents of the model's files, those of the base included.
        base: The model that this one is an adapter to, or None.
    """

    name: str
    path: Path
    revision: str | None
    digest: str
    base: "ResolvedModel | None" = None

    @property
    def tokenizer_path(self) -> Path:
        """The folder that holds the tokenizer: an adapter's base where the adapter has none."""
        return self.path if self.base is None or has_tokenizer(self.path) else self.base.path


def find_model(
    name: str, *, revision: str | None = None, pickles: bool = False, code: bool = False, adapters: bool = False
) -> ResolvedModel:
    """Find a model, fetching it from the Hub where `name` is neither a folder nor `demo:NAME`.

    Args:
        name: Hub id, `ORG/NAME@REVISION`, folder or `demo:NAME`.
        revision: Branch, tag or commit on the Hub; the commit that it stands for is recorded.
        pickles: Whether weights that are pickles are fetched and covered where there are no safetensors.
        code: Whether Python files are.
        adapters: Whether an adapter is taken, with the base model that it names.

    Raises:
        InputError: Where nothing is found under that name, or what is found is no model folder.
    """
    wanted = _Wanted(pickles=pickles, code=code, adapters=adapters)
    embedded = embedded_path(name)
    if embedded is not None:
        return _from_folder(name, embedded, None, wanted)
    if Path(name).is_dir():
        return _from_folder(Path(name).resolve().name, Path(name), None, wanted)
    if is_path(name):
        raise InputError(f"no model at {name}: the folder does not exist; give a folder, a Hub id or demo:NAME")
    repo_id, named = split_revision(name)
    folder = _fetch(repo_id, revision or named, wanted.patterns)
    if pickles and not has_safetensors(folder):
        folder = _fetch(repo_id, folder.name, (*wanted.patterns, *PICKLES))
    return _from_folder(repo_id, folder, folder.name, wanted)


@dataclass(frozen=True)
class _Wanted:
    """What of a model a user takes."""

    pickles: bool
    code: bool
    adapters: bool

    @property
    def patterns(self) -> tuple[str, ...]:
        return (*MODEL_FILES, *CODE) if self.code else MODEL_FILES

    def covered(self, folder: Path) -> tuple[str, ...]:
        """Return the patterns of the files that the digest covers."""
        only_pickles = self.pickles and not has_safetensors(folder)
        return (*self.patterns, *PICKLES) if only_pickles else self.patterns


def has_safetensors(folder: Path) -> bool:
    """Tell whether a folder has weights in safetensors."""
    return any(folder.glob(SAFETENSORS))


def check_weights(source: ResolvedModel, *, allow_pickle: bool) -> None:
    """Refuse weights that are pickles, unless the user takes them.

    Raises:
        InputError: Where the model, or the base of an adapter, has no safetensors.
    """
    for part in (source, source.base):
        if part is not None and not has_safetensors(part.path) and not allow_pickle:
            raise InputError(
                f"model {part.name} has no weights in safetensors ({part.path}); weights that are pickles can run code "
                "of whoever made them: if you trust that, add --allow-pickle"
            )


def find_device(device: str | None) -> str:
    """Return the device to run on: the one that is asked for, else `cuda` where there is one, else `cpu`.

    Args:
        device: `cpu`, `cuda`, `cuda:1` … or None.

    Raises:
        InputError: Where the device that is asked for is not there.
    """
    import torch

    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(1, device=device).item()
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        raise InputError(f"--device {device} cannot be used here ({reason(error)}): try --device cpu") from error
    return device


def warn_of_slow_bfloat16(dtype: str, device: str) -> None:
    """Say so where a processor has no units for bfloat16: it goes by way of float32, two to three times slower."""
    import torch

    if dtype != "bfloat16" or not device.startswith("cpu") or not hasattr(torch.cpu, "get_capabilities"):
        return
    if not any(found for name, found in torch.cpu.get_capabilities().items() if "bf16" in name):
        logger.warning("this processor has no units for bfloat16: --dtype float32 is exact, and faster here")


def quiet_loading() -> None:
    """Keep `transformers` from drawing a progress bar for every model that it loads in an instant."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def _fetch(repo_id: str, revision: str | None, patterns: Sequence[str]) -> Path:
    return fetch(
        repo_id, repo_type="model", revision=revision, patterns=(*patterns, CARD), alternative="a folder or demo:NAME"
    )


def _from_folder(name: str, folder: Path, revision: str | None, wanted: _Wanted) -> ResolvedModel:
    digest = folder_digest(folder, wanted.covered(folder))
    if wanted.adapters and (folder / ADAPTER_CONFIG).is_file():
        base = _base_of(name, folder, wanted)
        return ResolvedModel(name, folder, revision, sha256_of_json([digest, base.digest]), base)
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} is no model folder: it has no config.json")
    if not has_tokenizer(folder):
        raise InputError(
            f"{folder} has no tokenizer (none of {', '.join(TOKENIZER_FILES)}): save the model's own there"
        )
    return ResolvedModel(name, folder, revision, digest)


def _base_of(name: str, folder: Path, wanted: _Wanted) -> ResolvedModel:
    """Find the model that an adapter belongs to."""
    try:
        config = json.loads((folder / ADAPTER_CONFIG).read_text(encoding="utf-8"))
        base, revision = str(config["base_model_name_or_path"]), config.get("revision")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{folder / ADAPTER_CONFIG} names no base model ({reason(error)}): fetch it again") from error
    try:
        return find_model(base, revision=revision, pickles=wanted.pickles, code=wanted.code)
    except InputError as error:
        raise InputError(f"{name} is an adapter to {base}: {error}") from error


def has_tokenizer(folder: Path) -> bool:
    """Tell whether a folder has a tokenizer's files."""
    return any((folder / file).is_file() for file in TOKENIZER_FILES)


def folder_digest(folder: Path, patterns: Sequence[str] = MODEL_FILES) -> str:
    """Return the sha256 over the relative names and contents of the files of a model's folder that `patterns` cover."""
    digest = hashlib.sha256()
    files = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    for path in sorted(files):
        digest.update(f"{path.name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
