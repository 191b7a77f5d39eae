"""The form of a filter: a frozen value with a condition, an option and the reason that the counts name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from generation.sentences.forms import Form, Substitution, match_occurrence_case, sentence_starts
from generation.sentences.tagging import TaggedProblem
from generation.sentences.words import SharedWord, forms_of_word
from merge_snli.base.option import Option
from merge_snli.languages.language import is_english

if TYPE_CHECKING:
    from generation.filters.lexical import WordNet
    from generation.masked_lms.masked_lm import Fillers
    from generation.masked_lms.vocabulary import Vocabulary
    from merge_snli.base.arrays import Bools

# The heading of the filters' options in `--help`.
FILTERS_GROUP = "filters"

# The languages that a filter is for.
ANY_LANGUAGE, ENGLISH_ONLY, ALWAYS_IN_OTHERS = "any", "English only", "always in others"

# Which fillers of a form a filter drops: an index of their arrays.
Where: TypeAlias = "Bools | slice"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a shared word, where suggestions replace it.

    Attributes:
        tagged: The problem.
        word: The shared word.
        problem_words: The words of the problem, folded, from `words_of`.
        side: `premise` or `hypothesis`.
        start: Offset of the occurrence's first character in that sentence.
        end: Offset after its last character.
        wordnet: WordNet; None if no filter of the run uses it.
    """

    tagged: TaggedProblem
    word: SharedWord
    problem_words: frozenset[str]
    side: str
    start: int
    end: int
    wordnet: WordNet | None = None

    @property
    def sentence(self) -> str:
        """The text of the sentence."""
        return str(getattr(self.tagged, self.side).text)

    @property
    def tag(self) -> str:
        """The tag of the original word."""
        return next(str(token.tag) for token in getattr(self.tagged, self.side).tokens if token.start == self.start)

    @property
    def tag_before(self) -> str:
        """The tag of the token before the original word; empty if it is the first."""
        before = [token.tag for token in getattr(self.tagged, self.side).tokens if token.start < self.start]
        return str(before[-1]) if before else ""

    @property
    def is_capitalized_within_sentence(self) -> bool:
        """Whether the original has a capital, and a letter or digit precedes it in its sentence."""
        written = self.sentence[self.start : self.end]
        begin = max(start for start in sentence_starts(self.sentence) if start <= self.start)
        return written != written.lower() and any(map(str.isalnum, self.sentence[begin : self.start]))

    def not_words(self, fillers: Fillers, vocabulary: Vocabulary) -> Bools:
        """Return which fillers are not whole words of the original's kind, or lack its capital."""
        inside = self.is_capitalized_within_sentence
        return ~vocabulary.same_kind(fillers.piece_ids, fillers.original_id, within_sentence=inside)

    def written(self, suggestion: str) -> str:
        """Return a suggestion, which has the case of the shared word, in the case of this occurrence."""
        return match_occurrence_case(self.sentence[self.start : self.end], self.word.text, suggestion)

    def replaced_by(self, suggestion: str) -> Substitution:
        """Return a suggestion, which has the case of the shared word, in place of this occurrence."""
        return Substitution(self.sentence, self.start, self.end, self.written(suggestion))


def occurrences_of_word(
    tagged: TaggedProblem,
    word: SharedWord,
    mask: str,
    *,
    problem_words: frozenset[str],
    wordnet: WordNet | None = None,
) -> Iterator[tuple[Form, Occurrence]]:
    """Yield the forms of a shared word, each with the occurrence that it masks.

    Args:
        tagged: The problem.
        word: One of its shared words.
        mask: `one` or `all`, see `generation.sentences.forms.forms`.
        problem_words: The words of the problem, from `words_of`.
        wordnet: WordNet; None if no filter of the run uses it.
    """
    for side, form in forms_of_word(tagged, word, mask):
        yield form, Occurrence(tagged, word, problem_words, side, form.start, form.end, wordnet)


