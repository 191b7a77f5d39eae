"""Read the texts of a corpus, such as the training data of a model, and count its words."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.base.progress import Progress
from merge_snli.dataset.record import Record
from merge_snli.models.tagger import Tagger, tagger_of_run
from merge_snli.problems.formats import file_type
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source, without_options
from merge_snli.problems.text_files import numbered_lines, require_text

logger = logging.getLogger(__name__)

# The split of a corpus that has splits: models are trained on it.
TRAIN = "train"


@dataclass(frozen=True)
class Corpus:
    """A corpus that was read.

    Attributes:
        name: The corpus as the user named it, with the split if it has any.
        digest: Digest of its content.
        runs: How often each run of characters between spaces occurs. A tokenizer of spaCy splits at spaces first, so
            each different run is tokenized once.
    """

    name: str
    digest: str
    runs: Counter[str] = field(repr=False)


def open_corpus(name: str) -> Corpus:
    """Read a corpus.

    Args:
        name: A `.txt` file with one sentence or paragraph per line; or NLI problems as `generate` reads them (file,
            folder of a data set, Hub id, or `demo:problems`), whose premises and hypotheses are the texts: of split
            `train`, if there are splits. Problems without a gold label are left out.

    Raises:
        InputError: If the corpus does not exist, cannot be read, has no text or changes while it is read.
    """
    path = Path(name)
    if file_type(path) == ".txt" and not path.is_dir():
        return _plain_text(path)
    options = ProblemOptions(problems=name)
    title = name
    if options.split is not None:
        options = replace(options, split=TRAIN)
        title = f"{name}, split {TRAIN}"
    with without_options("⟦corpus⟧"), Progress().stage("reading the corpus", unit="rows") as stage:
        source = open_source(options)
        survey = survey_problems(source, stage)
    runs = Counter[str]()
    with Progress().stage("counting the words of the corpus", unit="problems") as stage:
        for problem in stream_problems(source, survey):
            runs.update(problem.premise.split())
            runs.update(problem.hypothesis.split())
            stage.advance(1)
    return Corpus(title, survey.digest, runs)


def _plain_text(path: Path) -> Corpus:
    require_text(path)
    runs = Counter[str]()
    with Progress().stage("counting the words of the corpus", unit="lines") as stage:
        for _, line in numbered_lines(path):
            runs.update(line.split())
            stage.advance(1)
    if not runs:
        raise InputError(f"⟦corpus⟧ {path} has no text")
    return Corpus(str(path), sha256_of_file(path), runs)


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
        of_words = [self.by_token.get(word.lower(), 0) for word in words.dictionary.to_pylist()]
        return np.asarray(np.array(of_words, dtype=np.int64)[words.indices.to_numpy()])


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


def count_corpus(corpus: Corpus, tagger: Tagger) -> CorpusCounts:
    """Count the tokens of a corpus.

    Args:
        corpus: The corpus.
        tagger: Has the tokenizer.
    """
    counts = Counter[str]()
    tokenizer: Any = tagger.nlp.tokenizer
    with Progress().stage("splitting the words of the corpus", unit="words", total=len(corpus.runs)) as stage:
        for doc, number in zip(tokenizer.pipe(corpus.runs), corpus.runs.values(), strict=True):
            stage.advance(1)
            for token in doc:
                counts[token.lower_] += number
    return CorpusCounts(corpus.name, corpus.digest, counts)
