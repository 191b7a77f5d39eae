"""Draw the problems that a few-shot prompt shows, never from the problems that are asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.embedded import PREFIX
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from merge_snli.scoring.predictions.scored_data import ScoredData

DEFAULT_SHOTS = 3
"""One per label."""


@dataclass(frozen=True)
class Shot:
    """A problem that a prompt shows with its label."""

    premise: str
    hypothesis: str
    label: str


def shots_for(data: ScoredData, source: str, count: int, *, random_seed: int = 0) -> tuple[Shot, ...]:
    """Draw the shots for the questions of a config; see `draw_shots`.

    Args:
        data: The config.
        source: File, folder or Hub id of problems; `ID:SPLIT` names a split.
        count: Number of problems.
        random_seed: Seed of the draw.
    """
    name, _, split = (source, "", "") if source.startswith(PREFIX) else source.partition(":")
    options = ProblemOptions(problems=name, split=split or None)
    asked = {premise for premise, _ in data.pairs}
    return draw_shots(options, count, labels=data.label_names, asked=asked, random_seed=random_seed)


def draw_shots(
    options: ProblemOptions, count: int, *, labels: Sequence[str], asked: Collection[str], random_seed: int = 0
) -> tuple[Shot, ...]:
    """Draw problems of another split or data set, the labels in turns.

    The draw takes the problems with the smallest digests of random seed and id, so it does not depend on their order.

    Args:
        options: The problems to draw from.
        count: Number of problems.
        labels: The labels of the data set.
        asked: Premises and hypotheses that the model is asked; no problem with one of these premises is drawn.
        random_seed: Seed of the draw.

    Raises:
        InputError: If the problems cannot be read, have other labels, or are too few.
    """
    if count < 0:
        raise InputError(f"shots is {count}: give 0 or a larger number")
    if not count:
        return ()
    source = open_source(options)
    survey = survey_problems(source)
    names = canonical_names(survey.label_names)
    if names is None or {*names} != {*labels}:
        raise InputError(
            f"the labels of {options.problems} are {', '.join(survey.label_names)}, not {', '.join(labels)}: "
            "draw the shots from another data set"
        )
    drawn: dict[str, list[tuple[str, Shot]]] = {label: [] for label in labels}
    for problem in stream_problems(source, survey):
        if problem.premise in asked:
            continue
        key = hashlib.sha256(f"{random_seed}:{problem.id}".encode()).hexdigest()
        label = names[problem.label]
        # A few candidates per label suffice; sorting them at once would need all problems in memory.
        drawn[label] = sorted([*drawn[label], (key, Shot(problem.premise, problem.hypothesis, label))], key=_key)[
            :count
        ]
    shots = tuple(islice(_in_turns([[shot for _, shot in of_label] for of_label in drawn.values()]), count))
    if len(shots) < count:
        raise InputError(
            f"{options.problems} has only {len(shots)} problems for {count} shots whose premises are not in the data "
            "set: ask for fewer shots, or draw them from another data set"
        )
    return shots


def _key(candidate: tuple[str, Shot]) -> str:
    return candidate[0]


def _in_turns(lists: Sequence[Sequence[Shot]]) -> Iterator[Shot]:
    """Yield the first shot of each list, then the second of each, and so on."""
    for position in range(max(map(len, lists), default=0)):
        yield from (each[position] for each in lists if position < len(each))
