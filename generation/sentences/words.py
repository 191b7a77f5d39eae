"""Words: what counts as one, how they are compared, and the open-class words that premise and hypothesis share."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from generation.sentences.forms import HYPOTHESIS, ONE, PREMISE, Form, forms
from generation.sentences.tagging import TaggedProblem, Token
from merge_snli.languages.language import is_english, is_function_word, language_of
from merge_snli.problems.markup import is_in_html
from merge_snli.schema import WORD_CLASSES

# Letters, with single hyphens and apostrophes between them.
WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")

# Words that count, order or identify. A sentence with one of them may say something else of the things it is about.
QUANTIFIERS = frozenset(
    """
    single sole only same other different another such own
    first second third fourth fifth next last previous former latter
    half double several many few much more most less least enough numerous various multiple whole entire
    """.split()  # noqa: SIM905
)

WORD_CHARACTERS = re.compile(r"\w+")

OTHER_CLASS = "other class"
OTHER_CASE = "other case"
NEGATION = "negation"
PART_OF_WORD = "part of a word"
# Reasons to leave a shared word out: replacing it, or only some of its occurrences, would change the inference.
LEFT_OUT = (OTHER_CLASS, OTHER_CASE, NEGATION, PART_OF_WORD)

# The rest of a sentence after a negated verb: "did" + "n't" or " n't", "can" + "not".
CONTRACTED_NEGATION = re.compile(r"\s*n['’]?t\b|not\b", re.IGNORECASE)


def is_whole_word(text: str, language: str | None = None) -> bool:
    """Return whether the text of a vocabulary piece can be a word of a variant.

    Args:
        text: The piece's text, without the tokenizer's marker.
        language: The code of its language; None for English.

    Returns:
        True if it has at least two letters, has only letters and single inner hyphens or apostrophes, and is neither a
        bare affix nor a negation, nor a function word of another language than English. Letters of other languages
        than English may have combining marks, such as the vowel signs of Hindi.
    """
    letters = text if text.isascii() or is_english(language) else _without_marks(text)
    if WORD.fullmatch(letters) is None or is_negation(text, language) or is_function_word(text, language):
        return False
    return text.casefold() not in language_of(language).affixes and sum(letter.isalpha() for letter in letters) >= 2


def is_negation(text: str, language: str | None = None) -> bool:
    """Return whether a word is a negation of a language, English if None, in any case and with either apostrophe."""
    return text.casefold().replace("’", "'") in language_of(language).negations


def _without_marks(text: str) -> str:
    """Return a text without combining marks, except those before its first letter."""
    first = next((index for index, character in enumerate(text) if character.isalpha()), 0)
    others = (character for character in text[first:] if not unicodedata.category(character).startswith("M"))
    return text[:first] + "".join(others)


def words_of(problem: TaggedProblem) -> frozenset[str]:
    """Return the words of premise and hypothesis, folded: the tagger's tokens and all runs of word characters."""
    words = set(word_runs((problem.premise.text, problem.hypothesis.text)))
    for token in problem.tokens:
        words.add(fold(token.text))
    return frozenset(words)


def word_runs(texts: Iterable[str]) -> Iterator[str]:
    """Yield the runs of word characters in folded texts."""
    for text in texts:
        yield from WORD_CHARACTERS.findall(fold(text))


def fold(text: str) -> str:
    """Return a text without accents and case: decomposed (NFKD), without combining marks, and case-folded."""
    if text.isascii():
        return text.casefold()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word w of both sentences of a problem.

    Attributes:
        text: The word as it is written; in lower case if case is ignored and its occurrences differ in case.
        word_class: Its word class; the same at every occurrence unless the word is left out.
        premise: Offset of the first character of each occurrence in the premise.
        hypothesis: Offset of the first character of each occurrence in the hypothesis.
        left_out: The reason of `LEFT_OUT` not to replace the word in this problem, else None.
    """

    text: str
    word_class: str
    premise: tuple[int, ...]
    hypothesis: tuple[int, ...]
    left_out: str | None = None


def shared_words(
    tagged: TaggedProblem, classes: Sequence[str] = WORD_CLASSES, *, ignore_case: bool = False
) -> tuple[SharedWord, ...]:
    """Find the words that premise and hypothesis share, including those that are left out.

    Args:
        tagged: A tagged problem.
        classes: The word classes to find.
        ignore_case: Treat "Dogs" and "dogs" as the same word.

    Returns:
        The words, ordered by class and by their first occurrence in the premise.
    """
    form = _lower if ignore_case else str
    in_hypothesis = {(form(token.text), token.word_class) for token in tagged.hypothesis.tokens}
    words: dict[tuple[str, str], SharedWord] = {}
    for token in tagged.premise.tokens:
        text = form(token.text)
        word_class = token.word_class
        if word_class is None or word_class not in classes:
            continue
        if (text, word_class) in in_hypothesis and (text, word_class) not in words:
            words[text, word_class] = _shared_word(text, word_class, tagged, form)
    return tuple(sorted(words.values(), key=lambda word: (WORD_CLASSES.index(word.word_class), word.premise)))


def _lower(text: str) -> str:
    """Return the text in lower case, or unchanged if that has another length, since offsets must stay valid."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _shared_word(text: str, word_class: str, tagged: TaggedProblem, form: Callable[[str], str]) -> SharedWord:
    premise = [token for token in tagged.premise.tokens if form(token.text) == text]
    hypothesis = [token for token in tagged.hypothesis.tokens if form(token.text) == text]
    written = {token.text for token in (*premise, *hypothesis)}
    left_out = _left_out(text, word_class, tagged, form)
    if len(written) == 1:
        (text,) = written
    starts, other_starts = (tuple(token.start for token in tokens) for tokens in (premise, hypothesis))
    return SharedWord(text, word_class, starts, other_starts, left_out)


def _left_out(text: str, word_class: str, tagged: TaggedProblem, form: Callable[[str], str]) -> str | None:
    same_letters = []
    for sentence in (tagged.premise, tagged.hypothesis):
        for token in sentence.tokens:
            if token.text.casefold() == text.casefold():
                same_letters.append((sentence.text, token))
    if any(form(token.text) != text for _, token in same_letters):
        return OTHER_CASE
    if any(token.word_class != word_class for _, token in same_letters):
        return OTHER_CLASS
    contracted = any(CONTRACTED_NEGATION.match(whole, token.end) for whole, token in same_letters)
    if is_negation(text, tagged.language) or (word_class == "verb" and contracted):
        return NEGATION
    if any(_is_part_of_word(whole, token) for whole, token in same_letters):
        return PART_OF_WORD
    return None


def _is_part_of_word(sentence: str, token: Token) -> bool:
    """Return whether a word character touches the token, as in "he" + "'s" or "5" + "km", or it is in HTML."""
    if is_in_html(sentence, token.start, token.end):
        return True
    neighbors = sentence[: token.start][-1:] + sentence[token.end : token.end + 1]
    return WORD_CHARACTERS.search(neighbors) is not None


def forms_of_word(tagged: TaggedProblem, word: SharedWord, mask: str = ONE) -> Iterator[tuple[str, Form]]:
    """Yield the forms of a shared word, the premise's before the hypothesis's.

    Args:
        tagged: The problem.
        word: One of its shared words.
        mask: `one` or `all`, see `forms`.

    Yields:
        The side and the form.
    """
    for side, sentence, starts in (
        (PREMISE, tagged.premise.text, word.premise),
        (HYPOTHESIS, tagged.hypothesis.text, word.hypothesis),
    ):
        for form in forms(sentence, word.text, starts, mask):
            yield side, form
