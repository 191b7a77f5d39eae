"""The closed list of sentences that state a label, and of what may stand before and after them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from merge_snli.dataset.label_spellings import are_nli
from merge_snli.schema import NLI_LABELS

NOT = r"(?:not|non)[\s_-]+(?:an?\s+)?"
NLI_FORMS = {
    "not_entailment": NOT + r"entail(?:ment|ed|s|ing)?",
    "entailment": r"entail(?:ment|ed|s|ing)?",
    "neutral": r"neutral(?:ity)?",
    "contradiction": r"contradict(?:ion|ory|ed|s|ing)?",
}
# What follows a label that is also an article or a determiner: A, no, neither.
ALONE = r"(?=\W*$|\s*[\n).,:;(–—/-]|\s(?:is|it|or|and|because|since|also|may|cannot|would)\b)"
# A capital letter, or a small one alone or before a parenthesis; within a sentence a capital A is no article.
LETTERS = (rf"(?-i:A{ALONE}|(?<=[a-z,;]\s)A(?=\s[a-z])|a(?=\)|\W*$))", r"(?-i:{}|{}(?=\)|\W*$))")
KEY = (
    r"(?:answer|label|relation(?:ship)?|prediction|classification|conclusion|verdict|judge?ment|option|choice|letter"
    r"|result|response|output|antwort)"
)
QUALIFIERS = r"(?:(?:the|my|final|correct|right|best|most|likely|appropriate|logical|nli|predicted|die|richtige)[ _-])*"
# How a sentence begins that is about the answer, or states a label. OTHER is any label.
SUBJECT = rf"""
(?:(?!OTHER)(?:so(?=[,:]|\s(?:the|my)\b)|thus|therefore|hence|overall|finally|sure|yes|in\s(?:conclusion|summary
    |this\scase))\b[,:]?\s+){{0,2}}
(?:(?:(?:as\sa|based|given|from|for\sthese|to|all|after)\b(?![^,]{{0,80}}\b(?:\w*other|different|wrong|if|not)\b)
        |(?!if|had)[^.?:\n]{{0,200}}?,\s(?:so|thus|therefore|hence)\b)
    [^.?:\n]{{0,80}}?,?\s(?={QUALIFIERS}{KEY}\b))?
