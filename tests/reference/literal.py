"""The method of `docs/method.md` written down a second time: sets and loops, one masked form at a time.

Nothing here comes from `generation`, so that an equal result means that two readings of the same page agree. It is
slow on purpose: no batches, no short cuts. Only the answers of masked LMs and of the tagger are kept, in dicts. The
class of a suggestion is found last, of the words that everything else would keep: intersections may be taken in any
order. It is for English; `tests/generation/test_french.py` checks agreement and elision in French a second time.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import math
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from spacy.language import Language
from transformers import AutoModelForMaskedLM, AutoTokenizer

from tests import ROOT

if TYPE_CHECKING:
    import inflect

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
CLASS_OF_TAG: dict[str, str] = WORDS["class_of_tag"]
CONTRACTED_NEGATIONS = tuple(WORDS["contracted_negations"])
NEGATIONS = {*WORDS["negations"]}
QUANTIFIERS = {*WORDS["quantifiers"]}
MEN = {*WORDS["men"]}
WOMEN = {*WORDS["women"]}
AFFIXES = {*WORDS["affixes"]}
MORPHY: list[tuple[str, str]] = WORDS["noun_endings"]


@functools.cache
def english() -> inflect.engine:
    """Return the rules of inflect, which takes seconds to import."""
    import inflect

    return inflect.engine()


def wordnet_table(name: str) -> dict[str, str]:
    """Return the words of a bundled table with what their line begins with, and `irregular FORM` with the base form."""
    base_of: dict[str, str] = {}
    table = ROOT / "merge_snli" / "embedded" / "wordnet" / f"{name}.txt.gz"
    for line in gzip.decompress(table.read_bytes()).decode().splitlines():
        kind, *words = line.split()
        for word in words:
            plural, equals, singular = word.partition("=")
            base_of["irregular " + plural if equals else word] = singular if equals else kind
    return base_of


NOUNS, VERBS, ADJECTIVES = wordnet_table("nouns"), wordnet_table("verbs"), wordnet_table("adjectives")

NOISE = 1e-5
"""Log-probabilities nearer than this may come out in the other order in another batch."""

MARGIN = 50
"""How many pieces beyond the top k are looked at for being that near to it."""


Key = tuple[str, str, str, str]
"""Seed id, class, original and replacement: what a variant is known by."""


@dataclass(frozen=True)
class Choices:
    """What a run may do otherwise.

    Attributes:
        filters: Of filter 2 (`prob`, more probable) and filter 4 (`pos`, of the class), those that apply.
        sides: `union` where one sentence is enough.
        scramble: Whether the letters of words are put in another order.
        random_seed: That of scrambling.
        ignore_case: Whether words are shared whatever their case.
        min_mlms: How many masked LMs a sentence needs.
        same_tag: Whether the Penn tag must be the original's.
        articles: Whether a word must fit "a" or "an" before it.
        min_log_odds: The least log-odds, None for any.
        max_rank: How many of the most probable pieces are looked at, None for all.
        no_compounds: Whether words beside a hyphen or slash, and nouns beside nouns, stay as they are.
        supersense: Whether a noun must have the supersense of the original.
        same_parse: Whether the heads and labels of the sentence must stay.
        no_quantifiers: Whether the quantifiers stay as they are and replace nothing.
        pronouns: Whether words of one gender may not join a pronoun of the other.
        veto: Among how many of the most probable pieces of each masked LM a word must be, None for no veto.
        dissents: How many masked LMs may dissent in a sentence.
        capitals: Whether adjectives from names may not be in lower case.
    """

    filters: str = "prob,pos"
    sides: str = "intersection"
    scramble: bool = False
    random_seed: int = 0
    ignore_case: bool = False
    min_mlms: int = 1
    same_tag: bool = False
    articles: bool = False
    min_log_odds: float | None = None
    max_rank: int | None = None
    no_compounds: bool = False
    supersense: bool = False
    same_parse: bool = False
    no_quantifiers: bool = False
    pronouns: bool = False
    veto: int | None = None
    dissents: int = 0
    capitals: bool = False


@dataclass(frozen=True)
class Token:
    """A token of the tagger, with its offsets in the text."""

    text: str
    start: int
    end: int
    tag: str

    @property
    def word_class(self) -> str | None:
        return CLASS_OF_TAG.get(self.tag)


@dataclass(frozen=True)
class Piece:
    """An entry of a masked LM's vocabulary: `spaced`, `bare` or `continuation`, and its letters."""

    kind: str
    text: str


