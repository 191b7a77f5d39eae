"""Test resolving models, digests and devices."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from merge_snli.base.errors import InputError
from merge_snli.embedded import FOLDER
from merge_snli.models.finding import find_device, find_model, folder_digest, warn_about_slow_bfloat16


def test_embedded_models_and_folders(tmp_path: Path) -> None:
    embedded = find_model("demo:mlm-bpe")
    assert (embedded.name, embedded.path, embedded.revision) == ("demo:mlm-bpe", FOLDER / "mlm-bpe", None)
    shutil.copytree(FOLDER / "mlm-bpe", tmp_path / "copy")
    copy = find_model(str(tmp_path / "copy"))
    assert copy.name == "copy"
    assert copy.digest == embedded.digest


def test_digest_covers_names_and_contents_but_not_the_card(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    first = folder_digest(tmp_path)
    (tmp_path / "README.md").write_text("a card")
    assert folder_digest(tmp_path) == first
    (tmp_path / "tokenizer.json").write_text("{}")
    second = folder_digest(tmp_path)
    (tmp_path / "tokenizer.json").rename(tmp_path / "vocab.json")
    assert len({first, second, folder_digest(tmp_path)}) == 3


def test_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "mlm-bpe", tmp_path / "copy")
    (tmp_path / "copy" / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="copy has no tokenizer"):
        find_model(str(tmp_path / "copy"))


@pytest.mark.parametrize(
    ("device", "advice"), [("cuda:99", "device='cpu'"), ("meta", "cpu, cuda"), ("nonsense", "cpu, cuda")]
)
def test_unavailable_device_is_an_input_error(device: str, advice: str) -> None:
    with pytest.raises(InputError, match=f"device {device} .*{advice}"):
        find_device(device)


def test_the_device_is_that_of_torch() -> None:
    assert find_device(None) == ("cuda" if torch.cuda.is_available() else "cpu")
    assert find_device("cpu") == "cpu"


@pytest.mark.parametrize(("on_windows", "driver"), [(True, "nvcuda.dll"), (False, "libcuda.so.1")])
def test_torch_is_asked_if_there_is_a_driver(on_windows: bool, driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    drivers: list[str] = []

    def load(name: str) -> object:
        if name not in drivers:
            raise OSError(f"{name} was not found")
        return object()

    monkeypatch.setattr("merge_snli.models.finding.ON_WINDOWS", on_windows)
    monkeypatch.setattr("ctypes.CDLL", load)
    monkeypatch.setattr(Path, "exists", lambda path: False)  # /dev/kfd
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device(None) == "cpu"
    drivers.append(driver)
    assert find_device(None) == "cuda"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./nowhere", "./nowhere does not exist"),
        ("a/b/c", "a/b/c does not exist"),
        ("not a name!", "not a name!"),
        ("nobody/nothing", "nobody/nothing"),
    ],
)
def test_missing_model_is_an_input_error(name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        find_model(name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "device", "capabilities", "warned"),
    [
        ("bfloat16", "cpu", {"avx512_f": True, "avx512_bf16": False, "l2_cache_size": 1}, True),
        ("bfloat16", "cpu", {"avx512_f": True, "avx512_bf16": True}, False),
        ("bfloat16", "cpu", {"neon": True, "bf16": True}, False),
        ("bfloat16", "cuda:0", {}, False),
        ("float32", "cpu", {}, False),
    ],
)
def test_cpu_without_bfloat16_instructions_gives_a_warning(
    dtype: str,
    device: str,
    capabilities: dict[str, object],
    warned: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    warn_about_slow_bfloat16(dtype, device)
    assert ("bfloat16" in caplog.text) == warned
