"""Where a model lies: a Hub id, a folder or `demo:NAME` becomes a folder on disk with a digest."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from merge_snli.embedded import embedded_path
from merge_snli.errors import InputError, reason
from merge_snli.files import is_path, sha256_of_file

MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "*.tiktoken")
"""What is fetched of a model repository and what its digest covers: no pickles, no code, no pictures."""


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
class ModelSource:
    """A model that was found.

    Attributes:
        name: What the user typed; for a folder, the folder's own name.
        path: The folder that `from_pretrained` reads.
        revision: The commit on the Hub, or None for a folder.
        digest: sha256 over the names and contents of the model's files.
    """

    name: str
    path: Path
    revision: str | None
    digest: str


def find_model(name: str, *, revision: str | None = None) -> ModelSource:
    """Find a model, fetching it from the Hub where `name` is neither a folder nor `demo:NAME`.

    Args:
        name: Hub id, folder or `demo:NAME`.
        revision: Branch, tag or commit on the Hub; the commit that it stands for is recorded.

    Raises:
        InputError: Where nothing is found under that name, or what is found is no model folder.
    """
    embedded = embedded_path(name)
    if embedded is not None:
        return _from_folder(name, embedded, None)
    if Path(name).is_dir():
        return _from_folder(Path(name).resolve().name, Path(name), None)
    if is_path(name):
        raise InputError(f"no model at {name}: the folder does not exist; give a folder, a Hub id or demo:NAME")
    folder = _fetch(name, revision)
    return _from_folder(name, folder, folder.name)


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


def quiet_loading() -> None:
    """Keep `transformers` from drawing a progress bar for every model that it loads in an instant."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def _fetch(repo_id: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(repo_id, revision=revision, allow_patterns=list(MODEL_FILES)))
    except HFValidationError as error:
        raise InputError(f"{repo_id!r} is no folder here and no Hub id: {reason(error)}") from error
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        where = f" at revision {revision}" if revision else ""
        raise InputError(
            f"model {repo_id}{where} is no folder here and could not be fetched from the Hub ({reason(error)}); "
            "give a folder, demo:NAME, or a Hub id that you can reach"
        ) from error


def _from_folder(name: str, folder: Path, revision: str | None) -> ModelSource:
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} is no model folder: it has no config.json")
    if not any((folder / file).is_file() for file in TOKENIZER_FILES):
        raise InputError(
            f"{folder} has no tokenizer (none of {', '.join(TOKENIZER_FILES)}): save the model's own there"
        )
    return ModelSource(name, folder, revision, folder_digest(folder))


def folder_digest(folder: Path) -> str:
    """Return the sha256 over the relative names and contents of a model folder's files (those of `MODEL_FILES`)."""
    digest = hashlib.sha256()
    files = {path for pattern in MODEL_FILES for path in folder.glob(pattern) if path.is_file()}
    for path in sorted(files):
        digest.update(f"{path.name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
