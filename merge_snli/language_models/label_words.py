"""Find the label that a short text states in one of a few closed forms, and what takes it back."""

import re
from dataclasses import dataclass
from functools import lru_cache

from merge_snli.dataset.label_spellings import are_nli
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.replies import SEVERAL_LABELS

NOT = r"(?:not|non)[\s_-](?:an?\s)?"
NLI_FORMS = {
    "not_entailment": NOT + r"entail(?:ment|ed|s|ing)?",
    "entailment": r"entail(?:ment|ed|s|ing)?",
    "neutral": r"neutral(?:ity)?",
    "contradiction": r"contradict(?:ion|ory|ed|s|ing)?",
}
# A capital letter, or a small one alone or before a parenthesis.
LETTER = r"(?-i:{}{}|{}(?=\)|\W*$))"
# What distinguishes the letter A from the article.
NO_ARTICLE = r"(?=\W*$|[).,:;]|\s*[(–—-]|\s+(?:is|or|and|nor|because|since|as)\b)"
KEY = (
    r"(?:answer|label|relation(?:ship)?|prediction|classification|conclusion|verdict|judge?ment|inference|option"
    r"|choice|letter|decision|result|response|output|ans|antwort)"
)
QUALIFIERS = (
    r"(?:(?:the|my|your|final|correct|right|best|most|appropriate|suitable|likely|logical|nli|predicted|overall|die"
    r"|richtige)[ _-])*"
)
IS = (
    r"(?:['’]s|\s(?:is|would be|should be|must be|remains|lautet|seems to be|appears to be|is best described as"
    r"|(?:can|should) (?:best )?be (?:classified|described|labell?ed) as))(?: (?:that of|one of|therefore|thus))?"
)
ABOUT = r"(?:\s(?:between|of|for|from|here|in)\b[^.:;,?!\n]*?)?"
# A subject that is the answer, such as `The relationship between the sentences is`.
KEYED = rf"(?P<key>(?:{QUALIFIERS}{KEY}{ABOUT}(?:{IS}:?|\s*[:=–—→]|\s+-)\s*)+)"
# A subject that may be the answer.
SUBJECT = (
    rf"(?:(?:it|this|that|(?:the|this) (?:hypothesis|statement|claim))(?:{IS}| must be)\s+"
    r"|(?:it|this|the hypothesis|they|the (?:two )?(?:sentences|statements))\s+(?=contradict)"
    r"|the premise\s+(?=entails|contradicts))"
)
LEADING_WORD = (
    r"(?:so|thus|therefore|hence|overall|finally|consequently|accordingly|sure|okay|ok|yes|in (?:conclusion|summary"
    r"|short|this case))\b[,:!]?\s+"
)
LEADING = re.compile(r"\A" + LEADING_WORD, re.IGNORECASE)
INTRODUCTION = (
    rf"(?:{LEADING_WORD}|(?:based on|given|since|because|as|considering)\b[^.?!]*?,\s+"
    rf"|(?!if|unless|suppose|assum|some|one\b)[^.?!:\n]*,\s(?:so|thus|therefore|hence)\s(?={QUALIFIERS}{KEY}\b))?"
    r"(?:(?:I (?:think|believe|conclude)|I(?: would|['’]d) say)(?: that)?:?\s+)?"
)
CHOSEN = r"I(?: will|['’]ll| would|['’]d)? (?:say|choose|pick|select|go with|answer)\s+"
BEFORE_LABEL = (
    r"(?:(?:most |very )?(?:definitely|clearly|certainly|probably|likely|therefore|thus|simply|just)\s+)?"
    r"(?:(?:an?|the|option|choice|letter)\s+)?['‘(]*"
)
AFTER_LABEL = (
    r"(?=['’)]*(?:[^\w?]*$|\s*[.,;:!(–—]|\)|\s+-|\s+(?:because|since|as|given|due to|rather than)\b"
    r"|\s+(?:(?:by|to|towards?|with|with respect to|regarding|of)\s+)?(?:(?:the|each|one|its)\s+)?"
    r"(?:premise|hypothesis|other|another|it)\b"
    rf"|\)?\s+is\s+(?:the\s+)?(?:correct|right|best|answer)(?:\s+{KEY})?[^\w?]*$))"
)
# What makes a label no statement if it follows, as in `Entailment: not given` or `Entailment, if he is alone`.
HEDGE = (
    r"[^\w.!?\n]*(?:no\b(?=\W*(?:$|[.,;:!\n]))|(?:not|never|cannot|isn['’]t|if|unless|only|assuming|provided|would|might|may"
    r"|could|had|except|false|wrong|maybe|perhaps|possibly)\b)"
)
DENIAL = re.compile(
    r"\b(?:no|not|nor|neither|never|cannot|without|nothing|none|nobody|hardly|unlike|rather than|instead of|only if"
    r"|unless|would (?:need|require|have to)|too (?:strong|weak)|rule[sd]? out|excluded)\b|n['’]t\b",
    re.IGNORECASE,
)
RETRACTION = re.compile(
    r"\b(?:correction|correcting|actually|I meant?|edit:|oops|on (?:second thought|reflection)|upon reflection"
    r"|scratch that|strike that|mistaken?|wrong|incorrect|reconsider\w*|let me (?:re\w+|check|double)|sorry|apolog\w+"
    r"|hm+|change my (?:mind|answer)|revis\w+)\b|\bwait\s*[,.:;!–—…-]"
    r"|(?:^|[.!?\n–—-]\s*)(?:but |oh,? )?(?:no\s*[,.:;!–—]|wait\b)"
    r"|\bbut wait\b",
    re.IGNORECASE,
)
CLAUSE_END = re.compile(
    r"(?<=[.!?])\s+|\n|[;:–—]|\b(?:but|so|thus|hence|therefore|rather(?! than)|instead(?! of))\b", re.IGNORECASE
)
SENTENCE = re.compile(r"[^\W_].*?(?:(?<=[.!?])(?=[\"')]*\s)|(?=\n)|\Z)", re.DOTALL)


