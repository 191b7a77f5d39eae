"""Filters and set operations together, and their counts: how the options of section 5.4 relate to each other."""

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import (
    IN_PROBLEM,
    LESS_PROBABLE,
    NO_WORD,
    OTHER_ARTICLE,
    OTHER_CLASS,
    OTHER_TAG,
    RELATED,
    TOO_FEW,
)
from generation.filters.fillers import KEPT, OUTCOMES
from generation.filters.lexical import WordNet
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import SPACED, Piece, Vocabulary
from generation.options import Options
from generation.replacements.counts import FILLERS, FilterCounts, counts_table, sum_of_tables
from generation.replacements.finding import FilteredWord, combine, count_filtered, filter_words
from generation.replacements.standalone import WITH_CLASS, count_standalone
from generation.sentences.forms import Substitution, forms
from generation.sentences.tagging import InPlaceTagger, TaggedProblem, TaggedSentence, Token, word_class_of
from generation.sentences.words import SharedWord, shared_words
from generation.variants import Variant
from merge_snli.dataset.answered_forms import FORMS, SPLIT
from merge_snli.models.wordnet import base_forms
from merge_snli.problems.problem import Problem
from tests.tiny_wordnet import save_wordnet

NOUNS = ("dog", "cat", "wolf", "animal", "guitar", "not", "ton", "child", "act")
PIECES = (*NOUNS, "Dog", "CAT", "run", "##s", "x2")
VOCABULARY = Vocabulary(
    tuple(Piece(text, SPACED) for text in PIECES), np.array([text.isalpha() and text != "not" for text in PIECES])
)
MLMS = ("m1", "m2")


base_forms("dogs", "noun")  # reads the table, which takes longer than an example may


class ByText(InPlaceTagger):
    """A tagger that derives the tag of a suggestion from a hash of its context."""

    def __init__(self) -> None:
        """Load no pipeline."""

    def tags(self, suggestions: Sequence[Substitution]) -> list[str | None]:
        digests = (zlib.crc32(f"{suggestion.text} {suggestion.start}".encode()) for suggestion in suggestions)
        return [("VB", "NN", "NNS", "NN")[digest % 4] for digest in digests]


class Case(NamedTuple):
    """A problem with its shared words, and the answers of the masked LMs."""

    tagged: TaggedProblem
    words: tuple[SharedWord, ...]
    answers: dict[str, MaskedLMAnswers]


def sentence(words: Sequence[str]) -> TaggedSentence:
    tokens = []
    start = 0
    for word in words:
        tokens.append(Token(word, start, "NN" if word.lower() in NOUNS else "IN"))
        start += len(word) + 1
    return TaggedSentence(" ".join(words), tuple(tokens))


SENTENCES = st.lists(st.sampled_from(["dog", "cat", "Dog", "of", "wolf"]), min_size=1, max_size=5)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    premise, hypothesis = (sentence([*draw(SENTENCES), "end"]) for _ in range(2))
    tagged = TaggedProblem(Problem("p", premise.text, hypothesis.text, 0), premise, hypothesis)
    words = tuple(word for word in shared_words(tagged) if word.left_out is None)
    of_mlms = {}
    for mlm in MLMS:
        answers = {}
        for form in forms_of(tagged, words):
            order = draw(st.permutations(range(len(PIECES))))
            cut = draw(st.integers(1, len(PIECES)))
            answers[form] = fillers(order[:cut], draw(st.integers(0, len(PIECES)))) if draw(st.booleans()) else SPLIT
        of_mlms[mlm] = MaskedLMAnswers(answers, VOCABULARY)
    return Case(tagged, words, of_mlms)


def forms_of(tagged: TaggedProblem, words: Sequence[SharedWord]) -> list[str]:
    found: list[Any] = []
    for word in words:
        found += forms(tagged.premise.text, word.text, word.premise)
        found += forms(tagged.hypothesis.text, word.text, word.hypothesis)
    return [form.key for form in found]


