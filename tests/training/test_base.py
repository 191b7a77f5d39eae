"""The base model is the one that is meant, or nothing is trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli.errors import InputError
from training.base import Base, check_digest, layer_weights


def test_other_weights_are_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other weights")
    with pytest.raises(InputError, match=r"model\.safetensors has sha256 \w{64}, expected 53aa5117.*pip install"):
        check_digest(path)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.safetensors is missing"):
        check_digest(tmp_path / "model.safetensors")


def test_first_layers_are_taken_whole(base: Base) -> None:
    names = layer_weights(base, 2).keys()
    assert {name.split(".")[2] for name in names} == {"0", "1"}
    assert len(names) == 2 * 16