@dataclass(frozen=True)
class LabelWords:
    """How the labels of a data set can be spelled.

    Attributes:
        spellings: Patterns and their labels.
        named: Finds a label.
        denied: Finds a label that is denied, as in `It is not neutral`.
        hedged: Finds what takes a label back that stands before it.
        statement: Finds a sentence that states a label.
    """

    spellings: tuple[tuple[str, str], ...]
    named: re.Pattern[str]
    denied: re.Pattern[str]
    hedged: re.Pattern[str]
    statement: re.Pattern[str]

    def value(self, text: str) -> str | None:
        """Return the label that a text states as the value of an answer; `SEVERAL_LABELS` if it names others."""
        return self._alone(text) or self._checked(text, self.statement.match(text))

    def stated(self, text: str) -> str | None:
        """Return the label that a reply states; `SEVERAL_LABELS` if it names another one after it."""
        if found := self._alone(text):
            return found
        sentences = [each for each in SENTENCE.finditer(text) if not each[0].rstrip("\"') ").endswith("?")]
        matches = [self.statement.match(text, each.start(), each.end()) for each in sentences]
        if keyed := [match for match in matches if match is not None and match["key"]]:
            return self._checked(text, keyed[-1])
        ends = [self._alone(LEADING.sub("", each[0])) for each in sentences[-2:]]
        first = matches[0] if matches and (len(matches) == 1 or not matches[0] or not matches[0]["subject"]) else None
        if not ends or ends[-1] is None:
            return self._checked(text, first)
        others = {*ends, None if first is None else self._label(first["label"])} - {None, ends[-1]}
        return SEVERAL_LABELS if others else ends[-1]

    def only(self, text: str, label: str) -> str:
        """Return a label, or `SEVERAL_LABELS` if the text after it takes it back, denies it or names another one."""
        denied = label in {self._label(match["label"]) for match in self.denied.finditer(text)}
        others = any(
            {self._label(match[0]) for match in self.named.finditer(clause)} - {label}
            and not DENIAL.search(self.named.sub("", clause))
            for clause in CLAUSE_END.split(text)
        )
        return SEVERAL_LABELS if denied or others or RETRACTION.search(text) else label

    def _checked(self, text: str, match: re.Match[str] | None) -> str | None:
        """Return the label of a statement in a text."""
        if match is None or self.hedged.match(text, match.end()):
            return None
        return self.only(text[match.end() :], self._label(match["label"]))

    def _alone(self, text: str) -> str | None:
        """Return the label that a text is, apart from punctuation; `SEVERAL_LABELS` if it is different ones."""
        found = {self._label(match[0]) for match in self.named.finditer(text)}
        if not found or "?" in text or re.search(r"[^\W_]", self.named.sub("", text)):
            return None
        return found.pop() if len(found) == 1 else SEVERAL_LABELS

    def _label(self, spelled: str) -> str:
        return next(label for pattern, label in self.spellings if re.fullmatch(pattern, spelled, re.IGNORECASE))


@lru_cache
def label_words(labels: tuple[str, ...], words: tuple[str, ...], *, letters: bool) -> LabelWords:
    """Return how labels can be spelled.

    Args:
        labels: The labels.
        words: Other words that a prompt asks for, one per label; empty if it asks for the labels.
        letters: Whether A, B, … are labels, too.
    """
    nli = are_nli(labels)
    spellings = [
        (pattern, label)
        for word, label in zip(words or (() if nli else labels), labels, strict=False)
        for pattern in (_pattern(word), *([NOT + _pattern(word[4:])] if word.casefold().startswith("not_") else []))
    ]
    spellings += [(NLI_FORMS[name], name) for name in NLI_FORMS if nli and name in {*labels, *NLI_LABELS}]
    spellings += [
        (LETTER.format(chr(65 + number), "" if number else NO_ARTICLE, chr(97 + number)), label)
        for number, label in enumerate(labels if letters else ())
    ]
    longest_first = sorted((pattern for pattern, _ in spellings), key=len, reverse=True)
    label = rf"(?P<label>(?<![^\W_])(?:{'|'.join(longest_first)})(?![^\W_]))"
    marker = "" if letters else r"(?:(?:option\s+)?\(?[A-Z]\)?[).:]?\s+(?=\w))?"
    subject = rf"{INTRODUCTION}{KEYED}?(?P<subject>{SUBJECT}|{CHOSEN})?{BEFORE_LABEL}"
    patterns = (
        label,
        rf"(?:\bnot|n['’]t)\s+(?:\w+ly\s+)?(?:an?\s+)?{label}",
        rf"(?![^\w.!?\n]*not\s+(?:an?\s+)?{label}){HEDGE}",
        rf"[\W_]*{subject}{marker}{label}{AFTER_LABEL}",
    )
    return LabelWords(tuple(spellings), *(re.compile(pattern, re.IGNORECASE) for pattern in patterns))


def _pattern(word: str) -> str:
    """Return a pattern of a word, in which underscores may be spaces."""
    return re.sub(r"_|\\ ", r"[\\s_-]", re.escape(word))
