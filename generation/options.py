"""Every choice of a generation run, in one frozen value: the command line and the run's record spell them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

from merge_snli.errors import InputError
from merge_snli.problems.options import ProblemOptions, at_least_one, each_once
from merge_snli.schema import DEFAULT_CLASSES, WORD_CLASSES

PROB, POS = "prob", "pos"
FILTERS = (PROB, POS)
"""The filters that can be left out: more probable than the original, and of its class in place."""

NO_FILTER = "none"
"""How `--filters` spells that both are left out."""

INTERSECTION, UNION = "intersection", "union"
CHOICES = {
    "sides": (INTERSECTION, UNION),
    "mask": ("one", "all"),
    "dtype": ("float32", "bfloat16"),
}
"""What the options of one word may be, the default first."""


@dataclass(frozen=True, kw_only=True)
class Options(ProblemOptions):
    """The choices of a generation run: those of `ProblemOptions` and these.

    Attributes:
        mlm: The masked LMs: Hub ids, folders or `demo:NAME`.
        classes: Word classes whose shared words are replaced.
        top_k: How many fillers of a form each masked LM is asked for (paper, section 4: 200).
        inflation: The degree of inflation d: variants a seed must have in a class, and variants drawn (20).
        subsamples: How many times d variants are drawn (10).
        random_seed: Changes the draws.
        device: `cpu`, `cuda`, `cuda:1` …; None for a GPU where there is one.
        sides: `intersection`: a replacement is validated in premise and hypothesis; `union`: in one of them.
        filters: Which of `FILTERS` are applied, in their order; from a text `prob,pos`, `pos`, `prob` or `none`.
        scramble: Shuffle the letters of each replacement.
        seeds_from: A MERGE data set whose seeds, and no others, are given variants; None for all that have enough.
        mask: `one` masks one occurrence at a time, `all` every occurrence of the sentence at once.
        split_words: Replace words that a masked LM's tokenizer splits, too.
        no_relations: Drop suggestions that stand in a WordNet relation to another word of the problem.
        ignore_case: Words are shared whatever their case.
        dtype: What masked LMs compute in, `float32` or `bfloat16`.
        license: The licence of the problems for the card, where the source is not a known one.
    """

    mlm: tuple[str, ...]
    classes: tuple[str, ...] = DEFAULT_CLASSES
    top_k: int = 200
    inflation: int = 20
    subsamples: int = 10
    random_seed: int = 0
    device: str | None = None
    sides: str = INTERSECTION
    filters: tuple[str, ...] = FILTERS
    scramble: bool = False
    seeds_from: str | None = None
    mask: str = "one"
    split_words: bool = False
    no_relations: bool = False
    ignore_case: bool = False
    dtype: str = "float32"
    license: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that no run can have.

        Raises:
            InputError: Names the option, its value and what it may be.
        """
        super().__post_init__()
        self._make_tuples("mlm", "classes")
        object.__setattr__(self, "filters", _filters(self.filters))
        for name in ("top_k", "inflation", "subsamples"):
            at_least_one(name, getattr(self, name))
        for name in self.classes:
            if name not in WORD_CLASSES:
                raise InputError(f"--classes has {name!r}: a word class is one of {', '.join(WORD_CLASSES)}")
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"--{name} is {value!r}: it is {' or '.join(choices)}")
        for option, values in (("--classes", self.classes), ("--mlm", self.mlm)):
            if not values:
                raise InputError(f"{option} is empty: give at least one")
            each_once(option, values)
        if self.seeds_from is not None:
            object.__setattr__(self, "seeds_from", str(self.seeds_from))


def with_defaults(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a run recorded, with the defaults of those that its version did not have yet."""
    defaults = {field.name: field.default for field in fields(Options) if field.default is not MISSING}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in {**defaults, **recorded}.items()
    }


def _filters(value: str | Sequence[str]) -> tuple[str, ...]:
    """Read a choice of filters, as a text or as names, into names in the order of `FILTERS`."""
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else list(value)
    if names == [NO_FILTER]:
        names = []
    elif isinstance(value, str) and not value.strip():
        raise InputError(f"--filters is empty: give {', '.join(FILTERS)}, both with a comma between, or {NO_FILTER}")
    for name in names:
        if name not in FILTERS:
            raise InputError(f"--filters has {name!r}: give {', '.join(FILTERS)}, both with a comma, or {NO_FILTER}")
    return tuple(name for name in FILTERS if name in names)