def fillers(order: Sequence[int], rank_of_original: int) -> Fillers:
    """Return an answer with log-probabilities 0, -1, -2 …, and the original between two of them."""
    return Fillers(np.array(order, dtype=np.int32), -np.arange(len(order), dtype=np.float32), 0, 0.5 - rank_of_original)


def find(
    case: Case,
    wordnet: WordNet | None = None,
    tagger: InPlaceTagger | None = None,
    **choices: Any,  # noqa: ANN401 - values of any option
) -> tuple[list[FilteredWord], FilterCounts]:
    """Return the replacements, and the counts by word class, masked LM and side."""
    options = Options(problems="x", mlm=MLMS, no_relations=wordnet is not None, **choices)
    problems = [(case.tagged, case.words)]
    filtered = filter_words(problems, case.answers, tagger or ByText(), options, wordnet=wordnet)
    words = [combine(word, options) for word in filtered]
    return words, count_filtered(words)


def words_of(found: tuple[list[FilteredWord], FilterCounts]) -> list[str]:
    """Return the replacements of the only shared word."""
    (of_word,) = found[0]
    return [replacement.word for replacement in of_word.replacements]


class WithTags(ByText):
    """A tagger for which all suggestions are nouns, but these words."""

    def __init__(self, **tags: str | None) -> None:
        """Keep the tags."""
        self.of_words = tags

    def tags(self, suggestions: Sequence[Substitution]) -> list[str | None]:
        return [self.of_words.get(suggestion.word, "NN") for suggestion in suggestions]


def variants_of(filtered: FilteredWord) -> list[Variant]:
    return [Variant(filtered.tagged.problem, filtered.word, word) for word in filtered.replacements]


def ids(case: Case, **choices: Any) -> set[str]:  # noqa: ANN401 - values of any option
    of_words, _ = find(case, **choices)
    of_variants = [variant.id for of_word in of_words for variant in variants_of(of_word)]
    assert len(of_variants) == len(set(of_variants))
    return set(of_variants)


def simple_case(premise: Sequence[str], hypothesis: Sequence[str], *order: str, ignore_case: bool = False) -> Case:
    """Return a problem for which both masked LMs give the same fillers for every form, the original last."""
    texts = sentence(premise), sentence(hypothesis)
    tagged = TaggedProblem(Problem("p", texts[0].text, texts[1].text, 0), *texts)
    words = tuple(word for word in shared_words(tagged, ignore_case=ignore_case) if word.left_out is None)
    answer = fillers([PIECES.index(piece) for piece in order], len(order))
    of_mlm = MaskedLMAnswers(dict.fromkeys(forms_of(tagged, words), answer), VOCABULARY)
    return Case(tagged, words, dict.fromkeys(MLMS, of_mlm))


def test_suggestions_of_another_class_are_dropped_and_counted() -> None:
    case = simple_case(["a", "dog"], ["dog", "of"], "cat", "run", "wolf")
    found = find(case, tagger=WithTags(run="VB"), filters="pos")
    assert words_of(found) == ["cat", "wolf"]
    for side in ("premise", "hypothesis"):
        count = found[1]["noun", "m1", side]
        assert count[FILLERS] == 3
        assert count[OTHER_CLASS.reason] == 1
        assert count[KEPT] == 2


def test_ignoring_case_each_occurrence_keeps_its_case() -> None:
    case = simple_case(["Dog", "of", "dog"], ["DOG", "a", "dog"], "CAT", "wolf", "cat", ignore_case=True)
    (of_word,), counts = find(case, filters="prob")
    assert of_word.word == SharedWord("dog", "noun", (0, 7), (0, 6))
    cat, wolf = variants_of(of_word)
    assert cat.id == "p:noun:dog:cat"
    assert cat.in_text("premise")[0] == "Cat of cat"
    assert wolf.in_text("hypothesis")[0] == "WOLF a wolf"
    assert counts["noun", "m1", "premise"]["same word again"] == 2


