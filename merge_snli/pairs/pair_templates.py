"""The sentence templates of Simple Pair, a premise with its hypotheses by label, and the words in their slots."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from pydantic import Field, RootModel

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.pairs.lexicon import Entries, Lexicon, read_entries
from merge_snli.schema import NLI_LABELS

TEMPLATES = "templates.toml"
N_IS_A, SVO = "n_is_a", "svo"
SIMPLE, CONJUNCTION = "simple", "conjunction"
# The letters of the slots of each family.
KINDS = {N_IS_A: "na", SVO: "svo"}

SLOT = re.compile(r"\{(?:not_)?([a-z]\d)\}")
# A clause with a verb: subject, verb and object.
CLAUSE = re.compile(r"\{([so]\d)\} \{(?:not_)?(v\d)\} \{([so]\d)\}")
# A sentence with slots, by family.
SENTENCES = {
    N_IS_A: re.compile(r"([^{}]*\{[na][123]\})+[^{}]*\."),
    SVO: re.compile(r"([^{}]*\{([svo]|not_v)[123]\})+[^{}]*\."),
}

Hypotheses = Annotated[dict[str, str], Field(min_length=1)]


class PairTemplate(Entries):
    """A premise and its hypotheses by name.

    Attributes:
        config: `simple` or `conjunction`.
        family: `n_is_a` or `svo`.
        premise: The premise, with slots.
        irrelevant: The sentence that replaces the premise in premise-irrelevant hypotheses; None without these.
        neutral: The hypotheses of a label, with slots, by name; like the next two.
        entailment: Hypotheses.
        contradiction: Hypotheses.
    """

    config: Literal["simple", "conjunction"]
    family: Literal["n_is_a", "svo"]
    premise: str
    irrelevant: str | None = None
    neutral: Hypotheses
    entailment: Hypotheses
    contradiction: Hypotheses

    @property
    def hypotheses(self) -> dict[str, dict[str, str]]:
        """The hypotheses by label and name."""
        return {label: getattr(self, label) for label in NLI_LABELS}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The premise and all hypotheses."""
        return (self.premise, *self.neutral.values(), *self.entailment.values(), *self.contradiction.values())


def read_templates(folder: Path) -> tuple[dict[str, PairTemplate], str]:
    """Read the templates of a folder.

    Args:
        folder: Has the file `templates.toml`.

    Returns:
        The templates by name in their order, and the sha256 of the file.
    """
    path = folder / TEMPLATES
    templates = read_entries(path, RootModel[dict[str, PairTemplate]]).root
    for config in (SIMPLE, CONJUNCTION):
        if all(template.config != config for template in templates.values()):
            raise InputError(f"{path} has no template of config {config}: copy one from the bundled file and edit it")
    for name, template in templates.items():
        _check_template(f"{path}: {name}", template)
    return templates, sha256_of_file(path)


def _check_template(where: str, template: PairTemplate) -> None:
    if (template.config == SIMPLE) != (template.irrelevant is not None):
        raise InputError(f"{where}: irrelevant belongs to templates of config simple: add it there and only there")
    slots = ", ".join(KINDS[template.family])
    if template.family == SVO:
        slots = f"{slots} and not_v for a negated verb"
    for text in (*template.sentences, template.irrelevant):
        if text is not None and not SENTENCES[template.family].fullmatch(text):
            raise InputError(
                f"{where}: {text!r} is not a sentence of the family {template.family}: end it with a full stop, and "
                f"use the slots {slots}, with numbers from 1 to 3"
            )
    first_noun = f"{{{KINDS[template.family][0]}1}}"
    if first_noun not in template.premise:
        raise InputError(f"{where}: the premise has no {first_noun}: number its slots from 1")
    seen: dict[str, str] = {}
    for label, texts in template.hypotheses.items():
        for text in (*texts, *texts.values()):
            if seen.setdefault(text, label) != label:
                raise InputError(f"{where}: {text!r} is {seen[text]} and {label}: keep one of them")


# The letters of the slots that nouns fill.
NOUNS = "nso"

FIRST_LETTER = re.compile(r"(^|\. )([a-z])")

# Words by slot: nouns without article, verbs in the past.
Words = dict[str, str]


