"""What texts hold besides sentences: HTML and control characters, which are counted, and never replaced."""

import re
from collections import Counter
from dataclasses import dataclass, field

from merge_snli.base.errors import brief
from merge_snli.base.table import count

# A character reference such as `&amp;` or `&#39;`, or a tag such as `<b>`.
HTML = re.compile(r"&(?:[A-Za-z]{2,}\d*|#\d+|#[xX][\dA-Fa-f]+);|</?[A-Za-z][^<>]*>")
# Control characters other than the tab and the ends of lines.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")

KINDS = {"HTML": HTML, "control characters": CONTROL}


def is_in_html(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text overlaps a character reference or a tag.

    Examples:
        >>> text = "A dog &amp; a <b>cat</b>"
        >>> is_in_html(text, 7, 10), is_in_html(text, 2, 5)
        (True, False)
    """
    return any(found.start() < end and start < found.end() for found in HTML.finditer(text))


@dataclass
class MarkupCheck:
    """Counts the texts with HTML or control characters, and keeps one example of each kind."""

    numbers: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def add(self, location: str, *texts: str) -> None:
        """Add the texts of a problem."""
        for text in texts:
            for kind, pattern in KINDS.items():
                found = pattern.search(text)
                if found is not None:
                    self.numbers[kind] += 1
                    self.examples.setdefault(kind, f"{brief(found[0], 40)} ({location})")

    def messages(self) -> list[str]:
        """Return a sentence on each kind that was found."""
        found = []
        for kind, number in self.numbers.items():
            found.append(f"{count(number, 'text')} with {kind}, such as {self.examples[kind]}")
        return found
