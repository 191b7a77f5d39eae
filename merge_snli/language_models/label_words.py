"""Find the labels that a short text names, and whether it affirms, denies or only considers them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from merge_snli.dataset.label_spellings import are_nli

# The reading of a text that has an answer, but not one that can be read.
UNREAD = ""

LABEL = re.compile(
    r"(?P<not_entailment>\b(?:not?|non)[ _-]?entail(?:ment|ed|s)?\b)|(?P<entailment>\bentail(?:ment|ed|s)?\b)"
    r"|(?P<neutral>\bneutral(?:ity)?\b)|(?P<contradiction>\bcontradict(?:ion|ory|ed|s|ing)?\b)",
    re.IGNORECASE,
)
WORD = r"(?:entail(?:ment|ed|s)?|neutral(?:ity)?|contradict(?:ion|ory|ed|s|ing)?)\b"
GAP = r"[ *_`]+"
# Such as `neither entailed nor contradicted`.
DENIED = re.compile(
    r"(?:\b(?:no|not|nor|neither|never|cannot|without|rather than|instead of)\b|n['’]t\b)"
    rf"(?:{GAP}(?!but\b)[\w'’]+){{0,5}}?{GAP}{WORD}(?:(?:{GAP}[\w'’]+){{0,3}}?,?{GAP}n?or{GAP}(?:an?{GAP})?{WORD})?",
    re.IGNORECASE,
)
# What makes a label after it one that is only considered.
CONSIDERED = re.compile(r"\b(?:if|whether|could|might|may|for it to)\b", re.IGNORECASE)
CONDITION = re.compile(r"\b(?:only if|unless)\b", re.IGNORECASE)
CLAUSE_END = re.compile(r"[.,:;!)}\]–—(\n]|\s(?:-|because|since|as)\s|\s[^\w\s(/|&+?-]")
SENTENCE_END = re.compile(r"(?<=[.!?])[*_`\"')]*\s+|\n+")
# A letter that is an answer, not the word `A`.
LETTER = re.compile(
    r"(?:(?i:.{0,40}\b(?:option|choice|choose|pick|select|go with)\b(?: is)?))?[\s(*]*(?P<letter>[A-Z])\b(?P<rest>[*)]*"
    r"(?:\s*$|\s*[.:,)]|\s+\(?(?:is (?:the )?(?:correct|right|best|answer)|because|since|as)\b).*)",
    re.DOTALL,
)


def sentences(text: str) -> list[str]:
    """Split a text at line breaks and after sentences."""
    return [part for part in SENTENCE_END.split(text) if part.strip()]


@dataclass(frozen=True)
class LabelWords:
    """How the labels of a data set can be spelled.

    Attributes:
        labels: The labels.
        letters: Whether A, B, … are labels, too.
        words: Other words that a prompt asks for, one per label; empty if it asks for the labels.
    """

    labels: Sequence[str]
    letters: bool
    words: Sequence[str] = ()

    def exactly(self, text: str) -> str | None:
        """Return the label that the whole text spells, apart from punctuation."""
        bare = re.sub(r"^[\W_]+|[\W_]+$", "", text)
        word = LABEL.fullmatch(bare)
        other = self._by_word.get(bare.casefold()) or self._of_letter(bare.upper())
        name = other if word is None else word.lastgroup
        return name if name in self.labels and "?" not in text else None

    def affirmed(self, sentence: str) -> set[str]:
        """Return the labels that a sentence names and neither denies nor only considers."""
        if sentence.rstrip("*_`\"') ").endswith("?") or CONDITION.search(sentence):
            return set()
        considered = CONSIDERED.search(sentence)
        text = sentence if considered is None else sentence[: considered.start()]
        others = {self._by_word[match["word"].casefold()] for match in self._affirming.finditer(text)}
        if "not_entailment" not in self.labels:  # otherwise denying entailment affirms the other label
            text = DENIED.sub("", text)
        return others | {match.lastgroup for match in LABEL.finditer(text) if match.lastgroup is not None}

    def only(self, sentence: str) -> str | None:
        """Return the only label that a sentence affirms."""
        named = self.affirmed(sentence)
        return next(iter(named)) if len(named) == 1 and named <= {*self.labels} else None

    def leading(self, text: str) -> str | None:
        """Return the label, or letter, that stands alone before the first punctuation.

        It is `UNREAD` if the sentence affirms another label.
        """
        sentence = next(iter(sentences(text)), "").lstrip("(*_`\"'>#- ")
        lettered = LETTER.match(sentence)
        if lettered is not None:
            answer = self._of_letter(lettered["letter"])
        else:
            end = CLAUSE_END.search(sentence)
            answer = self.exactly(sentence if end is None else sentence[: end.start()])
        if answer is None:
            return None
        return UNREAD if self.affirmed(sentence) - {answer} or self._listed.match(sentence) else answer

    def value(self, text: str) -> str | None:
        """Return the label that a text gives after `Answer:` or the like; `UNREAD` if it affirms several."""
        first = next(iter(sentences(text)), "")
        found = self.exactly(text)
        if found is None:
            found = self.leading(text)
        return self.only(first) if found is None else found

    @cached_property
    def _by_word(self) -> dict[str, str]:
        """The label by each of the other words; for another task than NLI, also its names."""
        words = self.words or (() if are_nli(self.labels) else self.labels)
        spelled = [(word.casefold(), label) for word, label in zip(words, self.labels, strict=False)]
        return {form: label for word, label in spelled for form in (word, word.replace("_", " "))}

    @cached_property
    def _other(self) -> str:
        """A pattern of the other words."""
        return "|".join(map(re.escape, sorted(self._by_word, key=len, reverse=True))) or r"(?!)"

    @cached_property
    def _listed(self) -> re.Pattern[str]:
        """Find two other words that are listed, as in `True, False, or Neither`."""
        return re.compile(rf"(?:{self._other})(?:\s*[,/|]\s*|\s+)(?:or\s+)?(?:{self._other})\b", re.IGNORECASE)

    @cached_property
    def _affirming(self) -> re.Pattern[str]:
        """Find another word in a sentence that says it of the hypothesis, as in `It is true`."""
        return re.compile(
            rf"\b(?:it|this|that|hypothesis|statement|claim|sentence|answer)\b(?:{GAP}(?!not\b)\w+){{0,4}}?(?:{GAP}is|['’]s)"
            rf"(?:{GAP}\w+ly)?[\s*_`\"'(]+(?P<word>{self._other})\b(?!{GAP}that\b)",
            re.IGNORECASE,
        )

    def _of_letter(self, letter: str) -> str | None:
        at = ord(letter) - ord("A") if self.letters and len(letter) == 1 else -1
        return self.labels[at] if 0 <= at < len(self.labels) else None
