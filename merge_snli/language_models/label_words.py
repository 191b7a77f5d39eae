"""Find the label that a text states, in a closed list of sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from merge_snli.dataset.label_spellings import ANSWERS_TO_QUESTIONS, NEUTRAL, SPELLINGS, Labels, are_nli
from merge_snli.language_models.statements import (
    ALONE,
    ANNOUNCEMENT,
    CLAUSE,
    CLAUSE_AFTER,
    CLAUSE_BEFORE,
    DENIAL,
    DENIED,
    DENIED_ITSELF,
    EXPLANATION,
    INTRODUCING,
    INTRODUCTION,
    LETTERS,
    NLI_FORMS,
    NOT,
    OPEN_LINE,
    PREDICATE,
    SENTENCE,
    SUBJECT,
    SYNONYMOUS,
    TAKEN_BACK,
    UNDECIDED,
    UNEQUAL,
    VALUED,
)
from merge_snli.schema import NLI_LABELS

# Spellings of labels in data sets that also answer other questions, or are nouns.
UNCERTAIN = ANSWERS_TO_QUESTIONS | {"neither", "support"}


@dataclass(frozen=True)
class LabelWords:
    """How the labels of a data set can be spelled.

    Attributes:
        spellings: Patterns and their labels.
        synonymous: Finds a line or a sentence that is nothing but a synonym, whose last group is named as its label.
        named: Finds a label.
        subject: Matches the beginning of a sentence about the answer.
        statement: Matches a sentence that states a label.
        denied: Finds a denial in a clause that has `@` in place of a label.
        valued: Finds a label with a number, or with whether it is right.
    """

    spellings: tuple[tuple[str, str], ...]
    synonymous: re.Pattern[str]
    named: re.Pattern[str]
    subject: re.Pattern[str]
    statement: re.Pattern[str]
    denied: re.Pattern[str]
    valued: re.Pattern[str]

    def names(self, text: str) -> set[str]:
        """Return the labels that a text names."""
        return {self._label(spelled) for spelled in {*self.named.findall(text)}}

    def is_label(self, text: str) -> bool:
        """Return whether a text is a label and nothing else, but for punctuation."""
        return self.named.fullmatch(text.strip(" .\"'*")) is not None

    def stated(self, text: str) -> str | None:
        """Return the label that a reply states; None if it states none, or does not let it stand."""
        text = self.synonymous.sub(lambda match: f"{match['before']}{match.lastgroup}", text)
        if not re.search(r"[^\s.,!()'’/|]|\.\.", self.named.sub("", text)):
            found = self.names(text)
            return found.pop() if len(found) == 1 else None
        if not self.named.search(text):
            return None
        return self._in_a_sentence(text) or self._likeliest(text)

    def _in_a_sentence(self, text: str) -> str | None:
        """Return the label that a sentence states, if no other one states another and the text lets it stand."""
        about = []
        matches = []
        for sentence in SENTENCE.finditer(text):
            matched = self.named.search(text, *sentence.span()) and self.statement.match(text, *sentence.span())
            subject = self.subject.match(text, *sentence.span())
            if subject and subject["key"]:
                about.append(matched)
            if not sentence[0].rstrip("\"') ").endswith("?"):
                matches.append(matched)
        if about:
            stated = about[-1]
            rivals = _rivals(about, text)
        else:
            stated = _alone(matches)
            rivals = [match for match in (*matches[:1], *matches[-2:]) if match and not match["subject"]]
        if stated is None:
            return None
        label = self._label(stated["label"])
        if any(self._label(rival["label"]) != label for rival in rivals):
            return None
        return label if self._stands(text, stated) else None

    def _likeliest(self, text: str) -> str | None:
        """Return the label with more than half of the sum, if all labels that a text names have numbers."""
        shares = {}
        for entry in self.valued.finditer(text):
            shares[self._label(entry["label"])] = float(entry["number"] or bool(entry["yes"]))
        if len(shares) < 2 or self.named.search(self.valued.sub("", text)):
            return None
        best = max(shares, key=shares.__getitem__)
        return best if 2 * shares[best] > sum(shares.values()) else None

    def _stands(self, text: str, stated: re.Match[str]) -> bool:
        """Return whether what introduces and what follows a statement let it stand."""
        before = text[: stated.start()]
        after = text[stated.end("stated") :]
        label = self._label(stated["label"])
        introduction = _introduction(before)
        if introduction and (DENIAL.search(self.named.sub("", introduction)) or not INTRODUCING.match(introduction)):
            return False
        if TAKEN_BACK.search(after) or (not stated["subject"] and OPEN_LINE.search(before)):
            return False
        for later in {each[0] for each in SENTENCE.finditer(text, stated.end())}:
            if not (EXPLANATION.match(later) or self.names(later) - {label} or self.statement.match(later)):
                return False
        mentions = {_around(mention) for mention in self.named.finditer(text, stated.end("label"))}
        return not any(self._contradicts(label, *mention) for mention in mentions)

    def _contradicts(self, label: str, before: str, mention: str, after: str) -> bool:
        """Return whether a later mention of a label names another one and does not deny it, or denies the same one."""
        before = CLAUSE_BEFORE.sub("", before, count=1)
        clause = f"{before}@{CLAUSE_AFTER.sub('', after)}"
        if self._label(mention) == label:
            return bool(DENIED_ITSELF.search(clause))
        return "?" in clause or len(DENIAL.findall(before)) > 1 or not self.denied.search(clause)

    def _label(self, spelled: str) -> str:
        return next(label for pattern, label in self.spellings if re.fullmatch(pattern, spelled, re.IGNORECASE))


def _alone(matches: Sequence[re.Match[str] | None]) -> re.Match[str] | None:
    """Return the statement of a label in the last sentence, if that has nothing else, or in the first one.

    Args:
        matches: The statement in each sentence; None if it has none.
    """
    if not matches:
        return None
    first, last = matches[0], matches[-1]
    if last and not last["more"] and _says_what_it_is(last):
        return last
    if first and (len(matches) == 1 or _says_what_it_is(first)):
        return first
    return None


def _says_what_it_is(match: re.Match[str]) -> bool:
    """Return whether a sentence is a label, or says that the pair has it; that it is true may be said of anything."""
    pronoun = match["pronoun"]
    if not pronoun:
        return not match["subject"]
    return match["label"].casefold() not in ANSWERS_TO_QUESTIONS or pronoun.casefold().startswith("the")


def _rivals(about: Sequence[re.Match[str] | None], text: str) -> list[re.Match[str]]:
    """Return the statements of the answer that the last one must agree with: final ones, or one just before it."""
    final = [match for match in about if match and "final" in match["key"].casefold()]
    if final or len(about) < 2:
        return final
    before, last = about[-2:]
    if before is None or last is None or text[before.end() : last.start()].strip(" .\n"):
        return []
    return [before]


def _around(mention: re.Match[str]) -> tuple[str, str, str]:
    """Return what is before a label, the label, and what is after it, as far as its clause may go."""
    text, start, end = mention.string, *mention.span()
    return text[max(0, start - CLAUSE) : start], mention[0], text[end : end + CLAUSE]


def _introduction(before: str) -> str | None:
    """Return what in a text introduces a label after it; None if nothing does."""
    line = before.rstrip().rpartition("\n")[2]
    if UNEQUAL.search(line):
        return line[-2:]
    found = (ANNOUNCEMENT if line.endswith((".", "!")) else INTRODUCTION).search(line)
    return None if found is None else found["text"]


@lru_cache
def label_words(labels: Labels, words: tuple[str, ...], *, letters: bool) -> LabelWords:
    """Return how labels can be spelled.

    Args:
        labels: The labels.
        words: Other words that a prompt asks for, one per label; empty if it asks for the labels.
        letters: Whether A, B, … are labels, too.
    """
    nli = are_nli(labels)
    spellings = []
    for word, label in zip(words or (() if nli else labels), labels, strict=False):
        spellings.append((_pattern(word), label))
        if word.casefold().startswith("not_"):
            spellings.append((NOT + _pattern(word[4:]), label))
    if nli:
        spellings += [(NLI_FORMS[name], name) for name in NLI_FORMS if name in {*labels, *NLI_LABELS}]
    if letters:
        for number, label in enumerate(labels):
            spellings.append((LETTERS[number > 0].format(chr(65 + number), chr(97 + number)), label))
    longest_first = sorted((pattern for pattern, _ in spellings), key=len, reverse=True)
    other = rf"(?<![^\W_])(?:{'|'.join(longest_first)})(?![^\W_])"
    marker = "" if letters else r"(?-i:\(?[A-J]\)?[).:]?\s+)?"

    def compiled(pattern: str) -> re.Pattern[str]:
        pattern = pattern.replace("MARKER", marker).replace("OTHER", other)
        return re.compile(pattern, re.IGNORECASE | re.VERBOSE)

    named = compiled("OTHER")
    return LabelWords(
        tuple(spellings),
        compiled(SYNONYMOUS.replace("SYNONYM", _synonyms(named) if nli else r"(?!)")),
        named,
        compiled(SUBJECT),
        compiled(SUBJECT + PREDICATE),
        compiled(DENIED),
        compiled(VALUED),
    )


def _synonyms(named: re.Pattern[str]) -> str:
    """Return a pattern of the spellings of labels of NLI in data sets, but for letters and those that are named."""
    groups = []
    for label, names in SPELLINGS.items():
        patterns = [UNDECIDED] if label == NEUTRAL else []
        for name in names - UNCERTAIN:
            if len(name) > 2 and not named.search(name):
                patterns.append(name.replace("_", r"[\W_]+"))
        if patterns:
            groups.append(f"(?P<{label}>{'|'.join(patterns)})")
    return "|".join(groups)


def _pattern(word: str) -> str:
    """Return a pattern of a word, in which underscores may be spaces, and which may be in the plural."""
    return re.sub(r"_|\\ ", r"[\\s_-]+", re.escape(word)) + (ALONE if word.casefold() in ("no", "neither") else "s?")
