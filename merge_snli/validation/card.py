"""Whether the card says what the record and the data say."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import yaml

from merge_snli import __version__
from merge_snli.card import render_card
from merge_snli.dataset import CARD_FILE
from merge_snli.errors import reason
from merge_snli.schema import ALL, SEED, TEST, data_file
from merge_snli.validation.finding import Finding, quoted
from merge_snli.validation.folder import is_plain
from merge_snli.validation.parquet import DAMAGED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from merge_snli.record import Record

MARK = "---\n"
LOADED = ("configs", "dataset_info")
"""The metadata from which `datasets` loads, which no version of the software may spell otherwise."""

UNREADABLE = (yaml.YAMLError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What PyYAML raises on text that is no YAML, or whose values only look like some (a date such as 2020-99-99)."""


def check_card(folder: Path, record: Record, *, whole: bool) -> Iterator[Finding]:
    """Yield where the card is not the one that the record and the data give.

    Args:
        folder: The data set's folder; where the card, or the data whose first rows it shows, is missing, that is
            found elsewhere.
        record: The content of `run.json`.
        whole: Whether all of it is compared, and not only what libraries read of its metadata.
    """
    if not all(is_plain(folder / name) for name in (CARD_FILE, data_file(ALL, TEST), data_file(SEED, TEST))):
        return
    try:
        found = (folder / CARD_FILE).read_bytes()
        card = render_card(record, folder)
    except (*DAMAGED, *UNREADABLE) as error:
        why = reason(error).replace(str(folder), "").replace("\n", " ")
        yield Finding(CARD_FILE, None, None, f"the record and the data do not fill a card to compare it with: {why}")
        return
    if found == card.encode():
        return
    try:
        metadata, text, first_line = read_card(found)
    except UNREADABLE as error:
        yield Finding(CARD_FILE, None, None, f"its metadata cannot be read: {reason(error)}")
        return
    expected, wanted, _ = read_card(card.encode())
    places = expected.keys() | metadata.keys() if whole else LOADED
    yield from _metadata_apart(metadata, expected, sorted(places, key=str))
    if whole:
        yield from _lines_apart(text.splitlines(), wanted.splitlines(), first_line)


def is_ours(record: Record) -> bool:
    """Tell whether this version of the software wrote the card, so that it must be the same to the letter."""
    return record.versions.get("merge_snli") == __version__


def read_card(content: bytes) -> tuple[dict[str, Any], str, int]:
    """Read a card into its metadata, its text, and the number of the text's first line.

    Raises:
        ValueError: Where it is no text or has no metadata; or one of `UNREADABLE`.
    """
    parts = content.decode("utf-8").split(MARK, 2)
    if len(parts) < len(("before", "metadata", "text")) or parts[0]:
        raise ValueError("it does not begin with YAML between lines of three dashes")
    metadata = yaml.safe_load(parts[1])
    if not isinstance(metadata, dict):
        raise ValueError("it is no mapping")
    return metadata, parts[2], parts[1].count("\n") + 3


def _metadata_apart(found: Mapping[str, Any], expected: Mapping[str, Any], places: Iterable[str]) -> Iterator[Finding]:
    """Yield each place of the metadata that differs."""
    for place in places:
        there, wanted = found.get(place), expected.get(place)
        if there != wanted:
            yield from _apart(str(place), there, wanted)


def _apart(place: str, found: object, expected: object) -> Iterator[Finding]:
    """Go down to where two values differ."""
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (there, wanted) in enumerate(zip(found, expected, strict=True)):
            if there != wanted:
                yield from _apart(f"{place}.{index}", there, wanted)
    elif isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        for key, wanted in expected.items():
            if found[key] != wanted:
                yield from _apart(f"{place}.{key}", found[key], wanted)
    else:
        yield Finding(CARD_FILE, None, place, f"is {quoted(found)} where the data gives {quoted(expected)}")


def _lines_apart(found: list[str], expected: list[str], first_line: int) -> Iterator[Finding]:
    matcher = difflib.SequenceMatcher(a=found, b=expected, autojunk=False)
    for tag, start, end, wanted, wanted_end in matcher.get_opcodes():
        if tag != "equal":
            there, should = quoted("\n".join(found[start:end])), quoted("\n".join(expected[wanted:wanted_end]))
            yield Finding(CARD_FILE, None, f"line {first_line + start}", f"is {there} where the data gives {should}")
