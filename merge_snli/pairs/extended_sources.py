"""The problems whose sentences Extended Pair combines: several sources, or parts of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.problems.inputs import Problems, public_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems

if TYPE_CHECKING:
    from collections.abc import Sequence

SLICE = re.compile(r"(.+)\[(-?\d+)?:(-?\d+)?\]")
"""`NAME[START:STOP]`, with positions as in Python: `[-1500:]` is the last 1,500 problems."""


@dataclass(frozen=True)
class Sentences:
    """The sentences of one source.

    Attributes:
        name: Its name, as given but without folders.
        digest: Digest of all its problems.
        premises: The different premises of the chosen problems, in their order.
        hypotheses: The different hypotheses.
        pairs: All pairs of the source, also those that were not chosen.
    """

    name: str
    digest: str
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]


def read_sources(problems: Sequence[str]) -> tuple[Sentences, ...]:
    """Read the problems.

    Args:
        problems: Files, folders or Hub ids, each with an optional slice.

    Raises:
        InputError: If none or one twice is given, one cannot be read, or a slice is empty.
    """
    if not problems:
        raise InputError(f"{param('problems')} is empty: give one or more files, folders or Hub ids")
    duplicate = next((name for name in problems if list(problems).count(name) > 1), None)
    if duplicate is not None:
        raise InputError(f"{param('problems')} has {duplicate!r} more than once: name each source once")
    return tuple(_read(name) for name in problems)


def split_slice(given: str) -> tuple[str, slice]:
    """Return the name of a source without its slice, and the slice; that of all problems if none is given."""
    match = SLICE.fullmatch(given)
    if match is None:
        return given, slice(None)
    name, *positions = match.groups()
    return name, slice(*(None if position is None else int(position) for position in positions))


def absolute_name(given: str) -> str:
    """Return the name of a source with its slice, if any, and with an absolute path if it is a file or folder."""
    name, _ = split_slice(given)
    return str(Problems.of(name).absolute()) + given.removeprefix(name)


def _read(given: str) -> Sentences:
    name, part = split_slice(given)
    found = read_problems(ProblemOptions(problems=name))
    pairs = [(" ".join(each.premise.split()), " ".join(each.hypothesis.split())) for each in found.problems]
    chosen = pairs[part]
    if not chosen:
        raise InputError(f"{param('problems')} {given}: the slice has no problem; {name} has {len(pairs):,}")
    premises, hypotheses = (tuple(dict.fromkeys(texts)) for texts in zip(*chosen, strict=True))
    public = public_name(name) + given.removeprefix(name)
    return Sentences(public, found.digest, premises, hypotheses, frozenset(pairs))