(?:I\s(?:think|believe)(?:\sthat)?\s|here\sis\s|not\s(?:an?\s)?OTHER,?\sbut\s)?
(?P<subject>
    (?P<key>
        (?:{QUALIFIERS}{KEY}(?:\s(?:here|(?:between|of|for)(?:\s(?:the(?:se)?|two|given|and|pair|premise|\w+s))+))?
            (?:(?:['’]s|\s(?:is|(?:w|sh)ould\sbe|lautet|(?:can|should)\sbe\sclassified\sas))(?:\sone\sof|\stherefore)?:?
                |\s*[:=–—→]|\s-)\s*)+
        |I(?:\swill|['’]ll|\swould|['’]d)?\s(?:say|choose|pick|select|go\swith|answer|conclude
            |(?:label|classify)\s(?:it|this)(?:\sas)?)(?:\sthat)?:?\s)?
    (?P<pronoun>
        (?:it|this(?:\s(?:one|example))?|that|they|these|(?:the|this)\s(?:hypothesis|statement|claim|meaning
                |(?:sentence\s)?pair|(?:two\s)?(?:sentence|question)s))
            (?:['’]s|\s(?:is|are|must\sbe))\s(?:(?:classified|labell?ed)\s(?:as\s)?)?
        |(?:it|they|the\s(?:hypothesis|premise|(?:two\s)?sentences))\s(?=contradict)
        |the\s(?:premise|evidence)\s(?=entails|supports|refutes))?)
"""
# How it states a label, and what may follow in the sentence: nothing, a denial of another label, or a reason without
# a second predicate or a limit. What follows a colon or a dash speaks of the texts, not of the label.
PREDICATE = rf"""
(?:(?:most\s)?(?:definitely|clearly|probably|likely)\s)?
(?P<stated>(?-i:(?:an?|An|[Tt]he|(?:[Tt]he\s)?[Oo]ption)\s)?['‘(]*MARKER(?P<label>OTHER)
    (?:[\s.,:;)(/–—-]{{1,4}}OTHER(?=[\s.,:;)(/–—-]{{1,4}}OTHER))*+(?:[\s.,:;)(/–—-]{{1,4}}OTHER)?['’)]*+
    (?:(?:\s(?:by|to|of|with(?:\srespect\sto)?))?(?:\s(?:the|each))?\s(?:premise|hypothesis|other|it|claim)\b)?
    (?:\s(?:is\s(?:the\s)?(?:correct|right|best|answer)(?:\s{KEY})?|it\sis)
        |\s\((?:confidence:\s)?(?:high|[5-9]\d\s?%)\))?)
(?:(?!\s*\.\.)[\s.,;:!)\]}}'’]*\Z
|(?P<more>
    (?:[\s,:;(–—-]*\b(?:and\s)?(?:not|rather\sthan|instead\sof|(?:it\sis\s)?neither)\s(?:an?\s)?OTHER
    |(?!.*?(?:,\s(?:does|is|are|can|would|has|fails)\b|\b(?:but|though|unless|if|only)\b))
        (?:\s(?:because(?!\sof)|since)\b
        |(?(key),?|(?(pronoun),?|,))\s(?:because|since|due\sto|given|as\s(?:the|there|both))\b
        |(?:[,:;(–—]|\s\(|\s[–—-])\s?
            (?!.*?(?:\b(?:too|this|it|so|there|such|otherwise|{KEY}|that\sis|not\s(?:support|hold|go))\b|\bthat\W*\Z))
            (?:the|an?|both|he|she)\s\S+\s(?=.*?(?:\b(?:is|are|has|can|cannot|says|does)\b|n['’]t))))
    [^?\n]*\Z))
"""
# How a clause denies the label that stands at @.
DENIED = r"""
(?:\b(?:not|nor?|never|neither|cannot|without|rather\sthan|instead\sof|far\sfrom|nothing\sis|exclud\w+|rul\w+\sout)
        |n['’]t)\s
    (?:(?:does|is)\sit\s)?(?:(?:be|an?|the|necessarily|clear|called|(?:evidence|reason)\s(?:of|for))\s)*
    (?:OTHER\s(?:the\s\w+\s)?(?:or|and)\s(?:an?\s)?)?@
|\bfor\sit\sto\sbe\s(?:an?\s)?@|\bwould\s(?:only\s)?be\s(?:an?\s)?@\s(?:only\s)?if\b
|@\W*(?:[^,]*,\s)?
    (?:would\s(?:need|require)(?!\s(?:no|only)\b)|is\stoo\s(?:strong|weak)
        |(?:is|does)(?:\snot|n['’]t)\s(?:right|correct|given|supported|hold|apply|fit))\b
"""
DENIED_ITSELF = re.compile(
    r"(?:\b(?:not|never|cannot|longer|only|less|was|far|rul\w+ out|exclud\w+)|n['’]t)\s(?:\w+\s){0,2}@|@.*\?"
    r"|\bno @ \w|@ (?:only|(?:it )?(?:is|does)(?: not|n['’]t))\b",
    re.IGNORECASE,
)
# What denies something, once in a clause, or introduces a label that is not the answer.
DENIAL = re.compile(
    r"\b(?:not?|never|neither|nothing|cannot|without|except|but|least|wrong|incorrect|bad|avoid|exclud\w*|reject\w*"
    r"|other|options|possible|example|format|rul\w+ out|far from)\b|n['’]t\b|[≠¬~]|!=",
    re.IGNORECASE,
)
# What is not of the clause of a label: before it, and after it. No clause is longer than so many characters on a side.
CLAUSE = 200
CLAUSE_BEFORE = re.compile(r"\A.*(?:[.!?,;:()\n–—→]|\b(?:but|so|because|and it)\b)", re.IGNORECASE | re.DOTALL)
CLAUSE_AFTER = re.compile(r"(?:(?<=\?)|(?=[.!;\n])).*", re.DOTALL)
# What takes an answer back.
TAKEN_BACK = re.compile(
    r"\b(?:correction|actually|edit|oops|scratch|mistaken?|wrong|incorrect|second thought|on reflection|sorry|hm+|wait"
    r"|discarded|doubt|opposite|reverse|not be excluded|not support (?:it|this|that)"
    r"|(?:this|that|other) (?:answer|label))\b"
    r"|(?:\A|[.!?,\n]\s*)I\b(?! hope)",
    re.IGNORECASE,
)
# A sentence that explains an answer: about the texts, a heading, or one that does not refer to the answer.
EXPLANATION = re.compile(
    r"(?:the|this|both) (?:premise|hypothesis|texts?|sentences?|statements?|evidence)\b"
    r"|this (?:means|follows|is because)|(?:let me know|(?:I )?hope|here is why)\b"
    r"|(?:explanation|reason\w*|why|confidence|score|note)\W*(?:\Z|:)"
    r"|(?!.*\b(?:I|my|mine|me|you|(?:this|it|so|that)(?=\W*\Z))\b)"
    r"(?:(?:however, )?(?:the|an?|both|he|she|they|it(?= \S+ \S+ )|there|we|no|nothing|because|while)\s\S+\s+\S"
    r"|(?!(?:but|or|yet|if|only|unless|except|not|let|to|as|under|with)\b|.*\b(?:this|that|it)\b)(?:\S+\s+){4})",
    re.IGNORECASE,
)
# What introduces a label, in the line before it; it must begin or end as such, and deny nothing. A line that ends like
# a sentence introduces a label if it says so.
INTRODUCTION, ANNOUNCEMENT = (
    re.compile(rf"(?:\A|(?<=[.!]))[^\w.!]*+(?P<text>\w[^.!]*{end})", re.IGNORECASE)
    for end in (r"(?:[:?→]|\b(?:not|is))\Z", r"\b(?:following|below)\b.*")
)
UNEQUAL = re.compile(r"(?:[≠¬~]|!=)\Z")
INTRODUCING = re.compile(
    r"[^:→]*[?.!]\s*\Z|\W*(?:\w+[,!] )?(?:here|let|based on|step|after|on reflection|so|thus|therefore|hence|final"
    rf"|{QUALIFIERS}{KEY})\b|.*\b(?:analysis|reasoning|conclu\w+|summary)\W*\Z",
    re.IGNORECASE,
)
OPEN_LINE = re.compile(r"[^\s.!?…:)\]|] *\n[ \t]*\Z")
SENTENCE = re.compile(r"[^\W_].*?(?:(?<=[.!?…])(?<!vs\.)(?=[\"')]*\s)|(?=\n)|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class LabelWords:
    """How the labels of a data set can be spelled.

    Attributes:
        spellings: Patterns and their labels.
        named: Finds a label.
        subject: Matches the beginning of a sentence about the answer.
        statement: Matches a sentence that states a label.
        denied: Finds a denial in a clause that has `@` in place of a label.
    """

    spellings: tuple[tuple[str, str], ...]
    named: re.Pattern[str]
    subject: re.Pattern[str]
    statement: re.Pattern[str]
    denied: re.Pattern[str]

    def names(self, text: str) -> set[str]:
        """Return the labels that a text names."""
        return {self._label(spelled) for spelled in {*self.named.findall(text)}}

    def stated(self, text: str) -> str | None:
        """Return the label that a reply states; None if it states none, or does not let it stand."""
        if not re.search(r"[^\s.,!()'’/|]|\.\.", self.named.sub("", text)):
            found = self.names(text)
            return found.pop() if len(found) == 1 else None
        if not self.named.search(text):
            return None
        about = []
        matches = []
        for sentence in SENTENCE.finditer(text):
            matched = self.named.search(text, *sentence.span()) and self.statement.match(text, *sentence.span())
            subject = self.subject.match(text, *sentence.span())
            if subject and subject["key"]:
                about.append(matched)
            if not sentence[0].rstrip("\"') ").endswith("?"):
                matches.append(matched)
        bare = [match for match in (*matches[:1], *matches[-2:]) if match and not match["subject"]]
        last = [match for match in matches[-1:] if match in bare and not match["more"]]
        first = [match for match in matches[:1] if match in bare or len(matches) == 1]
        stated = next(iter(about[-1:] or last or first), None)
        rivals = [match for match in about if match and "final" in match["key"].casefold()] if about else bare
        if stated is None or {self._label(match["label"]) for match in rivals} - {self._label(stated["label"])}:
            return None
        return self._label(stated["label"]) if self._stands(text, stated) else None

    def _stands(self, text: str, stated: re.Match[str]) -> bool:
        """Return whether what introduces and what follows a statement let it stand."""
        before, after, label = text[: stated.start()], text[stated.end("stated") :], self._label(stated["label"])
        introduction = _introduction(before)
        if introduction and (DENIAL.search(introduction) or not INTRODUCING.match(introduction)):
            return False
        if TAKEN_BACK.search(after) or (not stated["subject"] and OPEN_LINE.search(before)):
            return False
        for later in {each[0] for each in SENTENCE.finditer(text, stated.end())}:
            if not (EXPLANATION.match(later) or self.names(later) - {label} or self.statement.match(later)):
                return False
        mentions = {_clause(mention) for mention in self.named.finditer(text, stated.end("label"))}
        return not any(self._contradicts(label, *mention) for mention in mentions)

    def _contradicts(self, label: str, before: str, mention: str, after: str) -> bool:
        """Return whether a later mention of a label names another one and does not deny it, or denies the same one."""
        clause = f"{before}@{after}"
        if self._label(mention) == label:
            return bool(DENIED_ITSELF.search(clause))
        return "?" in clause or len(DENIAL.findall(before)) > 1 or not self.denied.search(clause)

    def _label(self, spelled: str) -> str:
        return next(label for pattern, label in self.spellings if re.fullmatch(pattern, spelled, re.IGNORECASE))


def _clause(mention: re.Match[str]) -> tuple[str, str, str]:
    """Return what is before a label in its clause, the label, and what is after it, at most 200 characters of each."""
    text, start, end = mention.string, *mention.span()
    before, after = text[max(0, start - CLAUSE) : start], text[end : end + CLAUSE]
    return CLAUSE_BEFORE.sub("", before, count=1), mention[0], CLAUSE_AFTER.sub("", after)


def _introduction(before: str) -> str | None:
    """Return what in a text introduces a label after it; None if nothing does."""
    line = before.rstrip().rpartition("\n")[2]
    if UNEQUAL.search(line):
        return line[-2:]
    found = (ANNOUNCEMENT if line.endswith((".", "!")) else INTRODUCTION).search(line)
    return None if found is None else found["text"]


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
        (LETTERS[number > 0].format(chr(65 + number), chr(97 + number)), label)
        for number, label in enumerate(labels if letters else ())
    ]
    longest_first = sorted((pattern for pattern, _ in spellings), key=len, reverse=True)
    other = rf"(?<![^\W_])(?:{'|'.join(longest_first)})(?![^\W_])"
    marker = "" if letters else r"(?-i:\(?[A-J]\)?[).:]?\s+)?"
    named, subject, statement, denied = (
        re.compile(pattern.replace("MARKER", marker).replace("OTHER", other), re.IGNORECASE | re.VERBOSE)
        for pattern in ("OTHER", SUBJECT, SUBJECT + PREDICATE, DENIED)
    )
    return LabelWords(tuple(spellings), named, subject, statement, denied)


def _pattern(word: str) -> str:
    """Return a pattern of a word, in which underscores may be spaces, and which may be in the plural."""
    return re.sub(r"_|\\ ", r"[\\s_-]+", re.escape(word)) + (ALONE if word.casefold() in ("no", "neither") else "s?")
