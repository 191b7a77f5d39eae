"""Resolve a model name (Hub id, folder or `demo:NAME`) to a folder with a digest, and choose the device to run on."""

import ctypes
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from merge_snli.base.errors import InputError, Message, explained, param
from merge_snli.base.files import ON_WINDOWS, is_path, sha256_of_file, sha256_of_json
from merge_snli.base.hub_ids import fetch, split_revision
from merge_snli.embedded import embedded_path

logger = logging.getLogger(__name__)

# Files of a model that are downloaded and digested by default: no pickles, no code, no images.
MODEL_FILES = ("*.json", "*.txt", "*.model", "*.safetensors", "*.tiktoken", "*.codes", "*.jinja")

SAFETENSORS = "*.safetensors"
PICKLES = ("*.bin",)
# Files that are downloaded and digested only on request.
CODE = ("*.py",)

# Downloaded for its metadata on training data; not part of the digest.
CARD = "README.md"

ADAPTER_CONFIG = "adapter_config.json"

# A model folder must have one of these; without any, `transformers` creates an empty tokenizer.
TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spiece.model",
    "sentencepiece.bpe.model",
    "spm.model",
    "tokenizer.model",
)


@dataclass(frozen=True)
class ResolvedModel:
    """A model on disk.

    Attributes:
        name: The Hub id without its revision, `demo:NAME`, or a folder's own name.
        path: The folder to pass to `from_pretrained`.
        revision: The commit on the Hub, or None for a folder.
        digest: sha256 over the names and contents of the model's files, including those of its base model.
        base: The base model if this model is an adapter, else None.
    """

    name: str
    path: Path
    revision: str | None
    digest: str
    base: "ResolvedModel | None" = None

    @property
    def tokenizer_path(self) -> Path:
        """The folder of the tokenizer: that of the base model if an adapter has no tokenizer."""
        return self.path if self.base is None or has_tokenizer(self.path) else self.base.path


def find_model(
    name: str,
    *,
    revision: str | None = None,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    adapters: bool = False,
) -> ResolvedModel:
    """Resolve a model, downloading it from the Hub if `name` is neither a folder nor `demo:NAME`.

    Args:
        name: Hub id, `ORG/NAME@REVISION`, folder or `demo:NAME`.
        revision: Branch, tag or commit on the Hub; it is resolved to a commit.
        allow_pickle: Include pickle weights if the model has no safetensors weights.
        trust_remote_code: Include Python files.
        adapters: Accept an adapter, and resolve its base model too.
    """
    patterns = (*MODEL_FILES, *CODE) if trust_remote_code else MODEL_FILES
    model, folder, commit = _locate(name, revision, patterns)
    if allow_pickle and not has_safetensors(folder):
        patterns = (*patterns, *PICKLES)
        model, folder, commit = _locate(name, commit, patterns)
    digest = folder_digest(folder, patterns)
    if adapters and (folder / ADAPTER_CONFIG).is_file():
        base_name, base_revision = _base_of(folder)
        try:
            base = find_model(
                base_name, revision=base_revision, allow_pickle=allow_pickle, trust_remote_code=trust_remote_code
            )
        except InputError as error:
            raise InputError(
                f"cannot load the base model {base_name} of adapter {model}: {error.message.marked}"
            ) from error
        return ResolvedModel(model, folder, commit, sha256_of_json([digest, base.digest]), base)
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} is not a model folder: config.json is missing")
    if not has_tokenizer(folder):
        names = ", ".join(TOKENIZER_FILES)
        raise InputError(f"{folder} has no tokenizer (none of {names}); save the model's tokenizer there")
    return ResolvedModel(model, folder, commit, digest)


def _locate(name: str, revision: str | None, patterns: Sequence[str]) -> tuple[str, Path, str | None]:
    """Return the name, the folder and, for a model of the Hub, the commit of a model."""
    embedded = embedded_path(name)
    if embedded is not None:
        return name, embedded, None
    if Path(name).is_dir():
        return Path(name).resolve().name, Path(name), None
    if is_path(name):
        raise InputError(f"model folder {name} does not exist; give a folder, a Hub id or demo:NAME")
    repo_id, revision_in_name = split_revision(name)
    folder = fetch(
        repo_id,
        repo_type="model",
        revision=revision or revision_in_name,
        patterns=(*patterns, CARD),
        alternative="a folder or demo:NAME",
    )
    return repo_id, folder, folder.name


