"""The sentence templates of Simple Pair, a premise with its hypotheses by label, and the words in their slots."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Literal

from pydantic import RootModel

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.pairs.lexicon import Entries, Lexicon, read_entries
from merge_snli.schema import NLI_LABELS

TEMPLATES = "templates.toml"
N_IS_A, SVO = "n_is_a", "svo"
SIMPLE, CONJUNCTION = "simple", "conjunction"
# The letters of the slots of each family.
KINDS = {N_IS_A: "na", SVO: "svo"}

# The numbers that slots may have.
NUMBERS = "123"

SLOT = re.compile(rf"\{{([a-z_]+)([{NUMBERS}])\}}")
IN_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
# A clause with a verb: subject, verb and object.
CLAUSE = re.compile(r"\{([so]\d)\} \{(?:not_)?(v\d)\} \{([so]\d)\}")


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
    neutral: dict[str, str]
    entailment: dict[str, str]
    contradiction: dict[str, str]

    @property
    def hypotheses(self) -> dict[str, dict[str, str]]:
        """The hypotheses by label and name."""
        return {label: getattr(self, label) for label in NLI_LABELS}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The premise and all hypotheses."""
        sentences = [self.premise]
        for of_label in self.hypotheses.values():
            sentences += of_label.values()
        return tuple(sentences)


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
            raise InputError(f"{path} has no template of config {config}: copy one from the shipped file and edit it")
    for name, template in templates.items():
        _check_template(f"{path}: {name}", template)
    return templates, sha256_of_file(path)


def slots(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the slots of sentences, such as `n1` and `v2`, sorted by number; `not_v2` counts as `v2`."""
    found = set()
    for sentence in sentences:
        for kind, number in SLOT.findall(sentence):
            found.add(f"{kind.removeprefix('not_')}{number}")
    order = "".join(KINDS.values())
    return tuple(sorted(found, key=lambda slot: (slot[1], order.index(slot[0]))))


def clauses(sentences: Iterable[str]) -> frozenset[tuple[str, str, str]]:
    """Return the slots of subject, verb and object of every clause with a verb."""
    found: set[tuple[str, str, str]] = set()
    for sentence in sentences:
        found.update(CLAUSE.findall(sentence))
    return frozenset(found)


def _check_template(where: str, template: PairTemplate) -> None:
    irrelevant = [] if template.irrelevant is None else [template.irrelevant]
    for text in (*template.sentences, *irrelevant):
        _check_sentence(where, text, template.family)
    if (template.config == SIMPLE) != (template.irrelevant is not None):
        raise InputError(f"{where}: irrelevant belongs to templates of config simple: add it there and only there")
    first_noun = f"{{{KINDS[template.family][0]}1}}"
    if first_noun not in template.premise:
        raise InputError(f"{where}: the premise has no {first_noun}: number its slots from 1")
    seen: dict[str, str] = {}
    for label, texts in template.hypotheses.items():
        if not texts:
            raise InputError(f"{where} has no hypothesis with the label {label}: add one")
        for text in (*texts, *texts.values()):
            if seen.setdefault(text, label) != label:
                raise InputError(f"{where}: {text!r} is {seen[text]} and {label}: keep one of them")


def _check_sentence(where: str, text: str, family: str) -> None:
    if not text.endswith("."):
        raise InputError(f"{where}: {text!r} has no full stop at its end: add it")
    kinds = [*KINDS[family]]
    if family == SVO:
        kinds.append("not_v")
    known = {f"{{{kind}{number}}}" for kind, number in product(kinds, NUMBERS)}
    given = IN_BRACES.findall(text)
    wrong = [f"the slot {slot}" for slot in given if slot not in known]
    if not given:
        wrong = ["no slot"]
    if wrong:
        raise InputError(f"{where}: {text!r} has {wrong[0]}: use {', '.join(kinds)} with a number from 1 to 3")


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
    names = [name for name in slots(sentences) if name not in given]
    if family == N_IS_A:
        return _draw_n_is_a(names, lexicon, random, given)
    return _draw_svo(names, clauses(sentences), lexicon, random, given)


def category_of(words: Words, lexicon: Lexicon) -> str:
    """Return the category of the nouns, such as `fruits`, or of first subject and object, such as `human-objects`."""
    nouns = (words["n1"],) if "n1" in words else (words["s1"], words["o1"])
    return "-".join(lexicon.category_of[noun] for noun in nouns)


def _draw_n_is_a(names: Sequence[str], lexicon: Lexicon, random: Random, given: Mapping[str, str]) -> Words | None:
    name = lexicon.category_of[given["n1"]] if given else random.choice(list(lexicon.categories))
    category = lexicon.categories[name]
    words = dict(given)
    for kind, pool in (("n", category.nouns), ("a", category.adjectives)):
        new = [name for name in names if name[0] == kind]
        free = [word for word in pool if word not in given.values()]
        words |= dict(zip(new, random.sample(free, len(new)), strict=True))
    if any(_has_apart(_words_of_kinds(words, kind), category.apart) for kind in KINDS[N_IS_A]):
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
    nouns = _words_of_kinds(words, "so")
    if len(set(nouns)) < len(nouns) or _has_apart(nouns, lexicon.apart_nouns):
        return None
    if _has_apart(_words_of_kinds(words, "v"), lexicon.apart):
        return None
    for subject, past, obj in clauses:
        if not lexicon.takes(verbs[words[past]], words[subject], words[obj]):
            return None
    return words


def _words_of_kinds(words: Mapping[str, str], kinds: str) -> list[str]:
    """Return the words of the slots whose letter is one of `kinds`."""
    return [word for slot, word in words.items() if slot[0] in kinds]


def _noun(categories: Sequence[str], lexicon: Lexicon, random: Random) -> str:
    return random.choice(lexicon.categories[random.choice(categories)].nouns)


def _has_apart(words: Sequence[str], apart: frozenset[frozenset[str]]) -> bool:
    return any(frozenset(pair) in apart for pair in combinations(words, 2))
