"""Read the training data: problems, held-out problems and additional examples."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from merge_snli.base.errors import InputError
from merge_snli.base.table import count
from merge_snli.embedded import PREFIX
from merge_snli.models.cards import card_field
from merge_snli.problems.inputs import Problems
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from merge_snli.problems.source import without_options
from merge_snli.schema import NLI_LABELS
from training.finetuning.options import FinetuneOptions

TRAIN = "train"


@dataclass(frozen=True)
class Source:
    """Where examples come from.

    Attributes:
        name: A file, a folder with a config, or a Hub id.
        digest: The digest of all its problems; see `merge_snli.problems.reading.Survey`.
        used: Number of examples used for training.
        copies: How often each of them is in the training data.
        license: Its license as an id of the Hub; None if unknown.
    """

    name: str
    digest: str
    used: int
    license: str | None
    copies: int = 1


@dataclass(frozen=True)
class TrainingData:
    """Problems for training and for evaluation, whose labels are numbers of `NLI_LABELS`, and their sources."""

    examples: tuple[Problem, ...]
    held_out: tuple[Problem, ...]
    sources: tuple[Source, ...]


def read_training_data(options: FinetuneOptions) -> TrainingData:
    """Read the problems of `--train`, without additional examples.

    Args:
        options: The options of the run.
    """
    examples = []
    held_out = []
    sources = []
    for name in options.train:
        read, source = read_examples(name, problem_options(name))
        used = len(read) - options.hold_out
        if used < 1:
            raise InputError(f"⟦hold_out⟧ is {options.hold_out}, but {name} has only {count(len(read), 'problem')}")
        examples += read[:used]
        held_out += read[used:]
        sources.append(replace(source, used=used))
    return TrainingData(tuple(examples), tuple(held_out), tuple(sources))


def augmented(data: TrainingData, options: FinetuneOptions, seed: int) -> TrainingData:
    """Return the data with the additional examples of `--augment`, if it is set.

    Args:
        data: The training data.
        options: The options of the run.
        seed: Selects the additional examples if `--augment-share` is set.
    """
    if options.augment is None:
        return data
    added, source = read_examples(options.augment, augmentation_options(options.augment))
    if options.augment_share is not None:
        added = _sample(added, round(options.augment_share * len(data.examples)), options, seed)
    source = replace(source, used=len(added), copies=options.augment_copies)
    return replace(data, examples=(*data.examples, *added * options.augment_copies), sources=(*data.sources, source))


def _sample(examples: Sequence[Problem], number: int, options: FinetuneOptions, seed: int) -> list[Problem]:
    if not 0 < number <= len(examples):
        raise InputError(
            f"⟦augment_share⟧ is {options.augment_share:g}, which is {number:,} examples, but "
            f"{options.augment} has {len(examples):,}: choose another share"
        )
    chosen = np.random.default_rng(seed).permutation(len(examples))[:number]
    return [examples[number] for number in sorted(chosen)]


def problem_options(name: str) -> ProblemOptions:
    """Return how to read a source of `--train`: a file, or the split `train` of a folder or Hub id."""
    return ProblemOptions(problems=name, split=None if is_file(name) else TRAIN)


def augmentation_options(name: str) -> ProblemOptions:
    """Return how to read `--augment`: a file, or the split `train` of `DIR/CONFIG` or `ID/CONFIG`."""
    if is_file(name):
        return ProblemOptions(problems=name)
    folder, _, config = name.rstrip("/").rpartition("/")
    if not folder:
        raise InputError(f"⟦augment⟧ is {name!r}: give a file, or a data set and its config, DIR/CONFIG")
    return ProblemOptions(problems=folder, config=config, split=TRAIN)


def is_file(name: str) -> bool:
    """Return whether a source is a file and has no splits."""
    return name.startswith(PREFIX) or Problems.of(name).are_files


def read_examples(name: str, options: ProblemOptions) -> tuple[list[Problem], Source]:
    """Read the examples of a source.

    Args:
        name: The source, as the user names it.
        options: How to read it.
    """
    with without_options("training"):
        read = read_problems(options)
    if sorted(read.label_names) != sorted(NLI_LABELS):
        raise InputError(f"{name} has the labels {', '.join(read.label_names)}; training needs {', '.join(NLI_LABELS)}")
    numbers = [NLI_LABELS.index(label) for label in read.label_names]
    examples = [
        replace(
            problem,
            premise=problem.premise.strip(),
            hypothesis=problem.hypothesis.strip(),
            label=numbers[problem.label],
        )
        for problem in read.problems
    ]
    return examples, Source(name, read.digest, len(examples), license_of(str(options.problems)))


def license_of(problems: str) -> str | None:
    """Return the license of a data set, from the known data sets or from the card in its folder; None if unknown."""
    known = known_dataset(problems)
    if known is not None:
        return known.license
    license_id = card_field(Path(problems), "license")
    return license_id if isinstance(license_id, str) else None
