"""Read the texts of a corpus: NLI problems as `generate` reads them, or the lines of a plain text file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_file
from merge_snli.base.progress import Progress
from merge_snli.problems.file_rows import READERS, file_type, numbered_lines, require_text
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from merge_snli.problems.reading import Survey
    from merge_snli.problems.source import ProblemSource

PLAIN_TEXT = ".txt"
TRAIN = "train"
"""The split of a corpus that has splits: models are trained on it."""


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
    if file_type(Path(name)) == PLAIN_TEXT and not Path(name).is_dir():
        return _plain_text(Path(name))
    if Path(name).is_file() and file_type(Path(name)) not in READERS:
        raise InputError(f"{param('corpus')} {name}: unknown file type; expected {', '.join(READERS)}")
    options = ProblemOptions(problems=name)
    if options.split is not None:
        options = replace(options, split=split)
    source = open_source(options)
    with Progress().stage("reading the corpus", unit="rows") as stage:
        survey = survey_problems(source, stage)
    title = name if options.split is None else f"{name}, split {options.split}"
    return Corpus(title, survey.digest, partial(_sentences, source, survey))


def _plain_text(path: Path) -> Corpus:
    if not path.is_file():
        raise InputError(f"{param('corpus')} {path}: no such file")
    require_text(path)
    if not sum(1 for _, line in numbered_lines(path) if line.strip()):
        raise InputError(f"{param('corpus')} {path} has no text")
    return Corpus(str(path), sha256_of_file(path), partial(_lines, path))


def _lines(path: Path) -> Iterator[str]:
    return (line for _, line in numbered_lines(path))


def _sentences(source: ProblemSource, survey: Survey) -> Iterator[str]:
    for problem in stream_problems(source, survey):
        yield problem.premise
        yield problem.hypothesis