@dataclass(frozen=True)
class Answer:
    """What a masked LM says at one mask: its top pieces and the original's, by number, with log-probabilities."""

    original: int
    log_p_original: float
    top: dict[int, float]
    doubtful: frozenset[int]


@dataclass(frozen=True)
class Variant:
    """A variant, in the columns of the data set that come from the method."""

    seed_id: str
    word_class: str
    original: str
    replacement: str
    premise: str
    hypothesis: str
    premise_mlms: tuple[str, ...]
    hypothesis_mlms: tuple[str, ...]
    log_odds: float

    @property
    def key(self) -> Key:
        return self.seed_id, self.word_class, self.original, self.replacement


@dataclass
class Result:
    """What the method makes of one problem.

    Attributes:
        shared: Class and form of each shared word that is not left out, in the order of the premise.
        variants: All variants, whatever the degree of inflation.
        doubtful: Variants, found or not, one of whose comparisons of log-probabilities lies within `NOISE`.
    """

    shared: list[tuple[str, str]] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)
    doubtful: set[Key] = field(default_factory=set)


class MaskedLM:
    """A masked LM that predicts one form at a time."""

    def __init__(self, name: str, folder: Path, *, top_k: int = 200) -> None:
        self.name = name
        self.top_k = top_k
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.takes = min(self.tokenizer.model_max_length, self._positions())
        self.no_pieces = {*self.tokenizer.all_special_ids, *self.tokenizer.added_tokens_decoder}
        self.make = self._make()
        self.pieces = {number: piece for number in range(len(self.tokenizer)) if (piece := self._piece(number))}
        self.known = set(self.pieces.values())
        self.spaced = {piece.text.lower() for piece in self.pieces.values() if piece.kind == "spaced"}
        self.answers: dict[tuple[str, int, int], Answer | None] = {}

    def answer(self, sentence: str, start: int, end: int) -> Answer | None:
        """Return what the masked LM says of one occurrence, None where it has no suggestion."""
        key = (sentence, start, end)
        if key not in self.answers:
            text = with_full_stop(sentence, end)
            fits = len(self.tokenizer(text)["input_ids"]) <= self.takes
            fitting = (text, start, end) if fits else self._window(text, start, end)
            self.answers[key] = None if fitting is None else self._predict(*fitting)
        return self.answers[key]

    def _window(self, text: str, start: int, end: int) -> tuple[str, int, int] | None:
        """Return the largest window of sentences around an occurrence that fits, None if its sentence does not."""
        sentences = sentences_of(text)
        own = max(number for number, (begin, _) in enumerate(sentences) if begin <= start)
        encoded = self.tokenizer(text, return_offsets_mapping=True)
        in_text = [begin for begin, stop in encoded["offset_mapping"] if begin < stop]
        special_tokens = len(encoded["input_ids"]) - len(in_text)
        sizes = [sum(begin <= at < stop for at in in_text) for begin, stop in sentences]
        for room in range(self.takes, 0, -1):
            first, last = widest(own, sizes, room - special_tokens)
            begin, stop = sentences[first][0], sentences[last][1]
            shown = with_full_stop(text[begin:stop].rstrip(), end - begin)
            if len(self.tokenizer(shown)["input_ids"]) <= self.takes:
                return shown, start - begin, end - begin
        return None

    @torch.no_grad()
    def _predict(self, text: str, start: int, end: int) -> Answer | None:
        encoded = self.tokenizer(text, return_offsets_mapping=True)
        numbers = encoded["input_ids"]
        covering = [at for at, (s, e) in enumerate(encoded["offset_mapping"]) if s < end and e > start]
        if len(covering) != 1:
            return None
        at = covering[0]
        s, e = encoded["offset_mapping"][at]
        original = numbers[at]
        if text[s:e].lstrip() != text[start:end] or original not in self.pieces:
            return None
        numbers[at] = self.tokenizer.mask_token_id
        log_p = torch.log_softmax(self.model(input_ids=torch.tensor([numbers])).logits[0, at].float(), dim=-1)
        values, numbers_ranked = torch.topk(log_p, min(self.top_k + MARGIN, len(log_p)))
        ranked = list(zip(numbers_ranked.tolist(), values.tolist(), strict=True))
        log_p_original = log_p[original].item()
        return Answer(
            original=original,
            log_p_original=log_p_original,
            top=dict(ranked[: self.top_k]),
            doubtful=frozenset(_doubtful(ranked, self.top_k, log_p_original)) - {original},
        )

    def whole_word(self, number: int, original: Piece, needs_capital: bool) -> str | None:
        """Return the letters of a piece that is a whole word in place of this one (filter 1), else None."""
        piece = self.pieces.get(number)
        kind = original.kind
        if piece is None or piece.kind != kind or kind == "continuation" or not is_whole_word(piece.text):
            return None
        if original.text.lower() == original.text and Piece(kind, piece.text.lower()) not in self.known:
            return None
        if needs_capital and not any(character.isupper() for character in piece.text):
            return None
        if kind == "bare" and piece.text.lower() not in self.spaced:
            return None
        return piece.text

    def _make(self) -> str:
        description = json.loads(self.tokenizer.backend_tokenizer.to_str())
        if description["model"]["type"] == "WordPiece":
            return "wordpiece"
        return "byte-level" if '"ByteLevel"' in json.dumps(description["pre_tokenizer"]) else "sentencepiece"

    def _positions(self) -> int:
        positions = int(self.model.config.max_position_embeddings)
        roberta = self.model.config.model_type == "roberta"  # its positions begin after that of the padding
        return positions - self.model.config.pad_token_id - 1 if roberta else positions

    def _piece(self, number: int) -> Piece | None:
        raw = self.tokenizer.convert_ids_to_tokens(number)
        if not isinstance(raw, str) or number in self.no_pieces:
            return None
        if self.make == "wordpiece":
            return Piece("continuation", raw[2:]) if raw.startswith("##") else Piece("spaced", raw)
        if self.make == "sentencepiece":
            return Piece("spaced", raw[1:]) if raw.startswith("▁") else Piece("bare", raw)
        text = str(self.tokenizer.decode([number], clean_up_tokenization_spaces=False))
        if "\ufffd" in text:
            return None
        return Piece("spaced", text[1:]) if text.startswith(" ") else Piece("bare", text)


