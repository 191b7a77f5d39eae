"""The data: SNLI dev and MultiNLI dev matched, and what of them is trained on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from merge_snli.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import Problem, read_problems

HELD_OUT = 1500
SNLI_DEV = "snli/dev.jsonl"
MNLI_DEV = "mnli/dev_matched.jsonl"
SNLI_TEST = "snli/test.jsonl"
SENTENCE_ENDS = (".", "!", "?", '"', "'")


def default_folder() -> Path:
    """Return the data folder: `MERGE_DATA` where it is set, else `../shared/data`."""
    return Path(os.environ.get("MERGE_DATA", "../shared/data"))


def problems_of(folder: Path, name: str) -> tuple[Problem, ...]:
    """Read the problems of one file of the data folder.

    Raises:
        InputError: There is no such file.
    """
    path = folder / name
    if not path.is_file():
        raise InputError(f"there is no {path}: name the folder that holds {name} with --data DIR")
    return read_problems(ProblemOptions(problems=str(path))).problems


def training_problems(folder: Path, name: str) -> tuple[Problem, ...]:
    """Return the problems of a dev file that are trained on: all but the last 1,500.

    Raises:
        InputError: The file is missing, or is the test file, which is never trained on.
    """
    if name == SNLI_TEST:
        raise InputError("SNLI test is for the final figures alone and is never trained on: name a dev file")
    return problems_of(folder, name)[:-HELD_OUT]


def held_out_problems(folder: Path, name: str) -> tuple[Problem, ...]:
    """Return the last 1,500 problems of a dev file: for choosing, never trained on."""
    return problems_of(folder, name)[-HELD_OUT:]


def unique_sentences(problems: Iterable[Problem]) -> list[str]:
    """Return every premise and hypothesis once, in order, without space around it."""
    return list(dict.fromkeys(text.strip() for problem in problems for text in (problem.premise, problem.hypothesis)))


def with_stops(sentences: Iterable[str]) -> list[str]:
    """Add a full stop to every second sentence that ends without one.

    A masked LM then knows both, and learns that a form's last word comes before a full stop.
    """
    result: list[str] = []
    unstopped = 0
    for sentence in sentences:
        ended = sentence.endswith(SENTENCE_ENDS)
        unstopped += not ended
        result.append(sentence if ended or unstopped % 2 == 0 else f"{sentence}.")
    return result
