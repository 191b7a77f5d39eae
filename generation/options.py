"""Options of a generation run, spelled the same in Python, on the command line and in the run's record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from pathlib import Path
from typing import Any

from merge_snli.embedded import PREFIX
from merge_snli.errors import InputError, param
from merge_snli.hub import check_license
from merge_snli.problems.file_names import absolute_names
from merge_snli.problems.options import ProblemOptions, require_at_least, require_unique
from merge_snli.schema import DEFAULT_CLASSES, WORD_CLASSES

PROB, POS = "prob", "pos"
FILTERS = (PROB, POS)
"""The optional filters: more probable than the original (filter 2 of docs/method.md), same word class (filter 4)."""

NO_FILTER = "none"
"""The value of `--filters` that disables both."""

INTERSECTION, UNION = "intersection", "union"
CHOICES = {
    "sides": (INTERSECTION, UNION),
    "mask": ("one", "all"),
    "dtype": ("float32", "bfloat16"),
}
"""The values of the options with a fixed choice, the default first."""

READABILITY = ("min_mlms", "same_tag", "articles", "min_log_odds", "max_rank")
"""The options that filter for readable variants."""

RECORDED_IF_SET = (*READABILITY, "delimiter")
"""Options that records and run files have only if they differ from the default."""

MAXIMA = {"top_k": 10_000, "subsamples": 1_000}
"""Upper bounds: fillers take disk space per form, and each draw is a split with a file per config."""


@dataclass(frozen=True, kw_only=True)
class Options(ProblemOptions):
    """Options of a generation run, in addition to those of `ProblemOptions`.

    Attributes:
        mlm: The masked LMs: Hub ids, folders or `demo:NAME`.
        classes: Word classes whose shared words are replaced.
        top_k: Number of fillers per form and masked LM (200 in section 4 of the paper).
        inflation: Degree of inflation d: the variants that a seed needs per class, and the variants per draw (20).
        subsamples: Number of draws (10).
        random_seed: Seed of the draws.
        device: `cpu`, `cuda`, `cuda:1`, …; None for the GPU if there is one, else the CPU.
        sides: `intersection`: a replacement must be validated in premise and hypothesis; `union`: in at least one.
        filters: The filters of `FILTERS` to apply; also as text: `prob,pos`, `pos`, `prob` or `none`.
        scramble: Shuffle the letters of each replacement.
        seeds_from: A MERGE data set; only its seeds get variants. None for all problems with enough variants.
        mask: `one` masks one occurrence per form, `all` every occurrence in the sentence.
        split_words: Also replace words that the masked LM's tokenizer splits into several tokens.
        no_relations: Drop suggestions with a WordNet relation to another word of the problem.
        min_mlms: Number of masked LMs that must validate a word in a sentence.
        same_tag: Drop suggestions whose Penn tag in place is not that of the original.
        articles: Drop suggestions that do not fit "a" or "an" before them.
        min_log_odds: Drop suggestions with smaller log-odds; None for no limit.
        max_rank: Drop fillers that are not among the N most probable of their form; None for no limit.
        ignore_case: Ignore case when comparing the words of premise and hypothesis.
        dtype: Data type of the masked LMs' weights and computations: `float32` or `bfloat16`.
        title: Title of the data set; None for one from the problems, such as "MERGE on SNLI (test)".
        license: License of the problems for the card; None for that of a known data set.
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
    min_mlms: int = 1
    same_tag: bool = False
    articles: bool = False
    min_log_odds: float | None = None
    max_rank: int | None = None
    ignore_case: bool = False
    dtype: str = "float32"
    title: str | None = None
    license: str | None = None

    def __post_init__(self) -> None:
        """Set the defaults and check the values.

        Raises:
            InputError: If a value is invalid.
        """
        super().__post_init__()
        self._set("filters", _read_filters(self.filters))
        for name in ("top_k", "inflation", "subsamples", "min_mlms", "max_rank"):
            require_at_least(name, getattr(self, name), 1)
        for name, maximum in MAXIMA.items():
            if getattr(self, name) > maximum:
                raise InputError(f"{param(name)} is {getattr(self, name)}: it must be at most {maximum:,}")
        check_license(self.license)
        if self.title is not None and not (self.title.strip() and self.title.isprintable()):
            raise InputError(f"{param('title')} is {self.title!r}: give one line of text")
        for name in self.classes:
            if name not in WORD_CLASSES:
                raise InputError(f"{param('classes')} has {name!r}: choose from {', '.join(WORD_CLASSES)}")
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"{param(name)} is {value!r}: choose {' or '.join(choices)}")
        for option, values in (("classes", self.classes), ("mlm", self.mlm)):
            if not values:
                raise InputError(f"{param(option)} is empty: give at least one value")
            require_unique(option, values)
        if self.min_mlms > len(self.mlm):
            raise InputError(
                f"{param('min_mlms')} is {self.min_mlms}, but {param('mlm')} has only {len(self.mlm)}: choose at most "
                "that"
            )
        if self.min_log_odds is not None and not math.isfinite(self.min_log_odds):
            raise InputError(f"{param('min_log_odds')} is {self.min_log_odds}: give a finite number")

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON values, in the order of the fields; those of `RECORDED_IF_SET` only if set.

        So the record of a run without them is the same as before they existed.
        """
        unset = {field.name for field in fields(self) if field.name in RECORDED_IF_SET and self._is_default(field)}
        return {name: value for name, value in super().as_dict().items() if name not in unset}

    def _is_default(self, field: Field[Any]) -> bool:
        return bool(getattr(self, field.name) == field.default)


def with_absolute_paths(options: Options) -> Options:
    """Return the options with the paths of existing files and folders made absolute, to record them."""

    def absolute(name: str | None) -> Any:  # noqa: ANN401 - as given: None, a name, or problems in memory
        is_local = name is not None and not name.startswith(PREFIX) and Path(name).exists()
        return str(Path(name).absolute()) if name is not None and is_local else name

    # Without a slash, the name of an installed tagger comes before that of a folder.
    tagger = absolute(options.tagger) if "/" in (options.tagger or "") else options.tagger
    return replace(
        options,
        problems=absolute_names(options.problems),
        mlm=tuple(absolute(name) for name in options.mlm),
        seeds_from=absolute(options.seeds_from),
        tagger=tagger,
    )


def with_defaults(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options in a run's record, with defaults for the options that the run's version did not have."""
    defaults = {field.name: field.default for field in fields(Options) if field.default is not MISSING}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in {**defaults, **recorded}.items()
    }


def _read_filters(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the filters, given as names or as one text, in the order of `FILTERS`."""
    names = [name.strip() for value in values for name in value.split(",")]
    if names == [NO_FILTER]:
        return ()
    for name in names:
        if name not in FILTERS:
            raise InputError(
                f"{param('filters')} has {name!r}: choose {','.join(FILTERS)}, {', '.join(FILTERS)} or {NO_FILTER}"
            )
    return tuple(name for name in FILTERS if name in names)