@dataclass(frozen=True, kw_only=True)
class Filter:
    """A filter on the fillers of a form, or on the words that they become.

    Exactly one of the conditions is set, and says what is dropped. Those on words, tags and parses get the occurrence;
    the others get the value of the filter's option first.

    Attributes:
        name: The name of its option, or of its choice in `--filters`.
        reason: The reason that counts, tables and `explain` name.
        option: How it is switched; None if it always applies.
        in_method: Whether the paper's method has it. Its option is then a choice of `--filters`.
        needs_wordnet: Whether it needs the `wordnet` of an occurrence.
        library: A library whose version changes what it drops; records have the version.
        languages: The languages that it is for: `ANY_LANGUAGE`, `ENGLISH_ONLY`, or `ALWAYS_IN_OTHERS`. The last
            applies in other languages than English in any case; one without an option applies in no English run.
        on_fillers: The condition on the pieces of a form: gets the occurrence, its fillers and the masked LM's
            vocabulary.
        on_log_odds: The condition on log p(filler) - log p(original): gets one number or an array.
        on_word: The condition on a suggestion in the case of the shared word: returns the function of the word for
            an occurrence and a masked LM.
        on_tag: The condition on the Penn tag of a suggestion in its place: returns the function of the tag.
        on_parse: The condition on the sentence in which a suggestion is in its place: returns the function of whether
            its dependency parse is that of the original.
        on_validators: The condition on the names of the masked LMs that validate a word in a sentence.
        on_votes: Which fillers of a form its masked LM votes for: gets the fillers. In a sentence, a masked LM dissents
            from the words that it does not vote for at an occurrence, and words with too many dissents are dropped.
    """

    name: str
    reason: str
    option: Option | None = None
    in_method: bool = False
    needs_wordnet: bool = False
    library: str | None = None
    languages: str = ANY_LANGUAGE
    on_fillers: Callable[[Any, Occurrence, Fillers, Vocabulary], Where] | None = None
    on_log_odds: Callable[[Any, Any], Any] | None = None
    on_word: Callable[[Occurrence], Callable[[str], bool]] | None = None
    on_tag: Callable[[Occurrence], Callable[[str | None], bool]] | None = None
    on_parse: Callable[[Occurrence], Callable[[bool], bool]] | None = None
    on_validators: Callable[[Any, tuple[str, ...]], bool] | None = None
    on_votes: Callable[[Any, Fillers], Where] | None = None

    @property
    def is_on_sentences(self) -> bool:
        """Whether it drops words of a sentence, by what the masked LMs say at all occurrences."""
        return self.on_validators is not None or self.on_votes is not None

    def field(self) -> Any:  # noqa: ANN401 - a field of any type
        """Return the dataclass field of the filter's option."""
        if self.option is None:
            raise TypeError(f"the filter {self.name} always applies and has no option")
        return replace(self.option, group=FILTERS_GROUP).field()

    def value(self, options: object) -> Any:  # noqa: ANN401 - a value of any option
        """Return the value of the filter's option among the options of a run."""
        if self.option is None:
            return True
        return self.name in options.filters if self.in_method else getattr(options, self.name)  # type: ignore[attr-defined]

    def applies(self, options: object) -> bool:
        """Return whether a run with these options applies the filter."""
        if self.languages == ALWAYS_IN_OTHERS and not is_english(options.language):  # type: ignore[attr-defined]
            return True
        if self.option is None:
            return self.languages != ALWAYS_IN_OTHERS
        value = self.value(options)
        return bool(value) if self.in_method else not self.option.is_default(value)


class Applied(NamedTuple):
    """A filter that a run applies, and the value of its option."""

    filter: Filter
    value: Any

    def __str__(self) -> str:
        """Return the option with its value, for messages."""
        is_plain = self.value is True or self.filter.languages == ALWAYS_IN_OTHERS
        return self.filter.name if is_plain else f"{self.filter.name}={self.value}"