def fill(template: str, words: Mapping[str, str], lexicon: Lexicon) -> str:
    """Return a sentence: the template with words in its slots, articles before the nouns, and capitals.

    Args:
        template: The sentence with slots.
        words: The word of each slot.
        lexicon: Has the articles and the negated forms.
    """
    values = dict(words)
    for slot, word in words.items():
        if slot[0] in NOUNS:
            values[slot] = lexicon.phrase(word)
        elif slot[0] == "v":
            values[f"not_{slot}"] = lexicon.negated[word]
    return capitalized(template.format_map(values))


def capitalized(text: str) -> str:
    """Return a text with a capital at the start of each sentence."""
    return FIRST_LETTER.sub(lambda match: match[1] + match[2].upper(), text)


def draw_words(
    sentences: Sequence[str], family: str, lexicon: Lexicon, random: Random, given: Mapping[str, str] | None = None
) -> Words | None:
    """Draw different words for all slots of some sentences.

    Args:
        sentences: Sentences with slots of one family.
        family: `n_is_a` or `svo`.
        lexicon: The words.
        random: The generator.
        given: The words of slots that are not drawn again; None for none.

    Returns:
        The word of each slot, also of those given; None if the drawn words do not go together, so that the caller draws
        again.
    """
    given = given or {}
    text = " ".join(sentences)
    names = sorted(set(SLOT.findall(text)).difference(given))
    if family == N_IS_A:
        return _draw_n_is_a(names, lexicon, random, given)
    return _draw_svo(names, set(CLAUSE.findall(text)), lexicon, random, given)


def category_of(words: Words, lexicon: Lexicon) -> str:
    """Return the category of the nouns, such as `fruits`, or of first subject and object, such as `human-objects`."""
    nouns = (words["n1"],) if "n1" in words else (words["s1"], words["o1"])
    return "-".join(lexicon.category_of[noun] for noun in nouns)


def _draw_n_is_a(names: Sequence[str], lexicon: Lexicon, random: Random, given: Mapping[str, str]) -> Words | None:
    name = lexicon.category_of[given["n1"]] if given else random.choice([*lexicon.categories])
    category = lexicon.categories[name]
    words = dict(given)
    for kind, pool in (("n", category.nouns), ("a", category.adjectives)):
        new = [name for name in names if name[0] == kind]
        free = [word for word in pool if word not in given.values()]
        words |= dict(zip(new, random.sample(free, len(new)), strict=True))
    if any(_has_apart(words, kind, category.apart) for kind in "na"):
        return None
    return words


def _draw_svo(
    names: Sequence[str],
    clauses: Collection[tuple[str, str, str]],
    lexicon: Lexicon,
    random: Random,
    given: Mapping[str, str],
) -> Words | None:
    verbs = {verb.past: verb for verb in lexicon.verbs}
    numbers = sorted({name[1] for name in names})
    free = [verb for verb in lexicon.verbs if verb.past not in given.values()]
    words = dict(given)
    for number, verb in zip(numbers, random.sample(free, len(numbers)), strict=True):
        words[f"s{number}"] = _noun(verb.subjects, lexicon, random)
        words[f"v{number}"] = verb.past
        words[f"o{number}"] = _noun(verb.objects, lexicon, random)
    nouns = [word for slot, word in words.items() if slot[0] in NOUNS]
    if len(set(nouns)) < len(nouns) or _has_apart(words, NOUNS, lexicon.apart_nouns):
        return None
    if _has_apart(words, "v", lexicon.apart):
        return None
    for subject, past, obj in clauses:
        if not lexicon.takes(verbs[words[past]], words[subject], words[obj]):
            return None
    return words


def _noun(categories: Sequence[str], lexicon: Lexicon, random: Random) -> str:
    return random.choice(lexicon.categories[random.choice(categories)].nouns)


def _has_apart(words: Words, kinds: str, apart: frozenset[frozenset[str]]) -> bool:
    """Return whether two words that never meet are in slots whose letter is one of `kinds`."""
    chosen = [word for slot, word in words.items() if slot[0] in kinds]
    return any(frozenset(pair) in apart for pair in combinations(chosen, 2))
