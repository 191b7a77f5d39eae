"""The data of the training scripts, and their arguments, logging and error handling."""

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, as_flags, log_flags, param
from merge_snli.models.finding import disable_progress_bar
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems

HELD_OUT = 1500
SNLI_DEV = "snli/dev.jsonl"
MNLI_DEV = "mnli/dev_matched.jsonl"
SNLI_TEST = "snli/test.jsonl"
SENTENCE_ENDS = (".", "!", "?", '"', "'")


def default_folder() -> Path:
    """Return the data folder: the environment variable `MERGE_DATA`, or `../shared/data` if it is not set."""
    return Path(os.environ.get("MERGE_DATA", "../shared/data"))


def problems_of(folder: Path, name: str) -> tuple[Problem, ...]:
    """Read the problems of a file in the data folder."""
    path = folder / name
    if not path.is_file():
        raise InputError(f"{path} does not exist: pass the folder that contains {name} as {param('data')} DIR")
    return read_problems(ProblemOptions(problems=str(path))).problems


def training_problems(folder: Path, name: str) -> tuple[Problem, ...]:
    """Return the training problems of a dev file: all except the last 1,500."""
    if name == SNLI_TEST:
        raise InputError(f"{name} is used for evaluation only: train on a dev file")
    return problems_of(folder, name)[:-HELD_OUT]


def held_out_problems(folder: Path, name: str) -> tuple[Problem, ...]:
    """Return the last 1,500 problems of a dev file, used for model selection."""
    return problems_of(folder, name)[-HELD_OUT:]


def unique_sentences(problems: Iterable[Problem]) -> list[str]:
    """Return the distinct premises and hypotheses, stripped, in order."""
    sentences: dict[str, None] = {}
    for problem in problems:
        sentences[problem.premise.strip()] = None
        sentences[problem.hypothesis.strip()] = None
    return list(sentences)


def with_stops(sentences: Iterable[str]) -> list[str]:
    """Add a full stop to every second sentence that does not end with one.

    The masked LM then sees both variants and learns to fill a last word before a full stop.
    """
    result: list[str] = []
    unstopped = 0
    for sentence in sentences:
        ended = sentence.endswith(SENTENCE_ENDS)
        unstopped += not ended
        result.append(sentence if ended or unstopped % 2 == 0 else f"{sentence}.")
    return result


def parse(
    module: str, about: str | None, arguments: Mapping[str, Mapping[str, Any]], given: Sequence[str] | None = None
) -> argparse.Namespace:
    """Parse the command line of a script.

    Args:
        module: The name of the script's module.
        about: What the script does.
        arguments: How `add_argument` adds each argument, by name. One that is not given is absent from the result
            unless it has a default.
        given: The command line; None for that of this process.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m training.{module}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    for name, how in arguments.items():
        parser.add_argument(name, **how)
    return parser.parse_args(given)


@contextmanager
def script() -> Iterator[None]:
    """Set up logging for a script; an InputError is printed and exits with code 2, Ctrl-C exits with code 130."""
    handler = logging.StreamHandler()
    handler.addFilter(log_flags)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", handlers=[handler])
    disable_progress_bar()
    try:
        yield
    except InputError as error:
        sys.stderr.write(f"{as_flags(error)}\n")
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run the same command again to resume\n")
        raise SystemExit(130) from None