def _base_of(folder: Path) -> tuple[str, str | None]:
    """Return the name and revision of the base model of an adapter."""
    path = folder / ADAPTER_CONFIG
    errors = (OSError, ValueError, KeyError, AttributeError, TypeError)
    with explained(errors, f"{path} does not name a base model (⟦reason⟧); download the adapter again"):
        config = json.loads(path.read_text(encoding="utf-8"))
        return str(config["base_model_name_or_path"]), config.get("revision")


def has_safetensors(folder: Path) -> bool:
    """Return whether a folder has safetensors weights."""
    return any(folder.glob(SAFETENSORS))


def check_weights(model: ResolvedModel, *, allow_pickle: bool) -> None:
    """Refuse pickle weights unless the user allows them."""
    for loaded in (model, model.base):
        if loaded is not None and not has_safetensors(loaded.path) and not allow_pickle:
            raise InputError(
                f"model {loaded.name} has no safetensors weights ({loaded.path}); pickle weights can execute arbitrary "
                "code: if you trust this model, add ⟦allow_pickle=True⟧"
            )


# The kinds of devices that models can run on.
DEVICES = ("cpu", "cuda", "mps", "xpu", "hpu")


def kind_of(device: str) -> str:
    """Return the kind of a device, such as `cuda` for `cuda:0`, which answers depend on."""
    return device.partition(":")[0]


def find_device(device: str | None) -> str:
    """Return the torch device to run on; on a machine without a GPU driver, torch is not loaded to find it.

    Args:
        device: `cpu`, `cuda`, `cuda:1` …; if None, `cuda` if available, else `cpu`. Apple's `mps` is used on request
            only: its answers can depend on the batch (https://github.com/pytorch/pytorch/issues/170837).
    """
    if device == "cpu" or (device is None and not _has_gpu_driver()):
        return "cpu"
    import torch

    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if kind_of(device) not in DEVICES:
        raise InputError(f"⟦device⟧ {device} is unknown: choose from {', '.join(DEVICES)}, or cuda:1 and so on")
    errors = (RuntimeError, AssertionError, NotImplementedError, ImportError)
    with explained(errors, f"⟦device⟧ {device} is not available (⟦reason⟧); try {param('device', 'cpu')}"):
        torch.empty(1, device=device).item()
    return device


def _has_gpu_driver() -> bool:
    """Return whether the machine has a driver for GPUs of NVIDIA (CUDA) or AMD (ROCm)."""
    try:
        ctypes.CDLL("nvcuda.dll" if ON_WINDOWS else "libcuda.so.1")
    except OSError:
        return Path("/dev/kfd").exists()
    return True


def warn_about_slow_bfloat16(dtype: str, device: str) -> None:
    """Warn if the CPU emulates bfloat16 with float32, which is two to three times slower than float32."""
    if dtype != "bfloat16" or not device.startswith("cpu"):
        return
    units = processor_units()
    if units and not any("bf16" in name for name in units):
        logger.warning(
            Message(f"this CPU has no bfloat16 instructions: {param('dtype', 'float32')} is exact, and faster here")
        )


def disable_progress_bar() -> None:
    """Turn off the progress bar that `transformers` draws while it loads a model."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def has_tokenizer(folder: Path) -> bool:
    """Return whether a folder has tokenizer files."""
    return any((folder / file).is_file() for file in TOKENIZER_FILES)


def folder_digest(folder: Path, patterns: Sequence[str] = MODEL_FILES) -> str:
    """Return the sha256 over the names and contents of the files in a model's folder that match `patterns`."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}):
        digest.update(f"{path.name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()


def processor_units() -> frozenset[str]:
    """Return the units of the processor as torch names them, for example `avx2` and `avx512_bf16`.

    Returns:
        The names; empty if this version of torch does not report them.
    """
    import torch

    if not hasattr(torch.cpu, "get_capabilities"):
        return frozenset()
    return frozenset(name for name, is_supported in torch.cpu.get_capabilities().items() if is_supported is True)
