"""Tests of the page as a file: its data against the data set and the results, sentences by license, and escaping."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from base64 import b64decode
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from merge_snli import MergeDataset, Result
from merge_snli.card.metadata import may_be_shared
from merge_snli.cli import main
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.explorer.write import results_on, write_explorer
from tests.merge_snli.leaderboard.conftest import QUOTES, SCRIPT, SHIPPED, named
from tests.oracles import answers_of_groups


def unpacked(page: Path) -> dict[str, Any]:
    """Return the data of a page, as its script reads it."""
    found = re.search(r'id="data">([^<]*)<', page.read_text(encoding="utf-8"))
    assert found is not None
    content = gzip.decompress(b64decode(found[1]))
    start = 4 + int.from_bytes(content[:4], "little")
    data: dict[str, Any] = json.loads(content[4:start])
    for name, kind, size in data["arrays"]:
        assert start % np.dtype(kind).itemsize == 0
        data[name] = np.frombuffer(content, f"<{kind}", size, start)
        start += data[name].nbytes
    assert start == len(content)
    return data


def test_the_page_has_every_answer(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    data = unpacked(write_explorer(results, bundled, tmp_path))
    rows = pq.read_table(SHIPPED / "data/all/test.parquet").to_pylist()
    assert data["labels"] == ["entailment", "neutral", "contradiction", "not_entailment"]
    words, ids, starts = data["words"], data["ids"], data["starts"]
    by_id = {row["variant_id"]: row for row in rows}
    assert len(data["original"]) == len(rows)
    for model, result in enumerate(results):
        answers = data["answers"].reshape(len(results), -1)[model]
        frame = result.to_pandas(bundled).set_index("row_id")
        for seed, (start, end) in enumerate(pairwise(starts)):
            for at in range(start, end):
                original, replacement = words[data["original"][at]], words[data["replacement"][at]]
                variant = f"{ids[seed]}:{data['classes'][data['wordClass'][at]]}:{original}:{replacement}"
                answer = int(answers[at])
                assert (answer == 255) == (variant not in frame.index)
                label = None if answer == 255 else frame.loc[variant, "answer"]
                assert (data["labels"][answer] if answer < 254 else None) == (label if isinstance(label, str) else None)
                assert data["logOdds"][at] / 100 == pytest.approx(by_id[variant]["log_odds"], abs=0.0051)
    on_seeds = data["onSeeds"].reshape(len(results), -1)
    assert on_seeds[2][0] == 255
    assert [data["labels"][each] for each in on_seeds[0]] == list(answers_of_groups(results[0]).seeds or ())


def test_words_are_where_the_sentences_have_them(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    texts = unpacked(write_explorer(results[:1], bundled, tmp_path))["texts"]
    for premise, hypothesis, words in zip(*(texts[name] for name in ("premises", "hypotheses", "words")), strict=True):
        assert words
        for word, *offsets in words:
            for sentence, starts in zip((premise, hypothesis), offsets, strict=True):
                assert starts
                assert {sentence[start : start + len(word)].lower() for start in starts} == {word.lower()}


@pytest.mark.parametrize(
    ("license_id", "with_text", "shown"),
    [("cc-by-sa-4.0", False, True), ("other", False, False), (None, False, False), (None, True, True)],
)
def test_sentences_are_shown_if_the_license_allows_or_on_request(
    results: list[Result], bundled: MergeDataset, tmp_path: Path, license_id: str | None, with_text: bool, shown: bool
) -> None:
    terms = dataclasses.replace(bundled.record.terms, license=license_id)
    dataset = dataclasses.replace(bundled, record=dataclasses.replace(bundled.record, terms=terms))
    assert may_be_shared(dataset.record) == (license_id == "cc-by-sa-4.0")
    data = unpacked(write_explorer(results[:1], dataset, tmp_path, with_text=with_text))
    assert (data["texts"] is not None) == shown


def test_names_are_data_and_no_markup(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    page = write_explorer([named(results[0], SCRIPT, 1, None), named(results[1], QUOTES, 1, None)], bundled, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert SCRIPT not in text
    assert 'onerror="document' not in text
    assert text.count("<script") == 2
    assert 'http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-' in text
    assert not re.search(r'(src|href)="(?!#|https://arxiv|data:,)', text)


def test_frequencies_are_those_of_the_corpus(results: list[Result], bundled: MergeDataset, tmp_path: Path) -> None:
    corpus = CorpusCounts("some text", "0" * 64, {"boy": 7})
    data = unpacked(write_explorer(results[:1], bundled, tmp_path, corpus=corpus))
    assert (data["corpus"], dict(zip(data["words"], data["frequency"], strict=True))["boy"]) == ("some text", 7)
    assert sum(data["frequency"]) == 7


@pytest.mark.parametrize("option", ["--export", "--wide"])
def test_options_for_tables_say_where_these_are(folder: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["explore", str(folder), "--dataset", "demo:dataset", "--out", "nowhere", option, "answers.csv"]
    assert main(command) == 2
    assert "NAME.parquet beside its result" in capsys.readouterr().err


def test_the_command_writes_the_page(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "corpus.txt").write_text("A boy and a boy.\n")
    command = ["explore", str(folder), "--dataset", "demo:dataset", "--out", str(tmp_path / "site")]
    assert main([*command, "--corpus", str(tmp_path / "corpus.txt")]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "site" / "index.html")]
    data = unpacked(tmp_path / "site" / "index.html")
    assert dict(zip(data["words"], data["frequency"], strict=True))["boy"] == 2


def test_a_model_with_two_names_is_shown_once(
    results: list[Result], bundled: MergeDataset, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = (
        replace(results[0], model=replace(results[0].model, name=name, digest="a" * 64)) for name in ("one", "other")
    )
    shown = results_on([first, second, *results[1:]], bundled)
    assert len(shown) == len(results)
    assert second not in shown
    assert "one and other are the same model" in caplog.text
