"""The rows of Simple Pair (Luo et al. 2022, section 2.2.1, Figure 1 and appendix table 5)."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TypeAlias

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import NEUTRAL
from merge_snli.pairs.lexicon import Lexicon
from merge_snli.pairs.options import RELEVANCE_SHARE
from merge_snli.pairs.output import Row
from merge_snli.pairs.pair_templates import CONJUNCTION, SIMPLE, PairTemplate, Words, category_of, draw_words, fill

RowMaker: TypeAlias = Callable[[PairTemplate, Row, Words, Lexicon, Random], Iterator[Row]]

RELEVANCE, AUGMENTATION = "relevance", "augmentation"
# Config `relevance` has the first quarter of the premises of config `simple`.

# Premises per template in config `augmentation`, for every `--premises`.
AUGMENTATION_PREMISES = 200

# Draws in a row that may give no new premise before the words count as used up.
MAX_DRAWS = 1_000

# The templates that a config is made from, by their entry `config`.
TEMPLATES_OF = {
    SIMPLE: (SIMPLE,),
    RELEVANCE: (SIMPLE,),
    CONJUNCTION: (CONJUNCTION,),
    AUGMENTATION: (SIMPLE, CONJUNCTION),
}


def simple_pair_rows(
    templates: Mapping[str, PairTemplate], tested: Lexicon, trained: Lexicon, *, premises: int, random_seed: int
) -> dict[str, list[Row]]:
    """Return the rows of every config; labels are names.

    Args:
        templates: The templates by name.
        tested: The words of the test configs.
        trained: The words of config `augmentation`.
        premises: Premises per family in config `simple` and per template in config `conjunction`.
        random_seed: Seed of all draws.

    Raises:
        InputError: If a lexicon has too few words.
    """

    def rows(config: str, words: Lexicon, count: int, used: set[str], make: RowMaker) -> list[Row]:
        return [
            row
            for name, template in templates.items()
            if template.config in TEMPLATES_OF[config]
            for shared, filled in _draw_premises(config, name, template, count, words, random_seed, used)
            for row in make(template, shared, filled, words, Random(f"{random_seed}:{shared['group_id']}"))
        ]

    used: set[str] = set()
    augmentation = rows(AUGMENTATION, trained, AUGMENTATION_PREMISES, used, _augmentation_rows)
    return {
        SIMPLE: rows(SIMPLE, tested, premises, set(used), _neutral_rows),
        RELEVANCE: rows(RELEVANCE, tested, premises // RELEVANCE_SHARE, set(used), _relevance_rows),
        CONJUNCTION: rows(CONJUNCTION, tested, premises, set(used), _neutral_rows),
        AUGMENTATION: augmentation,
    }


def _draw_premises(
    config: str, name: str, template: PairTemplate, count: int, lexicon: Lexicon, seed: int, used: set[str]
) -> Iterator[tuple[Row, Words]]:
    """Yield what the rows of a premise share, and the words of its slots; add the premises to `used`."""
    random = Random(f"{seed}:{SIMPLE if config == RELEVANCE else config}:{name}")
    for number in range(count):
        drawn = _draw_new(template, lexicon, random, used)
        if drawn is None:
            raise InputError(
                f"{param('premises')} is too large for the words: config {config} has only {number} different premises "
                f"of template {name}; pass a smaller number or a larger {param('lexicon')}"
            )
        premise, words = drawn
        used.add(premise)
        shared = {
            "group_id": f"{config}-{name}-{number:05}",
            "premise": premise,
            "template": name,
            "family": template.family,
            "category": category_of(words, lexicon),
            **words,
        }
        yield shared, words


def _draw_new(template: PairTemplate, lexicon: Lexicon, random: Random, used: set[str]) -> tuple[str, Words] | None:
    for _ in range(MAX_DRAWS):
        words = draw_words(template.sentences, template.family, lexicon, random)
        premise = "" if words is None else fill(template.premise, words, lexicon)
        if words is not None and premise not in used:
            return premise, words
    return None


def _row(shared: Row, name: str, label: str, hypothesis: str, **more: str) -> Row:
    pair_id = ":".join((shared["group_id"], name, *([more[RELEVANCE]] if RELEVANCE in more else [])))
    own = {"pair_id": pair_id, "hypothesis": hypothesis, "label": label, "hypothesis_template": name}
    return {**shared, **own, **more}


def _neutral_rows(template: PairTemplate, shared: Row, words: Words, lexicon: Lexicon, _: Random) -> Iterator[Row]:
    for name, hypothesis in template.neutral.items():
        yield _row(shared, name, NEUTRAL, fill(hypothesis, words, lexicon))


def _augmentation_rows(
    template: PairTemplate, shared: Row, words: Words, lexicon: Lexicon, random: Random
) -> Iterator[Row]:
    """Yield one hypothesis of each label, drawn from those of the template."""
    for label, hypotheses in template.hypotheses.items():
        name = random.choice(list(hypotheses))
        yield _row(shared, name, label, fill(hypotheses[name], words, lexicon))


def _relevance_rows(
    template: PairTemplate, shared: Row, words: Words, lexicon: Lexicon, random: Random
) -> Iterator[Row]:
    """Yield each hypothesis joined with the premise (relevant) and with another sentence, in random order."""
    irrelevant = str(template.irrelevant)
    draws = (draw_words((irrelevant,), template.family, lexicon, random, words) for _ in range(MAX_DRAWS))
    drawn = next(filter(None, draws), None)
    if drawn is None:
        raise InputError(
            f"no words of the lexicon fit the irrelevant sentence of {shared['premise']!r}: pass a larger "
            f"{param('lexicon')}"
        )
    words, shared = drawn, shared | drawn
    for relevance, added in (("relevant", template.premise), ("irrelevant", irrelevant)):
        for name, hypothesis in template.neutral.items():
            is_first, has_and = random.random() < 0.5, random.random() < 0.5
            first, second = (added, hypothesis) if is_first else (hypothesis, added)
            text = f"{first.removesuffix('.')} and {second}" if has_and else f"{first} {second}"
            yield _row(
                shared,
                name,
                NEUTRAL,
                fill(text, words, lexicon),
                relevance=relevance,
                order="added first" if is_first else "hypothesis first",
                joined_by="and" if has_and else "full stop",
            )
