"""Read the label that a language model answers; an unclear answer is no answer."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = ("answer", "label", "relation", "relationship", "prediction")
REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
MARKER = re.compile(
    rf"(?:\b(?:{'|'.join(KEYS)})\b[^\w\n]*(?:is\b[^\w\n]*)?|\\boxed\{{(?:\\text\{{)?)(?P<value>[^\n]+)", re.IGNORECASE
)
LABEL = re.compile(
    r"(?P<not_entailment>\b(?:not?|non)[ _-]?entail(?:ment|ed|s)?\b)|(?P<entailment>\bentail(?:ment|ed|s)?\b)"
    r"|(?P<neutral>\bneutral(?:ity)?\b)|(?P<contradiction>\bcontradict(?:ion|ory|ed|s)?\b)",
    re.IGNORECASE,
)
NEGATION = re.compile(r"\b(?:no|not|nor|neither|never|cannot|rather|instead)\b|n['’]t\b", re.IGNORECASE)
CLAUSE_END = re.compile(r"[.,:;!?)}\]–—\n]|\s(?:-|because|since|as)\s")


def read_answer(text: str, labels: Sequence[str]) -> str | None:
    """Read the label in a model's answer.

    Understood are, in this order: a JSON object or string; the last `Answer: …`; the last line; a label alone at the
    start. A label is its name or a form of it (`entails`), or its letter (A is the first label).

    Args:
        text: What the model wrote.
        labels: The labels of the data set, in the order in which letters count them.

    Returns:
        One of `labels`; None if the answer names none, several, or negates one.

    Examples:
        >>> read_answer("**Neutral.**", ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer('{"answer": "B"}', ("entailment", "neutral", "contradiction"))
        'neutral'
        >>> read_answer("It is entailment or neutral.", ("entailment", "neutral", "contradiction")) is None
        True
    """
    final = REASONING.sub("", text).strip()
    if not final:
        return None
    value = _json_value(final)
    if value is not None:
        return _exact(value, labels)
    marked = [match["value"] for match in MARKER.finditer(final)]
    last_line = final.splitlines()[-1]
    for part in (*marked[-1:], last_line):
        if answer := _exact(part, labels) or _first_clause(part, labels) or _only_label(part, labels):
            return answer
    return _first_clause(final, labels)


def _json_value(text: str) -> str | None:
    """Return the answer in the last JSON object of a text, or the text as a JSON string; None if there is neither."""
    for candidate in (*reversed(re.findall(r"\{[^{}]*\}", text)), text):
        try:
            value = json.loads(candidate)
        except ValueError:
            continue
        if isinstance(value, dict):
            value = next((each for name, each in value.items() if name.lower() in KEYS), None)
        if isinstance(value, str):
            return value
    return None


def _exact(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that the whole text spells, or whose letter it is, apart from punctuation."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", text)
    letters = {chr(ord("A") + number): label for number, label in enumerate(labels)}
    word = LABEL.fullmatch(bare)
    name = letters.get(bare.upper()) if word is None else word.lastgroup
    return name if name in labels else None


def _first_clause(text: str, labels: Sequence[str]) -> str | None:
    """Return the label that stands alone before the first punctuation, if the rest names no other one."""
    bare = text.lstrip("(*_`\"' ")
    end = CLAUSE_END.search(bare)
    answer = None if end is None else _exact(bare[: end.start()], labels)
    return None if answer is None or _named(text) - {answer} else answer


def _only_label(text: str, labels: Sequence[str]) -> str | None:
    """Return the only label that a text names, unless the text negates."""
    named = _named(text)
    if len(named) != 1 or NEGATION.search(LABEL.sub("", text)):
        return None
    (label,) = named
    return label if label in labels else None


def _named(text: str) -> set[str]:
    """Return the labels whose words occur in a text."""
    return {match.lastgroup for match in LABEL.finditer(text) if match.lastgroup is not None}
