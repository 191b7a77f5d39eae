"""Counting the words of a corpus: what is counted, and corpora that cannot be read."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from merge_snli.comparison.corpus import CorpusCounts, count_corpus, open_corpus, tagger_of
from merge_snli.dataset.record import TaggerRecord, generation_of
from merge_snli.dataset.record_file import read_record
from merge_snli.models.tagger import Tagger
from merge_snli.problems.reading import survey_problems
from tests.oracles import refused, write_rows, written
from tests.records import SHIPPED, changed

TEXTS = (
    "A dog can't chase the Dog's ball.",
    "  Two  dogs\tsleep...\u00a0A \u2018black-and-white\u2019 cat (café) :) isn't there!",
    "He said:“No”, then left at 10a.m. for $5, e.g. to New\u2003York\u200b.",
)


def plain(folder: Path, content: str | bytes) -> str:
    return str(written(folder / "corpus.txt", content))


def problems(folder: Path, rows: list[dict[str, str]]) -> str:
    return str(write_rows(folder / "train.jsonl", rows))


def test_tokens_are_those_of_the_tagger_in_whole_texts(tmp_path: Path, tagger: Tagger) -> None:
    counts = count_corpus(open_corpus(plain(tmp_path, "\n".join(TEXTS))), tagger)
    expected = Counter(
        token.lower_ for text in TEXTS for token in tagger.nlp.make_doc(text) if not token.text.isspace()
    )
    assert (counts.by_token, counts.tokens) == (expected, sum(expected.values()))
    assert counts.of(pa.array(["Dog", "dogs", "zebra", "CAT", "dog"]).dictionary_encode()).tolist() == [2, 1, 0, 1, 2]


def test_problems_count_premises_and_hypotheses_with_a_gold_label(tmp_path: Path, tagger: Tagger) -> None:
    rows = [
        {"premise": "A dog runs.", "hypothesis": "A Dog moves.", "label": "entailment"},
        {"premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
        {"premise": "A dog sleeps.", "hypothesis": "No label.", "label": "-1"},
    ]
    corpus = open_corpus(problems(tmp_path, rows))
    assert count_corpus(corpus, tagger).by_token == {"a": 4, "dog": 3, "runs": 3, "moves": 1, "cat": 1, ".": 4}


def test_the_split_of_a_folder_is_train(tmp_path: Path, tagger: Tagger) -> None:
    for split, word in (("train", "dog"), ("test", "cat")):
        row = {"premise": f"A {word}.", "hypothesis": f"One {word}.", "label": "entailment"}
        write_rows(tmp_path / f"{split}.jsonl", [row])
    corpus = open_corpus(str(tmp_path))
    assert (corpus.name, count_corpus(corpus, tagger).by_token["dog"]) == (f"{tmp_path}, split train", 2)


def test_the_recorded_tagger_is_loaded_and_another_one_is_mentioned(
    tagger: Tagger, caplog: pytest.LogCaptureFixture
) -> None:
    record = read_record(SHIPPED)
    assert tagger_of(record).digest == tagger.digest == generation_of(record).tagger.digest
    assert not caplog.text
    other = changed(record, tagger=TaggerRecord("other", "1.0", "f" * 64))
    assert tagger_of(other, str(tagger.path)).digest == tagger.digest
    assert "other 1.0 (sha256 ffffffff)" in caplog.text


def test_a_recorded_tagger_that_is_a_folder_is_not_loaded(tagger: Tagger) -> None:
    record = read_record(SHIPPED)
    folder = replace(record, options=record.options | {"tagger": str(tagger.path)})
    refused(r"not an installed package.*with tagger", tagger_of, folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"corpus\.txt has no text"),
        (b" \n\n", r"corpus\.txt has no text"),
        (b"A dog.\n\xff\n", r"corpus\.txt line 2: byte 1 \(0xff\)"),
        (b"\x1f\x8b\x08", r"corpus\.txt is a gzip file"),
    ],
)
def test_plain_text_that_cannot_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    refused(message, open_corpus, plain(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "message"), [("missing.txt", "No such file"), ("missing.jsonl", "no such file"), ("a.zip", "unknown file")]
)
def test_files_that_are_no_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.zip").write_bytes(b"PK")
    refused(f"{message}.*{name}|{name}.*{message}", open_corpus, name)


def test_a_corpus_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"premise": "A dog runs.", "hypothesis": "A dog moves.", "label": "entailment"}]
    name = problems(tmp_path, rows)

    def survey_and_change(*arguments: Any) -> Any:  # noqa: ANN401 - of `survey_problems`
        survey = survey_problems(*arguments)
        problems(tmp_path, rows * 2)
        return survey

    monkeypatch.setattr("merge_snli.comparison.corpus.survey_problems", survey_and_change)
    refused("changed", open_corpus, name)


def test_words_that_do_not_occur() -> None:
    counts = CorpusCounts("made up", "f" * 64, {})
    assert (counts.tokens, counts.of(pa.array(["dog"]).dictionary_encode()).tolist()) == (0, [0])
