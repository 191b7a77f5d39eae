"""Options of Simple Pair, and the words and templates that they name."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param
from merge_snli.pairs.lexicon import MIN_WORDS, SHIPPED, read_lexicon
from merge_snli.pairs.pair_templates import read_templates
from merge_snli.problems.options import require_at_least

if TYPE_CHECKING:
    from merge_snli.pairs.lexicon import Lexicon
    from merge_snli.pairs.pair_templates import PairTemplate

RELEVANCE_SHARE = 4
"""Config `relevance` has a quarter of the premises of config `simple`."""


@dataclass(frozen=True, kw_only=True)
class SimplePairOptions:
    """Options of Simple Pair.

    Attributes:
        premises: Premises per family in config `simple` and per template in config `conjunction`; a quarter of it per
            family in config `relevance`. A smaller number gives the first premises of a larger one.
        random_seed: Seed of all draws.
        held_out_nouns: Whether config `augmentation` has one half of the nouns and the other configs the other half.
        lexicon: A folder with words and templates; None for the shipped one.
    """

    premises: int = 4_000
    random_seed: int = 0
    held_out_nouns: bool = False
    lexicon: str | None = None

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InputError: If `premises` is below 4, or the seed is negative.
        """
        require_at_least("premises", self.premises, RELEVANCE_SHARE)
        require_at_least("random_seed", self.random_seed, 0)

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON values, with an absolute path."""
        return asdict(self) | {"lexicon": self.lexicon and str(Path(self.lexicon).absolute())}


@dataclass(frozen=True)
class Material:
    """What the rows are made of.

    Attributes:
        templates: The templates.
        test: The words of the test configs.
        augmentation: The words of config `augmentation`.
        digests: sha256 of words and templates, by name.
    """

    templates: tuple[PairTemplate, ...]
    test: Lexicon
    augmentation: Lexicon
    digests: dict[str, str]


def read_material(options: SimplePairOptions) -> Material:
    """Read words and templates.

    Raises:
        InputError: As `read_lexicon` and `read_templates`, or if a category is too small for `held_out_nouns`.
    """
    folder = SHIPPED if options.lexicon is None else Path(options.lexicon)
    lexicon = read_lexicon(folder)
    templates, digest = read_templates(folder)
    digests = {"lexicon": lexicon.digest, "templates": digest}
    if not options.held_out_nouns:
        return Material(templates, lexicon, lexicon, digests)
    return Material(templates, *_halves(lexicon, options.random_seed), digests)


def _halves(lexicon: Lexicon, seed: int) -> tuple[Lexicon, Lexicon]:
    """Split the nouns of each category at random."""
    tests, trainings = {}, {}
    for name, category in lexicon.categories.items():
        if len(category.nouns) < 2 * MIN_WORDS:
            raise InputError(
                f"{param('held_out_nouns')}: category {name} has {len(category.nouns)} nouns, needs {2 * MIN_WORDS}"
            )
        nouns = Random(f"{seed}:nouns:{name}").sample(category.nouns, len(category.nouns))
        half = len(nouns) // 2
        tests[name] = replace(category, nouns=tuple(nouns[:half]))
        trainings[name] = replace(category, nouns=tuple(nouns[half:]))
    return replace(lexicon, categories=tests), replace(lexicon, categories=trainings)
