"""The options of Simple Pair and Extended Pair, and the names of the problems of Extended Pair."""

import re
from dataclasses import MISSING, asdict, dataclass
from functools import partial
from pathlib import Path

from merge_snli.base.files import JsonObject
from merge_snli.base.hub_ids import check_license
from merge_snli.base.option import option_field, set_checked
from merge_snli.problems.inputs import Problems, split_of_name

# The heading of these options in `--help`.
PAIRS_GROUP = "data set"

# Config `relevance` has one in this many premises of `simple`.
RELEVANCE_SHARE = 4

# Config `extended_conjunction` has 3 of this many premises of `extended_simple` per template.
CONJUNCTION_SHARE = 16

# `NAME[START:STOP]`, with positions as in Python: `[-1500:]` is the last 1,500 problems. NAME may have a split.
SLICE = re.compile(r"(.+)\[(-?\d+)?:(-?\d+)?\]")


_option = partial(option_field, group=PAIRS_GROUP, neutral="pairs from templates have a method of their own")


@dataclass(frozen=True, kw_only=True)
class SimplePairOptions:
    """Options of Simple Pair; each field describes itself, see `merge_snli.base.option`.

    A smaller number of premises gives the first premises of a larger one.
    """

    premises: int = _option(
        4_000,
        "premises per family (config simple) or template (conjunction); config relevance has a quarter of those of "
        "simple; augmentation always has 6,000 pairs",
        metavar="N",
        minimum=RELEVANCE_SHARE,
    )
    random_seed: int = _option(0, "seed of the draws", metavar="N", minimum=0)
    held_out_nouns: bool = _option(
        False, "use one half of the nouns for config augmentation and the other half for the other configs"
    )
    lexicon: str | None = _option(None, "words and templates", metavar="DIR", shown_default="the bundled ones")

    def __post_init__(self) -> None:
        """Check the values."""
        set_checked(self)

    def as_dict(self) -> JsonObject:
        """Return the options as JSON values, with an absolute path."""
        return asdict(self) | {"lexicon": self.lexicon and str(Path(self.lexicon).absolute())}


@dataclass(frozen=True, kw_only=True)
class ExtendedPairOptions:
    """Options of Extended Pair; each field describes itself, see `merge_snli.base.option`.

    Each of the problems gives the same number of sentences.
    """

    problems: tuple[str, ...] = _option(
        MISSING,
        "NLI problems: files, folders or Hub ids; ID:SPLIT names a split, and 'NAME[-1500:]' takes the last 1,500 "
        "problems",
        group="",
    )
    premises: int = _option(
        2_000,
        "premises of config extended_simple; extended_conjunction has 3/16 of it per template",
        metavar="N",
        minimum=CONJUNCTION_SHARE,
    )
    random_seed: int = _option(0, "seed of the draws", metavar="N", minimum=0)
    license: str | None = _option(
        None, "license of the problems for the card, if they are not a known data set", metavar="ID"
    )

    def __post_init__(self) -> None:
        """Check the values."""
        set_checked(self)
        check_license(self.license)

    def as_dict(self) -> JsonObject:
        """Return the options as JSON values, with absolute paths."""
        return asdict(self) | {"problems": [absolute_name(name) for name in self.problems]}


def parse_source(given: str) -> tuple[str, str | None, slice]:
    """Return the name of a source, its split, None if none is given, and its slice, by default that of all problems."""
    match = SLICE.fullmatch(given)
    if match is None:
        return *split_of_name(given), slice(None)
    source, *texts = match.groups()
    positions = [None if text is None else int(text) for text in texts]
    return *split_of_name(source), slice(*positions)


def absolute_name(given: str) -> str:
    """Return the name of a source with its split and slice, if any, and with an absolute path if it is local."""
    name, _, _ = parse_source(given)
    return str(Problems.of(name).absolute()) + given.removeprefix(name)