def test_related_words_are_dropped_and_counted(tmp_path: Path) -> None:
    case = simple_case(["child", "of", "dog"], ["a", "child"], "animal", "wolf", "cat", "guitar")
    wordnet = WordNet(save_wordnet(tmp_path / "dict"))
    found = find(case, wordnet, filters="prob")
    assert words_of(found) == ["cat", "guitar"]
    assert found[1]["noun", "m2", "hypothesis"][RELATED.reason] == 2
    # Words related to the original itself may replace it.
    found = find(simple_case(["cat"], ["cat"], "animal", "wolf"), wordnet, filters="prob")
    assert words_of(found) == ["animal", "wolf"]


READABLE: dict[str, Any] = {"min_mlms": 2, "same_tag": True, "articles": True, "min_log_odds": 1.0, "max_rank": 5}


@given(case=cases(), sides=st.sampled_from(["intersection", "union"]), filters=st.sampled_from(["prob,pos", "none"]))
def test_filters_for_readability_only_drop(case: Case, sides: str, filters: str) -> None:
    assert ids(case, sides=sides, filters=filters, **READABLE) <= ids(case, sides=sides, filters=filters)
    _, counts = find(case, sides=sides, filters=filters, **READABLE)
    for count in counts.values():
        assert count[FILLERS] == sum(count[outcome] for outcome in OUTCOMES)


@given(cases())
def test_words_of_too_few_masked_lms_are_counted_under_those_that_validated_them(case: Case) -> None:
    before, _ = find(case)
    after, counts = find(case, min_mlms=2)
    expected: Counter[tuple[str, str]] = Counter()
    for every, of_word in zip(before, after, strict=True):
        by_both = [word for word in every.replacements if word.premise_mlms == word.hypothesis_mlms == MLMS]
        assert of_word.replacements == tuple(by_both)
        for dropped in of_word.dropped:
            expected.update((name, dropped.side) for name in dropped.mlms)
    counted = {key[1:]: count[TOO_FEW.reason] for key, count in counts.items()}
    assert +Counter(counted) == expected


def test_the_tag_and_the_article_of_each_occurrence_count() -> None:
    case = simple_case(["a", "dog"], ["the", "dog", "of"], "animal", "wolf", "run", "cat", "guitar")
    tagger = WithTags(cat="NNS", run="VB", guitar=None)
    found = find(case, tagger=tagger, same_tag=True, articles=True)
    assert words_of(found) == ["wolf"]
    premise, hypothesis = found[1]["noun", "m1", "premise"], found[1]["noun", "m1", "hypothesis"]
    assert premise[OTHER_ARTICLE.reason] == 1
    assert hypothesis[OTHER_ARTICLE.reason] == 0
    assert premise[OTHER_CLASS.reason] == 2
    assert premise[OTHER_TAG.reason] == 1
    assert hypothesis[KEPT] == 2
    without_class = find(case, tagger=tagger, same_tag=True, filters=("prob",))
    assert words_of(without_class) == ["animal", "wolf"]
    assert without_class[1]["noun", "m2", "premise"][OTHER_TAG.reason] == 3


def test_without_the_class_filter_nothing_is_tagged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ByText, "tags", None)
    assert words_of(find(simple_case(["dog"], ["dog"], "cat"), filters="prob")) == ["cat"]


COUNTS = {
    ("verb", "m2", "premise"): Counter({"kept": 3}),
    ("noun", "m1", "premise"): Counter({"related": 0, "kept": 2, "fillers": 5}),
}


