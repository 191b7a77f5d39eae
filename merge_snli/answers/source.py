"""Read the problems that a data set was generated from, to score models on all of them (first column of Table 3)."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from merge_snli.answers.data import ScoredData
from merge_snli.answers.sentences import Numbering
from merge_snli.base.arrays import Ints
from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, are_nli, task_labels
from merge_snli.models.labels import Pair, positions
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source

# The source that the record of the data set names.
RECORDED = "recorded"


@dataclass(frozen=True)
class ScoredSource:
    """The problems of a source that have a gold label.

    Attributes:
        name: Hub id or file name, with the split if there is one.
        digest: Digest of the problems, from `merge_snli.problems.reading.Survey`.
        without_label: Number of rows without a gold label, which are left out.
        new_pairs: Distinct (premise, hypothesis) pairs of the source that the config does not have.
        pairs: Index of each problem into the config's pairs followed by `new_pairs`, [n_problems].
        labels: Number of the gold label of each problem in the data set, [n_problems].
    """

    name: str
    digest: str
    without_label: int
    new_pairs: tuple[Pair, ...]
    pairs: Ints
    labels: Ints


def read_source(source: str | Path | ProblemOptions, data: ScoredData) -> ScoredSource:
    """Read the source of a data set.

    A text that several problems share, or that the config has, is held once.

    Args:
        source: `recorded` for the source in the record of the data set, which must have the recorded digest. Otherwise
            a file, a Hub id or options for reading problems; then all rows are read, and the digest is not compared.
        data: The config to score.

    Raises:
        InputError: If the data has no seeds, or the source cannot be read, is not the recorded one, has other labels
            than the data set, or does not have every seed of the config with its gold label.
    """
    if not isinstance(source, str | Path | ProblemOptions):
        raise InputError(
            f"⟦source⟧ has the type {type(source).__name__}: give a file, a Hub id, {RECORDED}, or ProblemOptions"
        )
    if not data.has_seeds:
        raise InputError(f"⟦source⟧ is for data with seeds, and the groups of {data.name} have none: remove it")
    if source == RECORDED:
        return _read_recorded(data)
    if isinstance(source, ProblemOptions):
        return _read(source, data)
    if not str(source).strip():
        raise InputError(f"⟦source⟧ is empty: give a file, a Hub id, or {RECORDED}")
    return _read(ProblemOptions(problems=source), data)


def _read_recorded(data: ScoredData) -> ScoredSource:
    dataset = data.stored
    advice = "give it with ⟦source⟧ FILE|ID"
    try:
        recorded = dataset.record.options
        if not isinstance(recorded.get("problems"), str):
            raise InputError("its run.json does not name the problems")
        known = {field.name for field in fields(ProblemOptions)}
        known.remove("tagger")  # it does not affect which problems are read
        options = {name: value for name, value in recorded.items() if name in known}
        return _read(ProblemOptions(**options), data, digest=dataset.record.sources[0].digest)
    except InputError as error:
        raise InputError(
            f"cannot use the recorded source of {dataset.name}: {error.message.marked}; {advice}"
        ) from error


def _read(options: ProblemOptions, data: ScoredData, *, digest: str | None = None) -> ScoredSource:
    """Read a source, and find those pairs that the config already has.

    Args:
        options: How to read it.
        data: The config to score.
        digest: The digest that it must have; None for any.
    """
    if options.problems.were_in_memory and options.problems.table is None:
        raise InputError(f"{options.problems} stands for problems that were in memory")
    opened = open_source(options)
    with Progress().stage("reading the source", unit="rows") as stage:
        survey = survey_problems(opened, stage)
    if digest is not None and survey.digest != digest:
        raise InputError(f"{options.problems} has changed: its digest is {survey.digest}, that in run.json {digest}")
    name = options.problems.public_name
    if options.split is not None:
        name += f" ({options.split})"
    numbers = _label_numbers(survey.label_names, data, name)
    pairs = Numbering(data.pairs)
    labels = array("q")
    for problem in stream_problems(opened, survey):
        pairs.add((problem.premise, problem.hypothesis))
        labels.append(numbers[problem.label])
    source = ScoredSource(
        name=name,
        digest=survey.digest,
        without_label=survey.without_label,
        new_pairs=tuple(pairs.index)[len(data.pairs) :],
        pairs=np.array(pairs.numbers)[len(data.pairs) :],
        labels=np.array(labels),
    )
    _require_seeds(source, data)
    return source


def _label_numbers(names: Sequence[str], data: ScoredData, source: str) -> tuple[int, ...]:
    """Return the number in the data set of each label of the source."""
    labels = task_labels(names)
    merges = NOT_ENTAILMENT in data.label_names
    if not {*labels} <= {*data.label_names} and not (merges and are_nli(labels)):
        raise InputError(
            f"the labels of {source} are {', '.join(labels)}, those of {data.name} "
            f"{', '.join(data.label_names)}: give the source that the data set was generated from"
        )
    return positions(labels, data.label_names)


def _require_seeds(source: ScoredSource, data: ScoredData) -> None:
    """Check that the source has every seed of the config, with the same gold label."""
    assert data.seed_labels is not None
    labeled = set(zip(source.pairs.tolist(), source.labels.tolist(), strict=True))
    seeds = zip(data.group_ids, data.seed_pairs.tolist(), data.seed_labels.tolist(), strict=True)
    missing = [seed_id for seed_id, pair, label in seeds if (pair, label) not in labeled]
    if missing:
        raise InputError(
            f"{source.name} does not have {len(missing):,} of the {len(data.group_ids):,} seeds of {data.name} "
            f"with their gold labels, such as seed {missing[0]}: give the source that the data set was generated from"
        )
