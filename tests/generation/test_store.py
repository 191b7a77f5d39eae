"""The store: what was answered is found again bit for bit, what is damaged is asked again, nothing is asked twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from generation import suggestions
from generation.forms import Form, forms
from generation.load_masked_lm import load_masked_lm
from generation.masked_lms import EncodedForm, Fillers, MaskedLM
from generation.store import Answer, load, save, shelf
from generation.suggestions import suggest
from merge_snli.errors import InputError
from merge_snli.models import find_model

SENTENCE = "A farmer sees a nurse, a baker and a goat near the old bridge."
TEN = {
    form.key: form
    for word in ("farmer", "nurse", "baker", "goat", "bridge", "old")
    for form in forms(SENTENCE, word, (SENTENCE.index(word),))
}


def same(one: Answer, other: Answer) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return (
        one.piece_ids.tobytes() == other.piece_ids.tobytes()
        and one.log_probs.tobytes() == other.log_probs.tobytes()
        and (one.original_id, one.original_log_prob) == (other.original_id, other.original_log_prob)
    )


@pytest.fixture
def mlm(tiny_mlm: Callable[[str], Path]) -> MaskedLM:
    return load_masked_lm(find_model(str(tiny_mlm("bert"))))


def answers() -> dict[str, Answer]:
    probabilities = np.array([-0.5, -1.25], dtype=np.float32)
    return {"b": "split", "a": Fillers(np.array([3, 1], dtype=np.int32), probabilities, 1, float(np.float32(-1.25)))}


def test_answers_are_found_again(tmp_path: Path) -> None:
    save(tmp_path, answers())
    found = load(tmp_path, ["a", "b", "c"])
    assert found.keys() == {"a", "b"}
    assert all(same(found[key], answer) for key, answer in answers().items())
    assert load(tmp_path / "nowhere", ["a"]) == {}


def test_a_damaged_shard_is_left_out_and_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    save(tmp_path, answers())
    (shard,) = tmp_path.glob("*.parquet")
    shard.write_bytes(shard.read_bytes()[:-20])
    assert load(tmp_path, ["a"]) == {}
    assert "is damaged and is made again" in caplog.text
    save(tmp_path, answers())
    assert load(tmp_path, ["a"]).keys() == {"a"}


def test_the_shelf_names_all_that_answers_depend_on(
    mlm: MaskedLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = shelf(tmp_path, mlm, 200)
    assert shelf(tmp_path, mlm, 200) == here
    assert shelf(tmp_path, mlm, 100) != here
    assert shelf(tmp_path, replace(mlm, source=replace(mlm.source, digest="0" * 64)), 200) != here
    monkeypatch.setattr("generation.store.version", lambda name: f"another {name}")
    assert shelf(tmp_path, mlm, 200) != here


def test_nothing_is_asked_twice(mlm: MaskedLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = suggest(TEN, mlm, tmp_path, top_k=20)
    monkeypatch.setattr(MaskedLM, "fill", refuse)
    again = suggest(TEN, mlm, tmp_path, top_k=20)
    assert all(same(first[key], again[key]) for key in TEN)
    with pytest.raises(AssertionError, match="asked"):
        suggest(TEN | {"new": Form("A boat.", 2, 6)}, mlm, tmp_path, top_k=20)


def refuse(*_: object) -> list[Fillers]:
    raise AssertionError("asked")


def test_what_was_answered_before_an_interrupt_is_kept(
    mlm: MaskedLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = MaskedLM.fill
    asked: list[EncodedForm] = []

    def interrupted(self: MaskedLM, batch: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        if asked:
            os.kill(os.getpid(), signal.SIGINT)
        asked.extend(batch)
        return fill(self, batch, top_k)

    monkeypatch.setattr(suggestions, "forms_a_batch", lambda length: 2)
    monkeypatch.setattr(MaskedLM, "fill", interrupted)
    with pytest.raises(KeyboardInterrupt):
        suggest(TEN, mlm, tmp_path, top_k=20)
    kept = load(shelf(tmp_path, mlm, 20), TEN)
    assert sum(isinstance(answer, Fillers) for answer in kept.values()) == 2
    monkeypatch.setattr(MaskedLM, "fill", fill)
    calm = suggest(TEN, mlm, tmp_path / "calm", top_k=20)
    resumed = suggest(TEN, mlm, tmp_path, top_k=20)
    assert all(same(calm[key], resumed[key]) for key in TEN)


def test_a_full_disk_is_one_sentence_and_leaves_no_torn_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"the disk that holds .* is full"):
        save(tmp_path, answers())
    assert list(tmp_path.iterdir()) == []
