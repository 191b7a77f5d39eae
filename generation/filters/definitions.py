"""The filters, in the order in which they are applied, and their options. To add one, add it to all three here."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import not_
from typing import Any

from generation.filters.conditions import (
    disagrees,
    disagrees_with_article,
    does_not_fit_pronoun,
    in_problem,
    is_form_of_problem,
    is_in_compound,
    lacks_capital,
    sounds_wrong,
)
from generation.filters.filter import (
    ALWAYS_IN_OTHERS,
    ENGLISH_ONLY,
    FILTERS_GROUP,
    Applied,
    Filter,
    Occurrence,
)
from generation.filters.lexical import ARTICLES_LIBRARY, other_words
from generation.sentences.tagging import word_class_of
from generation.sentences.words import QUANTIFIERS, fold
from merge_snli.base.option import Option
from merge_snli.languages.language import is_english
from merge_snli.models.wordnet import supersense


def _switch(help: str, departure: str, **more: Any) -> Option:  # noqa: ANN401 - as in `Option`
    """Return an option that is off by default."""
    return Option(help=help, default=False, departure=departure, **more)


def _if(dropped: bool) -> Callable[[str], bool]:
    """Return the condition on suggestions that drops all or none."""
    return lambda word: dropped


# Filter 1: the filler is a whole word of the same kind as the original at its position.
NO_WORD = Filter(
    name="whole_word",
    reason="no whole word",
    on_fillers=lambda _, occurrence, fillers, vocabulary: occurrence.not_words(fillers, vocabulary),
)

# Filter 2.
LESS_PROBABLE = Filter(
    name="prob",
    reason="not more probable",
    in_method=True,
    option=Option(
        help="more probable than the original",
        default=True,
        departure="**Without the probability filter**: a replacement may be less probable than the original word, so "
        "many variants read badly.",
    ),
    on_log_odds=lambda _, log_odds: log_odds <= 0,
)

LOW_LOG_ODDS = Filter(
    name="min_log_odds",
    reason="low log-odds",
    option=Option(
        help="smallest log p(suggestion) - log p(original)",
        default=None,
        metavar="X",
        departure="**A margin of probability**: a replacement needs larger log-odds than the paper's 0.",
    ),
    on_log_odds=lambda minimum, log_odds: log_odds < minimum,
)

LOW_RANK = Filter(
    name="max_rank",
    reason="low rank",
    option=Option(
        help="keep suggestions among the N most probable fillers",
        default=None,
        shown_default="all",
        metavar="N",
        minimum=1,
        departure="**A maximum rank**: only the most probable suggestions of each form were used.",
    ),
    on_fillers=lambda maximum, *_: slice(maximum, None),
)


# Filter 3: the suggestion is not a word of premise or hypothesis, nor another form of one.
IN_PROBLEM = Filter(name="not_in_problem", reason="in the problem", on_word=in_problem)


def _seen(_: Occurrence) -> Callable[[str], bool]:
    seen: set[str] = set()

    def is_seen(word: str) -> bool:
        if word in seen:
            return True
        seen.add(word)
        return False

    return is_seen


# Of the pieces that become one word, the most probable one counts. The filters after it see each word once.
SAME_WORD = Filter(name="once", reason="same word again", on_word=_seen)


def _related(occurrence: Occurrence) -> Callable[[str], bool]:
    if occurrence.wordnet is None:
        raise ValueError("no_relations needs WordNet")
    return occurrence.wordnet.relation_to(other_words(occurrence.tagged, occurrence.word), occurrence.word.word_class)


RELATED = Filter(
    name="no_relations",
    reason="related",
    needs_wordnet=True,
    languages=ENGLISH_ONLY,
    option=_switch(
        "drop suggestions with a WordNet relation to another word of the problem",
        "**No WordNet relations**: suggestions related to another word of the problem were dropped.",
        always_recorded=True,
    ),
    on_word=_related,
)


def _quantifies(occurrence: Occurrence) -> Callable[[str], bool]:
    is_quantifier = fold(occurrence.word.text) in QUANTIFIERS
    return lambda word: is_quantifier or fold(word) in QUANTIFIERS


QUANTIFIER = Filter(
    name="no_quantifiers",
    reason="quantifier",
    languages=ENGLISH_ONLY,
    option=_switch(
        "neither replace words such as single, same or first, nor replace by them",
        "**No quantifiers**: words such as *single*, *same* or *first* were neither replaced nor replacements.",
    ),
    on_word=_quantifies,
)


COMPOUND = Filter(
    name="no_compounds",
    reason="in a compound",
    option=_switch(
        "leave out words in compounds: next to a hyphen or slash, or a noun next to a noun",
        "**No compounds**: words next to a hyphen or slash, and nouns next to a noun, were not replaced.",
    ),
    on_word=lambda occurrence: _if(is_in_compound(occurrence)),
)


def _other_supersense(occurrence: Occurrence) -> Callable[[str], bool]:
    if occurrence.word.word_class != "noun":
        return _if(False)
    original = supersense(occurrence.word.text)
    return lambda word: original is None or supersense(word) != original


OTHER_SUPERSENSE = Filter(
    name="supersense",
    reason="other supersense",
    languages=ENGLISH_ONLY,
    option=_switch(
        "keep nouns of the original's WordNet supersense only, such as person or food",
        "**Same supersense**: a noun and its replacement have the same supersense in WordNet, such as person or food.",
    ),
    on_word=_other_supersense,
)

OTHER_ARTICLE = Filter(
    name="articles",
    reason="other article",
    library=ARTICLES_LIBRARY,
    languages=ALWAYS_IN_OTHERS,
    option=_switch(
        'drop suggestions that do not fit "a" or "an" before them; in other languages always, by their elisions',
        "**Articles**: replacements that do not fit the *a* or *an* before them were dropped.",
    ),
    on_word=lambda occurrence: (
        disagrees_with_article(occurrence) if is_english(occurrence.tagged.language) else sounds_wrong(occurrence)
    ),
)

OTHER_GENDER = Filter(
    name="pronouns",
    languages=ENGLISH_ONLY,
    reason="other gender",
    option=_switch(
        'drop suggestions such as "woman" if the problem has "his", and "man" if it has "her"',
        "**Pronouns**: words of one gender, such as *woman* or *father*, were dropped if the problem has a "
        "pronoun of the other.",
    ),
    on_word=does_not_fit_pronoun,
)

NO_CAPITAL = Filter(
    name="capitals",
    languages=ENGLISH_ONLY,
    reason="no capital",
    option=_switch(
        'drop adjectives from names, such as "American", in place of a word in lower case',
        "**Capitals**: adjectives that WordNet writes with a capital, such as *American*, were dropped in "
        "place of a word in lower case.",
    ),
    on_word=lacks_capital,
)


# Filter 4.
OTHER_CLASS = Filter(
    name="pos",
    reason="other class",
    in_method=True,
    option=Option(
        help="of its word class",
        default=True,
        departure="**Without the word class filter**: a replacement may have another word class, which can make a "
        "sentence ungrammatical or change the label.",
    ),
    on_tag=lambda occurrence: lambda tag: word_class_of(tag) != occurrence.word.word_class,
)


def _other_tag(occurrence: Occurrence) -> Callable[[str | None], bool]:
    if not is_english(occurrence.tagged.language):
        return disagrees(occurrence)
    original = occurrence.tag
    return lambda tag: tag != original


OTHER_TAG = Filter(
    name="same_tag",
    reason="other tag",
    languages=ALWAYS_IN_OTHERS,
    option=_switch(
        "keep suggestions with the original's Penn tag only, such as NNS; in other languages always, those that "
        "agree in number, gender, case, person, tense and so on",
        "**Same tag**: a replacement has the Penn tag of the original word, not only its word class.",
    ),
    on_tag=_other_tag,
)

# Filter 3 in other languages than English, in which the tagger has the lemmas.
SAME_LEMMA = Filter(
    name="lemma",
    reason="form in the problem",
    languages=ALWAYS_IN_OTHERS,
    on_tag=is_form_of_problem,
)

OTHER_PARSE = Filter(
    name="same_parse",
    reason="other parse",
    option=_switch(
        "keep suggestions that leave the dependency parse of the sentence as it is",
        "**Same parse**: each sentence has the same dependency parse with the original word and with its replacement.",
    ),
    on_parse=lambda _: not_,
)

TOO_FEW = Filter(
    name="min_mlms",
    reason="too few masked LMs",
    option=Option(
        help="masked LMs that must validate a word in a sentence",
        default=1,
        metavar="N",
        minimum=1,
        departure="**Several masked LMs**: a replacement needs to be validated by several masked LMs in each sentence.",
    ),
    on_validators=lambda minimum, names: len(names) < minimum,
)

VETO = Filter(
    name="veto",
    reason="vetoed",
    option=Option(
        help="keep suggestions among the N most probable fillers of every masked LM with the original as one token",
        default=None,
        shown_default="no veto",
        metavar="N",
        minimum=1,
        departure="**Veto**: at every occurrence, a replacement needs to be among the most probable fillers of every "
        "masked LM that has the original word as one token, except for the dissents that the options allow.",
    ),
    on_votes=lambda rank, _: slice(rank),
)

# How many masked LMs may dissent from a word that the filter above keeps.
DISSENTS = Option(
    help="masked LMs that may dissent from a suggestion in a sentence",
    default=0,
    group=FILTERS_GROUP,
    metavar="N",
    minimum=0,
    neutral="the sentence of the filter `veto` has it",
)

# All filters in order: a filler is counted under the first that drops it.
#
# The rows are what a condition sees: fillers and their log-odds, words, tags and parses in place, and the masked LMs
# that validate a word. docs/method.md has the number of each filter of the paper.
FILTERS = (
    *(NO_WORD, LESS_PROBABLE, LOW_LOG_ODDS, LOW_RANK),
    *(IN_PROBLEM, SAME_WORD, RELATED, QUANTIFIER, COMPOUND, OTHER_SUPERSENSE, OTHER_ARTICLE, OTHER_GENDER, NO_CAPITAL),
    *(OTHER_CLASS, SAME_LEMMA, OTHER_TAG, OTHER_PARSE),
    *(TOO_FEW, VETO),
)

# The switches of the filters of the paper's method, which `--filters` selects.
METHOD_OPTIONS = {filter_.name: filter_.option for filter_ in FILTERS if filter_.in_method and filter_.option}


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """The options of the other filters, in the order in which records have them: new ones at the end."""

    no_relations: bool = RELATED.field()
    min_mlms: int = TOO_FEW.field()
    same_tag: bool = OTHER_TAG.field()
    articles: bool = OTHER_ARTICLE.field()
    min_log_odds: float | None = LOW_LOG_ODDS.field()
    max_rank: int | None = LOW_RANK.field()
    no_compounds: bool = COMPOUND.field()
    supersense: bool = OTHER_SUPERSENSE.field()
    same_parse: bool = OTHER_PARSE.field()
    no_quantifiers: bool = QUANTIFIER.field()
    pronouns: bool = OTHER_GENDER.field()
    veto: int | None = VETO.field()
    dissents: int = DISSENTS.field()
    capitals: bool = NO_CAPITAL.field()


def applied_filters(options: Any) -> tuple[Applied, ...]:  # noqa: ANN401 - anything with the fields of `Options`
    """Return the filters that a run applies, in order.

    Args:
        options: The options of the run, with their language.
    """
    return tuple(Applied(filter_, filter_.value(options)) for filter_ in FILTERS if filter_.applies(options))