def test_tables_are_summed_and_sorted() -> None:
    first = counts_table(COUNTS)
    assert first.column_names == ["word_class", "masked_lm", "side", "reason", "count"]
    assert first["count"].to_pylist() == [5, 2, 3], "without zeros"
    tables = [first, counts_table({}), counts_table({("noun", "m1", "premise"): Counter({"kept": 1})})]
    noun, verb = sum_of_tables(tables).items()
    assert noun == (("noun", "m1", "premise"), {"fillers": 5, "kept": 3})
    assert verb == (("verb", "m2", "premise"), {"kept": 3})


def plain_counts(case: Case) -> FilterCounts:
    """Count one filler at a time."""
    counts: FilterCounts = defaultdict(Counter)
    texts = {"premise": case.tagged.premise.text, "hypothesis": case.tagged.hypothesis.text}
    problem_words = set(" ".join(texts.values()).lower().split())
    for word, (side, text), mlm in product(case.words, texts.items(), MLMS):
        count = counts[word.word_class, mlm, side]
        for form in forms(text, word.text, getattr(word, side)):
            answer = case.answers[mlm].answers[form.key]
            if not isinstance(answer, Fillers):
                continue
            count[FORMS] += 1
            for number, log_prob in zip(answer.piece_ids, answer.log_probs, strict=True):
                piece = PIECES[number]
                lower = PIECES[number].lower()
                has_capital = word.text[0].isupper()
                is_word = piece not in ("not", "##s", "x2")
                if form.start > 0 and has_capital and piece == lower:
                    is_word = False
                written = lower.capitalize() if has_capital else lower
                (tag,) = ByText().tags([Substitution(text, form.start, form.end, written)])
                fails = {
                    NO_WORD.reason: not is_word,
                    LESS_PROBABLE.reason: log_prob <= answer.original_log_prob,
                    IN_PROBLEM.reason: lower in problem_words,
                    OTHER_CLASS.reason: not is_word or word_class_of(tag) != word.word_class,
                }
                count.update({FILLERS: 1, WITH_CLASS: 1, KEPT: int(not any(fails.values())), **fails})
    return {group: count for group, count in counts.items() if count}


def count(*counted: Case, answers: Mapping[str, MaskedLMAnswers] | None = None, **options: Any) -> FilterCounts:  # noqa: ANN401
    problems = [(case.tagged, case.words) for case in counted]
    return count_standalone(problems, answers or counted[0].answers, ByText(), **options)


@given(cases())
def test_counts_match_a_plain_count(case: Case) -> None:
    assert count(case, class_forms=None) == plain_counts(case)


@given(cases(), st.integers(0, 2))
def test_sampling_affects_only_the_class_counts(case: Case, class_forms: int) -> None:
    every = count(case, class_forms=None)
    some = count(case, class_forms=class_forms)
    for key, all_of in every.items():
        of_some = some[key]
        for name in (FORMS, FILLERS, NO_WORD.reason, LESS_PROBABLE.reason, IN_PROBLEM.reason):
            assert of_some[name] == all_of[name]
        assert of_some[WITH_CLASS] <= min(all_of[WITH_CLASS], class_forms * len(PIECES) * all_of[FORMS])
        assert of_some[OTHER_CLASS.reason] + of_some[KEPT] <= of_some[WITH_CLASS]


def test_words_of_the_problem_are_counted_without_accents() -> None:
    of_dog = count(simple_case(["dog", "wölf"], ["dog"], "wolf"))["noun", "m1", "premise"]
    assert (of_dog[FILLERS], of_dog[IN_PROBLEM.reason]) == (1, 1)


def test_classes_are_counted_for_32_forms_by_default() -> None:
    many = [simple_case(["dog", *["of"] * length], ["dog"], "cat") for length in range(33)]
    answers = {key: answer for case in many for key, answer in case.answers["m1"].answers.items()}
    of_m1 = {"m1": MaskedLMAnswers(answers, many[0].answers["m1"].vocabulary)}
    of_dog = count(*many, answers=of_m1)["noun", "m1", "premise"]
    assert (of_dog[FORMS], of_dog[FILLERS], of_dog[WITH_CLASS]) == (33, 33, 32)
