"""The problems that the bundled models are trained and measured on: SNLI dev and test, and MultiNLI dev matched."""

import os
from pathlib import Path

from merge_snli.base.errors import InputError
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from training.finetuning.data import read_examples

# The number of problems of each file for training that are held out.
HELD_OUT = 1500
SNLI_DEV = "snli/dev.jsonl"
MNLI_DEV = "mnli/dev_matched.jsonl"
SNLI_TEST = "snli/test.jsonl"


def default_folder() -> Path:
    """Return the data folder: the environment variable `MERGE_DATA`, or `../shared/data` if it is not set."""
    return Path(os.environ.get("MERGE_DATA", "../shared/data"))


def problems_of(folder: Path, name: str) -> list[Problem]:
    """Read the problems of a file in the data folder, whose labels are numbers of `NLI_LABELS`."""
    path = folder / name
    if not path.is_file():
        raise InputError(f"{path} does not exist: pass the folder that contains {name} as ⟦data⟧ DIR")
    problems, _ = read_examples(str(path), ProblemOptions(problems=str(path)))
    return problems


def training_problems(folder: Path) -> list[Problem]:
    """Return the training problems: all of both dev files except the last 1,500 of each."""
    return problems_of(folder, SNLI_DEV)[:-HELD_OUT] + problems_of(folder, MNLI_DEV)[:-HELD_OUT]
