"""The rows of Simple Pair (Luo et al. 2022, section 2.2.1, Figure 1 and appendix table 5)."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from merge_snli.dataset.label_spellings import NEUTRAL
from merge_snli.pairs.draws import draw_premises
from merge_snli.pairs.pair_templates import CONJUNCTION, SIMPLE
from merge_snli.pairs.sentences import fill
from merge_snli.pairs.simple_pair_options import RELEVANCE_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from merge_snli.pairs.draws import Drawn
    from merge_snli.pairs.lexicon import Lexicon
    from merge_snli.pairs.output import Row
    from merge_snli.pairs.simple_pair_options import Material, SimplePairOptions

RELEVANCE, AUGMENTATION = "relevance", "augmentation"
AUGMENTATION_PREMISES = 200
"""Premises per template in config `augmentation`, for every `--premises`."""

TEMPLATES_OF = {
    SIMPLE: (SIMPLE,),
    RELEVANCE: (SIMPLE,),
    CONJUNCTION: (CONJUNCTION,),
    AUGMENTATION: (SIMPLE, CONJUNCTION),
}
"""The templates that a config is made from, by their entry `config`."""


def simple_pair_rows(options: SimplePairOptions, material: Material) -> dict[str, list[Row]]:
    """Return the rows of every config; labels are names.

    Args:
        options: The options.
        material: Words and templates.

    Raises:
        InputError: If the lexicon has too few words.
    """
    trained: set[str] = set()
    counts = {SIMPLE: options.premises, CONJUNCTION: options.premises, RELEVANCE: options.premises // RELEVANCE_SHARE}
    augmentation = [
        row
        for drawn in _draw_all(AUGMENTATION, material, AUGMENTATION_PREMISES, options.random_seed, trained)
        for row in _augmentation_rows(drawn, material.augmentation, options.random_seed)
    ]
    makers: dict[str, Callable[[Drawn, Lexicon, int], Iterator[Row]]] = {
        SIMPLE: _neutral_rows,
        RELEVANCE: _relevance_rows,
        CONJUNCTION: _neutral_rows,
    }
    tests = {
        config: [
            row
            for drawn in _draw_all(config, material, counts[config], options.random_seed, set(trained))
            for row in make(drawn, material.test, options.random_seed)
        ]
        for config, make in makers.items()
    }
    return tests | {AUGMENTATION: augmentation}


def _draw_all(config: str, material: Material, count: int, seed: int, used: set[str]) -> Iterator[Drawn]:
    """Draw the premises of all templates of a config."""
    lexicon = material.augmentation if config == AUGMENTATION else material.test
    for template in material.templates:
        if template.config in TEMPLATES_OF[config]:
            yield from draw_premises(config, template, count, lexicon, seed, used=used, is_joined=config == RELEVANCE)


def _row(drawn: Drawn, name: str, label: str, hypothesis: str, more: Row, lexicon: Lexicon) -> Row:
    return {
        "pair_id": ":".join((drawn.group_id, name, *([more[RELEVANCE]] if RELEVANCE in more else []))),
        "group_id": drawn.group_id,
        "premise": drawn.premise,
        "hypothesis": fill(hypothesis, drawn.words, lexicon),
        "label": label,
        "template": drawn.template.name,
        "hypothesis_template": name,
        "family": drawn.template.family,
        "category": drawn.category,
        **more,
        **drawn.words,
    }


def _neutral_rows(drawn: Drawn, lexicon: Lexicon, _: int) -> Iterator[Row]:
    for name, hypothesis in drawn.template.hypotheses[NEUTRAL].items():
        yield _row(drawn, name, NEUTRAL, hypothesis, {}, lexicon)


def _augmentation_rows(drawn: Drawn, lexicon: Lexicon, seed: int) -> Iterator[Row]:
    """Yield one hypothesis of each label, drawn from those of the template."""
    random = Random(f"{seed}:{drawn.group_id}")
    for label, hypotheses in drawn.template.hypotheses.items():
        name = random.choice(list(hypotheses))
        yield _row(drawn, name, label, hypotheses[name], {}, lexicon)


def _relevance_rows(drawn: Drawn, lexicon: Lexicon, seed: int) -> Iterator[Row]:
    """Yield each hypothesis joined with the premise (relevant) and with another sentence, in random order."""
    random = Random(f"{seed}:{drawn.group_id}")
    for relevance, added in (("relevant", drawn.template.premise), ("irrelevant", str(drawn.template.irrelevant))):
        for name, hypothesis in drawn.template.hypotheses[NEUTRAL].items():
            is_first, has_and = random.random() < 0.5, random.random() < 0.5
            first, second = (added, hypothesis) if is_first else (hypothesis, added)
            text = f"{first.removesuffix('.')} and {second}" if has_and else f"{first} {second}"
            more = {RELEVANCE: relevance, "order": "added first" if is_first else "hypothesis first"}
            yield _row(drawn, name, NEUTRAL, text, more | {"joined_by": "and" if has_and else "full stop"}, lexicon)
