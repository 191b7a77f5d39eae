"""Read a TOML file, with errors that name the file and the entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from merge_snli.base.errors import InputError
from merge_snli.base.files import read_toml
from merge_snli.dataset.record import validation_errors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Entries(BaseModel):
    """The entries of a file; others are errors."""

    model_config = ConfigDict(extra="forbid", strict=False, frozen=True)


File = TypeVar("File", bound=BaseModel)


def read_entries(path: Path, entries: type[File]) -> File:
    """Read a TOML file.

    Args:
        path: The file.
        entries: The entries that it must have.

    Raises:
        InputError: If the file is missing, is not TOML, or an entry is missing, unknown or of another type.
    """
    if not path.exists():
        raise InputError(f"{path} is missing: copy the file of the shipped lexicon and edit it")
    try:
        return entries.model_validate(read_toml(path, "lexicon"))
    except ValidationError as error:
        place, message = validation_errors(error)[0]
        raise InputError(
            f"{path}: {place or 'the file'}: {message}; see docs/simple_pair.md for the entries"
        ) from error


def require_words(place: str, words: Sequence[str]) -> None:
    """Check that words are not empty, have no space around them, and that none occurs twice.

    Args:
        place: File and entry, for messages.
        words: The words.

    Raises:
        InputError: If a word breaks one of these rules.
    """
    for word in words:
        if not word or word != " ".join(word.split()) or not word.isprintable() or set(word) & set("{}."):
            raise InputError(f"{place} has {word!r}: give a word without spaces around it, braces and full stops")
    duplicate = next((word for word in words if words.count(word) > 1), None)
    if duplicate is not None:
        raise InputError(f"{place} has {duplicate!r} more than once: remove one")


def apart_pairs(place: str, pairs: Sequence[tuple[str, str]], known: frozenset[str]) -> frozenset[frozenset[str]]:
    """Return the pairs of words that never meet, after checking that the words exist.

    Args:
        place: The file, for messages.
        pairs: The pairs of the entry `apart`.
        known: The words that a pair may have.

    Raises:
        InputError: If a word is unknown or paired with itself.
    """
    for first, second in pairs:
        unknown = next((word for word in (first, second) if word not in known), None)
        if unknown is not None:
            raise InputError(f"{place}: apart has {unknown!r}, which is not a word of this file: add it or correct it")
        if first == second:
            raise InputError(f"{place}: apart has {first!r} with itself: give two words")
    return frozenset(frozenset(pair) for pair in pairs)
