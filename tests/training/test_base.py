"""The base model is checked before training."""

from __future__ import annotations

from pathlib import Path

import pytest

from merge_snli.base.errors import InputError
from training.base import Base, check_digest, layer_weights


def test_weights_with_another_digest_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other weights")
    with pytest.raises(InputError, match=r"model\.safetensors.* \w{64}.* 53aa5117.*pip install"):
        check_digest(path)


def test_missing_weights_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.safetensors"):
        check_digest(tmp_path / "model.safetensors")


def test_layer_weights_has_all_weights_of_the_first_layers(base: Base) -> None:
    names = layer_weights(base, 2).keys()
    assert {name.split(".")[2] for name in names} == {"0", "1"}
    assert len(names) == 2 * 16
