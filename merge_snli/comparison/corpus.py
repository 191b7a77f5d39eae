"""Read the texts of a corpus, such as the training data of a model, and count its words."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_file, sha256_of_json
from merge_snli.base.progress import Progress
from merge_snli.dataset.parquet_files import is_intact, write_checked
from merge_snli.dataset.record import Record
from merge_snli.models.tagger import Tagger, tagger_of_run
from merge_snli.problems.formats import TEXT_TYPES, file_type
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import Survey, stream_problems, survey_problems
from merge_snli.problems.source import ProblemSource, open_source, without_options
from merge_snli.problems.text_files import numbered_lines, require_text

logger = logging.getLogger(__name__)

# The split of a corpus that has splits: models are trained on it.
TRAIN = "train"

# Version of the cached counts. Raise it if tokens are counted differently.
FORMAT = 1


@dataclass(frozen=True)
class Corpus:
    """A corpus that was read once to compute its digest.

    Attributes:
        name: The corpus as the user named it, with the split if it has any.
        digest: Digest of its content.
        read: Starts a new pass over its texts.
    """

    name: str
    digest: str
    read: Callable[[], Iterator[str]]


def open_corpus(name: str, *, split: str = TRAIN) -> Corpus:
    """Open a corpus and compute its digest.

    Args:
        name: A `.txt` file with one sentence or paragraph per line; or NLI problems as `generate` reads them (file,
            folder of a data set, Hub id, or `demo:problems`), whose premises and hypotheses are the texts. Problems
            without a gold label are left out.
        split: Split of a folder or Hub id.

    Raises:
        InputError: If the corpus does not exist, cannot be read or has no text.
    """
    if file_type(Path(name)) == ".txt" and not Path(name).is_dir():
        return _plain_text(Path(name))
    if Path(name).is_file() and file_type(Path(name)) not in TEXT_TYPES:
        raise InputError(f"{param('corpus')} {name}: unknown file type; expected {', '.join(TEXT_TYPES)}")
    given = ProblemOptions(problems=name)
    options = given if given.split is None else replace(given, split=split)
    with without_options(param("corpus")), Progress().stage("reading the corpus", unit="rows") as stage:
        source = open_source(options)
        survey = survey_problems(source, stage)
    title = name if options.split is None else f"{name}, split {options.split}"
    return Corpus(title, survey.digest, partial(_sentences, source, survey))


def _plain_text(path: Path) -> Corpus:
    if not path.is_file():
        raise InputError(f"{param('corpus')} {path}: no such file")
    require_text(path)
    if not sum(1 for _, line in numbered_lines(path) if line.strip()):
        raise InputError(f"{param('corpus')} {path} has no text")
    return Corpus(str(path), sha256_of_file(path), lambda: (line for _, line in numbered_lines(path)))


def _sentences(source: ProblemSource, survey: Survey) -> Iterator[str]:
    for problem in stream_problems(source, survey):
        yield problem.premise
        yield problem.hypothesis


@dataclass(frozen=True)
class CorpusCounts:
    """How often each token occurs in a corpus.

    Attributes:
        corpus: Name of the corpus.
        digest: Digest of its content.
        by_token: Count of each lower-cased token.
    """

    corpus: str
    digest: str
    by_token: Mapping[str, int] = field(repr=False)

    @property
    def tokens(self) -> int:
        """Number of tokens of the corpus."""
        return sum(self.by_token.values())

    def of(self, words: pa.DictionaryArray) -> Ints:
        """Return the count of each word, ignoring case; 0 for a word that does not occur.

        Args:
            words: A dictionary array, [n].

        Returns:
            [n].
        """
        of_words = np.array(
            [self.by_token.get(word.lower(), 0) for word in words.dictionary.to_pylist()], dtype=np.int64
        )
        return np.asarray(of_words[words.indices.to_numpy()])


def tagger_of(record: Record, name: str | None = None) -> Tagger:
    """Load the tagger of a data set, for its tokenizer.

    Args:
        record: The record of the run.
        name: A spaCy pipeline to use instead of the recorded one.

    Raises:
        InputError: If the pipeline cannot be loaded, or the recorded one is not an installed package.
    """
    tagger, message = tagger_of_run(record, name)
    if message is not None:
        logger.warning("words are counted with another tokenizer: %s", message)
    return tagger


def count_corpus(corpus: Corpus, tagger: Tagger, folder: Path | None = None) -> CorpusCounts:
    """Count the tokens of a corpus, or read the counts of an earlier run on the same content.

    Args:
        corpus: The corpus.
        tagger: Has the tokenizer.
        folder: Where counts are cached; None to cache nothing. A damaged file is deleted and computed again.

    Raises:
        InputError: If the corpus has changed since it was opened, or the folder is not writable.
    """
    key = sha256_of_json([FORMAT, corpus.digest, tagger.digest])[:16]
    cached = None if folder is None else _read(folder, key)
    if cached is None:
        cached = _count(corpus, tagger)
        if folder is not None:
            _write(folder, key, cached)
    return CorpusCounts(corpus.name, corpus.digest, cached)


def _count(corpus: Corpus, tagger: Tagger) -> dict[str, int]:
    """Count the runs of characters between spaces, then split each different run into tokens once.

    The result is the same as for whole texts, because a spaCy tokenizer splits at spaces first, but several times
    faster.
    """
    runs, counts = Counter[str](), Counter[str]()
    tokenizer: Any = tagger.nlp.tokenizer
    with Progress().stage("counting the words of the corpus", unit="texts") as stage:
        for text in corpus.read():
            runs.update(text.split())
            stage.advance(1)
        for doc, number in zip(tokenizer.pipe(runs), runs.values(), strict=True):
            for token in doc:
                counts[token.lower_] += number
    return dict(counts)


def _read(folder: Path, key: str) -> dict[str, int] | None:
    for path in sorted(folder.glob(f"{key}-*.parquet")):
        if is_intact(path):
            table = pq.read_table(path, partitioning=None)
            return dict(zip(table["token"].to_pylist(), table["count"].to_pylist(), strict=True))
    return None


def _write(folder: Path, key: str, counts: Mapping[str, int]) -> None:
    columns = {"token": pa.array(counts.keys(), pa.string()), "count": pa.array(counts.values(), pa.int64())}
    write_checked(folder, pa.table(columns), prefix=f"{key}-", compression="zstd")
