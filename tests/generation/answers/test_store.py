"""Test the store: answers are read back bit for bit, damaged shards are recomputed, no form is answered twice."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from generation.answers.store import Answer, CacheKey, Store, cache_key_of
from generation.masked_lms import loading
from generation.masked_lms.masked_lm import ANSWER_SCHEMA, Fillers, MaskedLM
from generation.options import Options
from generation.sentences.forms import Form
from generation.sentences.forms import forms as forms_of
from generation.tasks import suggest
from merge_snli.base.progress import Progress
from merge_snli.models.finding import ResolvedModel, find_model
from merge_snli.models.runner.runner import Computed, Runner
from tests.oracles import refused

SENTENCE = "A farmer sees a nurse, a baker and a goat near the old bridge."
TEN = {
    form.key: form
    for word in ("farmer", "nurse", "baker", "goat", "bridge", "old")
    for form in forms_of(SENTENCE, word, (SENTENCE.index(word),))
}


def answers() -> dict[str, Answer]:
    """Return an answer in a window of its text, and two refusals."""
    piece_ids = np.array([3, 1, 2], dtype=np.int32)
    log_probs = np.array([-0.5, -1.25, -2.0], dtype=np.float32)
    return {"b" * 32: "split", "a" * 32: Fillers(piece_ids, log_probs, 1, -1.25, in_window=True), "d" * 32: "too long"}


def assert_same(found: Mapping[str, Answer], expected: Mapping[str, Answer]) -> None:
    """Check that answers are equal bit for bit."""
    assert found.keys() == expected.keys()
    for form, answer in expected.items():
        other = found[form]
        if isinstance(answer, str) or isinstance(other, str):
            assert other == answer
            continue
        assert other.piece_ids.tobytes() == answer.piece_ids.tobytes()
        assert other.log_probs.tobytes() == answer.log_probs.tobytes()
        assert other.original_id == answer.original_id
        assert other.original_log_prob == answer.original_log_prob
        assert other.in_window == answer.in_window


def as_table(some: Mapping[str, Answer]) -> pa.Table:
    """Return answers as a masked LM gives them."""
    rows = []
    for form, answer in some.items():
        if isinstance(answer, str):
            rows.append({"form": form, "refused": answer})
        else:
            rows.append({"form": form, **{field.name: getattr(answer, field.name) for field in fields(answer)}})
    return pa.Table.from_pylist(rows, ANSWER_SCHEMA)


@pytest.fixture
def key() -> CacheKey:
    return CacheKey(
        masked_lm="m",
        digest="0" * 64,
        device="cpu",
        dtype="float32",
        top_k=3,
        mask="one",
        split_words=False,
        libraries={},
    )


def shards_of(store: Store) -> list[Path]:
    return sorted(store.folder.glob("*.parquet"))


@pytest.fixture
def shard(tmp_path: Path, key: CacheKey) -> Path:
    """The shard of a store that has the answers."""
    with Store(tmp_path, key) as store:
        store.save(as_table(answers()))
        (shard,) = shards_of(store)
    return shard


def test_answers_are_read_back(tmp_path: Path, key: CacheKey, shard: Path) -> None:
    with Store(tmp_path, key) as store:
        assert store.missing([*answers(), "c" * 32]) == {"c" * 32}
        loaded = store.load([*answers(), "c" * 32])
    assert_same(loaded, answers())


def test_answers_of_many_row_groups_and_shards_are_read_back(
    tmp_path: Path, key: CacheKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.answers.store.ROWS_PER_GROUP", 7)
    every = {}
    for index in range(100):
        log_probs = np.full(index, -index, dtype=np.float32)
        fillers = Fillers(np.arange(index, dtype=np.int32), log_probs, index, -0.5)
        every[f"{index:032x}"] = fillers if index % 5 else "split"
    keys = sorted(every)
    with Store(tmp_path, key) as store:
        for first in range(0, 100, 30):
            store.save(as_table({key: every[key] for key in keys[first : first + 30]}))
        assert len(shards_of(store)) == 4
        for wanted in (keys, keys[::9], keys[28:32]):
            assert_same(store.load(wanted), {key: every[key] for key in wanted})


def test_damaged_shard_is_deleted_and_rewritten(
    tmp_path: Path, key: CacheKey, shard: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shard.write_bytes(shard.read_bytes()[:-20])
    with Store(tmp_path, key) as store:
        assert store.missing(answers()) == set(answers())
        assert store.load(answers()) == {}
        assert f"{shard} is damaged" in caplog.text
        store.save(as_table(answers()))
        assert shards_of(store) == [shard]
        assert not store.missing(answers())


def test_damage_anywhere_in_a_shard_is_found_while_the_index_is_built(
    tmp_path: Path, key: CacheKey, shard: Path
) -> None:
    content = shard.read_bytes()
    for offset in range(0, len(content), 11):
        shard.write_bytes(content[:offset] + bytes([content[offset] ^ 4]) + content[offset + 1 :])
        with Store(tmp_path, key) as store:
            assert store.missing(answers()) == set(answers())


def test_cache_key_covers_everything_that_answers_depend_on(key: CacheKey, tmp_path: Path) -> None:
    here = key.folder(tmp_path)
    assert replace(key, masked_lm="another name for the same files").folder(tmp_path) == here
    others = {
        "digest": "1" * 64,
        "device": "cuda",
        "dtype": "bfloat16",
        "top_k": 2,
        "mask": "all",
        "split_words": True,
        "libraries": {"torch": "1"},
    }
    assert {*others, "masked_lm"} == {field.name for field in fields(key)}
    folders = {replace(key, **{name: value}).folder(tmp_path) for name, value in others.items()}  # type: ignore[arg-type]
    assert len({here, *folders}) == len(others) + 1


@dataclass(frozen=True)
class Suggester:
    """A tiny masked LM with options."""

    model: ResolvedModel
    options: Options

    def load(self) -> MaskedLM:
        return loading.load_masked_lm(self.model, device="cpu")

    def store(self, work: Path) -> Store:
        return Store(work, cache_key_of(self.model, self.options, "cpu"))

    def suggest(self, forms: Mapping[str, Form], work: Path) -> dict[str, Answer]:
        """Answer the forms and return all answers."""
        with self.store(work) as store, Progress(quiet=True).stage("suggestions", total=0, unit="forms") as stage:
            suggest([forms], 1, self.load, store, self.options, stage)
            return store.load(forms)


@pytest.fixture
def suggester(tiny_mlm: Callable[[str], Path]) -> Suggester:
    folder = str(tiny_mlm("bert"))
    return Suggester(find_model(folder), Options(problems="p.jsonl", mlm=(folder,), top_k=20, device="cpu"))


def test_stored_forms_are_not_answered_again_and_load_no_masked_lm(
    suggester: Suggester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = suggester.suggest(TEN, tmp_path)
    monkeypatch.setattr(MaskedLM, "fill", None)
    with monkeypatch.context() as patched:
        patched.setattr(loading, "load_masked_lm", None)
        again = suggester.suggest(TEN, tmp_path)
    assert first.keys() == TEN.keys()
    assert_same(again, first)
    refused("not callable", suggester.suggest, TEN | {"f" * 32: Form("A boat.", 2, 6)}, tmp_path, error=TypeError)


def test_answers_before_an_interrupt_are_kept(
    suggester: Suggester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = Runner._batches

    def interrupted(self: Runner, *arguments: Any) -> Iterator[Computed]:  # noqa: ANN401
        for number, batch in enumerate(computed(self, *arguments)):
            if number:
                os.kill(os.getpid(), signal.SIGINT)
            yield batch

    # Two lengths, so two batches.
    monkeypatch.setattr("merge_snli.models.runner.runner.INPUTS_PER_SHARD", 1)
    forms = TEN | {form.key: form for form in forms_of("A goat sees the old farmer.", "goat", (2,))}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background jobs
    try:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(Runner, "_batches", interrupted)
            suggester.suggest(forms, tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    with suggester.store(tmp_path) as store:
        found = sum(isinstance(answer, Fillers) for answer in store.load(forms).values())
        assert 0 < found < len(forms)
    assert_same(suggester.suggest(forms, tmp_path), suggester.suggest(forms, tmp_path / "uninterrupted"))


def test_full_disk_leaves_no_partial_shard(tmp_path: Path, key: CacheKey, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    with Store(tmp_path, key) as store:
        monkeypatch.setattr(Path, "write_bytes", full)
        refused(r"disk.* is full", store.save, as_table(answers()))
        assert [*store.folder.iterdir()] == []