def _doubtful(ranked: list[tuple[int, float]], top_k: int, log_p_original: float) -> Iterator[int]:
    """Yield the pieces that may come out on the other side of the original or of the top k."""
    last_in = ranked[min(top_k, len(ranked)) - 1][1]
    first_out = ranked[top_k][1] if len(ranked) > top_k else -math.inf
    for rank, (number, log_p) in enumerate(ranked):
        from_cutoff = log_p - first_out if rank < top_k else last_in - log_p
        if from_cutoff < NOISE or abs(log_p - log_p_original) < NOISE:
            yield number


class Tagger:
    """A plain spaCy pipeline that tags one whole text at a time."""

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.answers: dict[str, list[Token]] = {}
        self.parses: dict[str, list[tuple[int, str]]] = {}

    def parse(self, text: str) -> list[tuple[int, str]]:
        """Return the number of the head and the label of each token of a text."""
        if text not in self.parses:
            self.parses[text] = [(token.head.i, token.dep_) for token in self.nlp.get_pipe("parser")(self.nlp(text))]
        return self.parses[text]

    def tag(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        if text not in self.answers:
            self.answers[text] = [
                Token(token.text, token.idx, token.idx + len(token.text), token.tag_) for token in self.nlp(text)
            ]
        return self.answers[text]


def shared_words(
    premise: list[Token], hypothesis: list[Token], classes: Sequence[str], ignore_case: bool
) -> list[tuple[str, str]]:
    """Return class and form of each shared word, in the order of the premise."""
    in_hypothesis = {(token.word_class, form_of(token, ignore_case)) for token in hypothesis}
    shared: list[tuple[str, str]] = []
    for token in premise:
        word = (token.word_class, form_of(token, ignore_case))
        if token.word_class in classes and word in in_hypothesis and word not in shared:
            shared.append((str(token.word_class), word[1]))
    return shared


def form_of(token: Token, ignore_case: bool) -> str:
    """Return what two tokens have in common where they are one word."""
    return token.text.lower() if ignore_case and len(token.text.lower()) == len(token.text) else token.text


def is_left_out(word: str, word_class: str, sentences: Iterable[tuple[str, list[Token]]], ignore_case: bool) -> bool:
    """Return whether this shared word is excluded: other case, other class, negation, part of a word."""
    if is_negation(word):
        return True
    for text, tokens in sentences:
        for token in tokens:
            if form_of(token, ignore_case) != word:
                if token.text.lower() == word.lower():
                    return True
                continue
            before, after = text[: token.start], text[token.end :]
            if token.word_class != word_class or is_word_character(before[-1:]) or is_word_character(after[:1]):
                return True
            if word_class == "verb" and any(begins_with(after.lstrip(), negation) for negation in CONTRACTED_NEGATIONS):
                return True
            if word_class == "verb" and begins_with(after, "not"):
                return True
    return False


def is_negation(word: str) -> bool:
    """Return whether a word is one of the negations."""
    return word.lower().replace("’", "'") in NEGATIONS


def begins_with(text: str, word: str) -> bool:
    """Return whether a text begins with this whole word."""
    return text[: len(word)].lower() == word and not is_word_character(text[len(word) : len(word) + 1])


def is_word_character(character: str) -> bool:
    """Return whether this is a letter, a digit or an underscore; the empty string is not."""
    return character.isalnum() or character == "_"


def with_full_stop(sentence: str, end: int) -> str:
    """Return the sentence with a full stop after an occurrence that ends it."""
    return sentence[:end] + "." + sentence[end:] if not sentence[end:].strip() else sentence


def sentences_of(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text begin and end, with the white space after them."""
    sentences = []
    begin = 0
    at = 0
    while at < len(text):
        here = at
        while at < len(text) and text[at] in ".!?…":
            at += 1
        if at > here:
            while at < len(text) and text[at] in "\"'”’)]":
                at += 1
        after = at
        while after < len(text) and text[after].isspace():
            after += 1
        if (at > here and after > at) or text[here] == "\n":
            at = after
            if at < len(text):
                sentences.append((begin, at))
                begin = at
        elif at == here:
            at += 1
    return [*sentences, (begin, len(text))]


def widest(own: int, sizes: Sequence[int], limit: int) -> tuple[int, int]:
    """Return the first and the last sentence of a window: on each side in turn, the next one is added if it fits."""
    first = last = own
    total = sizes[own]
    sides = [-1, 1]
    while sides:
        for side in [*sides]:
            other = first - 1 if side == -1 else last + 1
            if 0 <= other < len(sizes) and total + sizes[other] <= limit:
                total += sizes[other]
                first, last = min(first, other), max(last, other)
            else:
                sides.remove(side)
    return first, last


def is_whole_word(text: str) -> bool:
    """Say whether these letters are a word and neither a negation nor a bare affix."""
    if is_negation(text) or text.lower() in AFFIXES or sum(character.isalpha() for character in text) < 2:
        return False
    for at, character in enumerate(text):
        if character in "-'’":
            if not (0 < at < len(text) - 1 and text[at - 1].isalpha() and text[at + 1].isalpha()):
                return False
        elif not character.isalpha():
            return False
    return True


def in_case_of(original: str, piece: str) -> str:
    """Write a piece in the case pattern of the original."""
    letters = [character for character in original if character.isalpha()]
    capitals = [character for character in letters if character.isupper()]
    if not capitals:
        return piece.lower()
    if len(letters) >= 2 and len(capitals) == len(letters):
        return piece.upper()
    if capitals == letters[:1]:
        return piece[:1].upper() + piece[1:].lower()
    return piece


def words_of_problem(texts: Iterable[str], tokens: Iterable[Token]) -> set[str]:
    """Return the words that no suggestion may be, without accents and case."""
    return {run for text in texts for run in re.findall(r"\w+", plain(text))} | {plain(token.text) for token in tokens}


@functools.cache
def base_forms(word: str, word_class: str) -> frozenset[str]:
    """Return a word and what it is a form of, by WordNet's rules for nouns, verbs and adjectives."""
    forms = {word}
    tables = {"noun": NOUNS, "verb": VERBS, "adj": ADJECTIVES}
    if word_class in tables:
        table = tables[word_class]
        forms.add(table.get("irregular " + word, word))
        for ending, base in WORDS["adjective_endings" if word_class == "adj" else f"{word_class}_endings"]:
            stem = word.removesuffix(ending) + base
            if word.endswith(ending) and stem in table:
                forms.add(stem)
    return frozenset(forms)


def all_forms(words: Iterable[str], *classes: str) -> set[str]:
    """Return words and what they are forms of."""
    return {form for word in words for word_class in classes for form in base_forms(word, word_class)}


def plain(text: str) -> str:
    """Return a text in NFKD, without combining marks, and case-folded."""
    characters = unicodedata.normalize("NFKD", text)
    return "".join(character for character in characters if unicodedata.combining(character) == 0).casefold()


def clashes(word: str, original: str, taken: set[str]) -> bool:
    """Return whether a word is a man beside a woman's pronoun or the reverse, and the original was not."""
    for_women = word in MEN and original not in MEN and bool({"she", "her", "hers", "herself"} & taken)
    for_men = word in WOMEN and original not in WOMEN and bool({"he", "him", "his", "himself"} & taken)
    return for_women or for_men


def suggestions(
    mlm: MaskedLM,
    sentence: str,
    start: int,
    end: int,
    original: str,
    word_class: str,
    taken: set[str],
    choices: Choices,
) -> tuple[dict[str, float], set[str]]:
    """Return the suggested words of one form after the filters without the tagger, and the doubtful words."""
    answer = mlm.answer(sentence, start, end)
    if answer is None:
        return {}, set()
    kept: dict[str, float] = {}
    doubtful: set[str] = set()
    within_rank = list(answer.top)[: choices.max_rank]
    for number in {*answer.top, *answer.doubtful}:
        piece = mlm.whole_word(number, mlm.pieces[answer.original], needs_capital(sentence, start, end))
        word = None if piece is None else in_case_of(original, piece)
        if word is None or all_forms([plain(word)], word_class) & taken:
            continue
        if choices.no_quantifiers and {plain(word), plain(original)} & QUANTIFIERS:
            continue
        if choices.pronouns and clashes(plain(word), plain(original), taken):
            continue
        is_lower = in_place(sentence[start:end], original, word).islower()
        if choices.capitals and word_class == "adj" and is_lower and ADJECTIVES.get(plain(word)) == "capitalized":
            continue
        if number in answer.doubtful:
            doubtful.add(word)
        if choices.articles and not fits_article(sentence, start, in_place(sentence[start:end], original, word)):
            continue
        if number in within_rank and (answer.top[number] > answer.log_p_original or "prob" not in choices.filters):
            log_odds = answer.top[number] - answer.log_p_original
            if choices.min_log_odds is None or log_odds >= choices.min_log_odds:
                kept[word] = max(log_odds, kept.get(word, log_odds))
    return kept, doubtful


def votes(mlm: MaskedLM, sentence: str, start: int, end: int, original: str, veto: int) -> set[str] | None:
    """Return the words among the most probable pieces of one form, None where the masked LM has no vote."""
    answer = mlm.answer(sentence, start, end)
    if answer is None:
        return None
    first = list(answer.top)[:veto]
    capital = needs_capital(sentence, start, end)
    pieces = [mlm.whole_word(number, mlm.pieces[answer.original], capital) for number in first]
    return {in_case_of(original, piece) for piece in pieces if piece is not None}


def needs_capital(sentence: str, start: int, end: int) -> bool:
    """Return whether an occurrence has a capital although its sentence has begun before."""
    begin = max(begin for begin, _ in sentences_of(sentence) if begin <= start)
    has_begun = any(character.isalnum() for character in sentence[begin:start])
    return has_begun and any(character.isupper() for character in sentence[start:end])


def same_supersense(original: str, word: str) -> bool:
    """Say whether two nouns are of the same lexicographer file of WordNet."""
    first = supersense_of(original)
    return first is not None and first == supersense_of(word)


def supersense_of(noun: str) -> str | None:
    """Return the line of the table that has a noun, or its singular by WordNet's rules."""
    noun = NOUNS.get("irregular " + noun.lower(), noun.lower())
    if noun in NOUNS:
        return NOUNS[noun]
    for plural, singular in MORPHY:
        if noun.endswith(plural) and noun[: -len(plural)] + singular in NOUNS:
            return NOUNS[noun[: -len(plural)] + singular]
    return None


def in_compound(sentence: str, tokens: list[Token], start: int, end: int) -> bool:
    """Say whether a word touches a hyphen, dash or slash, or is a noun beside a noun."""
    beside = (sentence[max(start - 1, 0) : start], sentence[end : end + 1])
    if any(character in ("-", "\u2010", "\u2011", "\u2013", "/") for character in beside):
        return True
    (at,) = (at for at, token in enumerate(tokens) if token.start == start)
    neighbors = [*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2]]
    return tokens[at].tag.startswith("NN") and any(token.tag.startswith("NN") for token in neighbors)


def fits_article(sentence: str, start: int, word: str) -> bool:
    """Say whether a word may follow what stands before it, as far as "a" and "an" are concerned."""
    before = sentence[:start].rstrip("\"'“‘(")
    if before == before.rstrip():
        return True
    before = before.rstrip().lower()
    for article in ("an", "a"):
        rest = before[: -len(article)]
        if before.endswith(article) and not (is_word_character(rest[-1:]) or rest[-1:] in ("'", "’", "-")):
            return str(english().a(word)).startswith(f"{article} ")
    return True


def fits_in_place(
    tagger: Tagger, sentence: str, start: int, end: int, word: str, word_class: str, choices: Choices
) -> bool:
    """Say whether a suggestion is one token of the class, and of the tag, in the sentence, and the parse stays."""
    becomes = sentence[:start] + word + sentence[end:]
    if choices.same_parse and tagger.parse(becomes) != tagger.parse(sentence):
        return False
    if not ("pos" in choices.filters or choices.same_tag):
        return True
    (tag,) = (token.tag for token in tagger.tag(sentence) if token.start == start)
    for token in tagger.tag(becomes):
        if token.start == start and token.text == word:
            of_class = token.word_class == word_class or "pos" not in choices.filters
            return of_class and (token.tag == tag or not choices.same_tag)
    return False


def fits_everywhere(
    tagger: Tagger,
    sentence: str,
    occurrences: list[tuple[int, int]],
    original: str,
    word: str,
    word_class: str,
    choices: Choices,
) -> bool:
    """Say whether a suggestion fits at every occurrence of the sentence."""
    return all(
        fits_in_place(tagger, sentence, start, end, in_place(sentence[start:end], original, word), word_class, choices)
        for start, end in occurrences
    )


def replaced(sentence: str, occurrences: list[tuple[int, int]], original: str, word: str) -> str:
    """Return the sentence with a word at all these offsets, in the case pattern of what stands there."""
    for start, end in sorted(occurrences, reverse=True):
        sentence = sentence[:start] + in_place(sentence[start:end], original, word) + sentence[end:]
    return sentence


def in_place(there: str, original: str, word: str) -> str:
    """Write a replacement as the occurrence is written, which in any case but the shared word's own may differ."""
    return word if there == original else in_case_of(there, word)


def scrambled(words: Iterable[str], taken: set[str], random_seed: int) -> dict[str, str]:
    """Return what becomes of each word whose letters have another order that may stand there."""
    becomes: dict[str, str] = {}
    for word in sorted(words):
        only_one = len({letter.casefold() for letter in word if letter.isalpha()}) == 1
        forbidden = taken | {plain(other) for other in becomes.values()}
        for attempt in range(64):
            other = in_case_of(word, in_another_order(word, random_seed, attempt))
            same = not only_one and other.casefold() == word.casefold()
            if not same and not is_negation(other) and plain(other) not in forbidden:
                becomes[word] = other
                break
    return becomes


def in_another_order(word: str, random_seed: int, attempt: int) -> str:
    """Return a word whose letters are ranked by digests; other characters stay."""
    indices = [index for index, character in enumerate(word) if character.isalpha()]
    ranks = {index: digest([random_seed, word, attempt, index]) for index in indices}
    letters = (word[index] for index in sorted(indices, key=lambda index: ranks[index]))
    return "".join(next(letters) if character.isalpha() else character for character in word)


def variants_of(
    seed_id: str,
    premise: str,
    hypothesis: str,
    mlms: Sequence[MaskedLM],
    tagger: Tagger,
    classes: Sequence[str],
    choices: Choices = Choices(),
) -> Result:
    """Return all variants of one problem.

    Args:
        seed_id: Id of the problem.
        premise: Its premise.
        hypothesis: Its hypothesis.
        mlms: The masked LMs.
        tagger: The tagger.
        classes: Word classes whose shared words are replaced.
        choices: What is done otherwise.
    """
    premise_tokens = tagger.tag(premise)
    hypothesis_tokens = tagger.tag(hypothesis)
    taken = words_of_problem((premise, hypothesis), [*premise_tokens, *hypothesis_tokens])
    sentences = ((premise, premise_tokens), (hypothesis, hypothesis_tokens))
    result = Result()
    for word_class, form in shared_words(premise_tokens, hypothesis_tokens, classes, choices.ignore_case):
        if is_left_out(form, word_class, sentences, choices.ignore_case):
            continue
        occurrences = [
            [(token.start, token.end) for token in tokens if form_of(token, choices.ignore_case) == form]
            for _, tokens in sentences
        ]
        written: set[str] = set()
        for (text, _), here in zip(sentences, occurrences, strict=True):
            written |= {text[start:end] for start, end in here}
        original = min(written) if len(written) == 1 else form
        result.shared.append((word_class, original))
        taken_forms = all_forms(taken, word_class)
        validated: list[dict[str, dict[str, float]]] = []  # for P and for H: word -> masked LM -> log-odds
        for (sentence, tokens), here in zip(sentences, occurrences, strict=True):
            by_word: dict[str, dict[str, float]] = {}
            compound = choices.no_compounds and any(in_compound(sentence, tokens, start, end) for start, end in here)
            for mlm in mlms:
                answers = [
                    suggestions(mlm, sentence, start, end, original, word_class, taken_forms, choices)
                    for start, end in here
                ]
                for word in set.intersection(*(set(kept) for kept, _ in answers)):
                    is_noun = choices.supersense and word_class == "noun"
                    if compound or (is_noun and not same_supersense(original, word)):
                        continue
                    by_word.setdefault(word, {})[mlm.name] = min(kept[word] for kept, _ in answers)
                for _, doubtful in answers:
                    result.doubtful |= {(seed_id, word_class, original, word) for word in doubtful}
            dissents = dict.fromkeys(by_word, 0)
            for mlm in mlms if choices.veto is not None else ():
                of_forms = [votes(mlm, sentence, start, end, original, choices.veto or 0) for start, end in here]
                for word in by_word:
                    dissents[word] += any(of_form is not None and word not in of_form for of_form in of_forms)
            for word, count in dissents.items():
                if len(by_word[word]) < choices.min_mlms or count > choices.dissents:
                    del by_word[word]
            validated.append(by_word)

        union = choices.sides == "union"
        becomes: dict[str, list[bool]] = {}  # word -> whether P, whether H has it
        for word in {*validated[0], *validated[1]}:
            has = [word in by_word for by_word in validated]
            for side in (1, 0):  # the short one first
                if has[side] and (union or all(has)):
                    sentence = sentences[side][0]
                    has[side] = fits_everywhere(
                        tagger, sentence, occurrences[side], original, word, word_class, choices
                    )
            if all(has) or (union and any(has)):
                becomes[word] = has
        others = {word: word for word in becomes}
        if choices.scramble:
            others = scrambled(becomes, taken, choices.random_seed)
            if result.doubtful & {(seed_id, word_class, original, word) for word in becomes}:
                result.doubtful |= {(seed_id, word_class, original, word) for word in others.values()}
        for word, other in others.items():
            by_mlm = [validated[side][word] if becomes[word][side] else {} for side in (0, 1)]
            result.variants.append(
                Variant(
                    seed_id=seed_id,
                    word_class=word_class,
                    original=original,
                    replacement=other,
                    premise=replaced(premise, occurrences[0], original, other),
                    hypothesis=replaced(hypothesis, occurrences[1], original, other),
                    premise_mlms=tuple(by_mlm[0]),
                    hypothesis_mlms=tuple(by_mlm[1]),
                    log_odds=min(max(of_side.values()) for of_side in by_mlm if of_side),
                )
            )
    return result


def pools(keys: Iterable[Key], inflation: int) -> dict[tuple[str, str], set[Key]]:
    """Return the variants of each seed and class that has at least `inflation` of them."""
    pooled: dict[tuple[str, str], set[Key]] = {}
    for key in keys:
        pooled.setdefault(key[:2], set()).add(key)
    return {group: pool for group, pool in pooled.items() if len(pool) >= inflation}


def subsamples_of(pool: Iterable[Key], inflation: int, subsamples: int, random_seed: int) -> dict[Key, list[int]]:
    """Return the subsamples that have each variant of a seed and class."""
    numbers: dict[Key, list[int]] = {key: [] for key in pool}
    for subsample in range(subsamples):
        for key in sorted(numbers, key=lambda key: digest([random_seed, subsample, *key]))[:inflation]:
            numbers[key].append(subsample)
    return numbers


def problem_ids(problems: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return the ids of problems (premise, hypothesis, label name) that have none of their own."""
    seen: dict[str, int] = {}
    ids = []
    for problem in problems:
        key = digest(problem, between=", ")[:12]
        seen[key] = seen.get(key, 0) + 1
        ids.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return ids


def digest(values: Sequence[object], *, between: str = ",") -> str:
    """Return the sha256 of a JSON list, non-ASCII characters as they are."""
    text = json.dumps(list(values), ensure_ascii=False, separators=(between, ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
