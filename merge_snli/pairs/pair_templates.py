"""The sentence templates of Simple Pair: a premise with its hypotheses by label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import RootModel

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_file
from merge_snli.pairs.toml_files import Entries, read_entries
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

TEMPLATES = "templates.toml"
N_IS_A, SVO = "n_is_a", "svo"
SIMPLE, CONJUNCTION = "simple", "conjunction"
KINDS = {N_IS_A: "na", SVO: "svo"}
"""The letters of the slots of each family."""

NUMBERS = "123"
"""The numbers that slots may have."""

SLOT = re.compile(rf"\{{([a-z_]+)([{NUMBERS}])\}}")
IN_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
CLAUSE = re.compile(r"\{([so]\d)\} \{(?:not_)?(v\d)\} \{([so]\d)\}")
"""A clause with a verb: subject, verb and object."""


@dataclass(frozen=True)
class PairTemplate:
    """A premise and its hypotheses.

    Attributes:
        name: Name, the value of the column `template`.
        config: `simple` or `conjunction`.
        family: `n_is_a` or `svo`.
        premise: The premise, with slots.
        hypotheses: The hypotheses, with slots, by label and name.
        irrelevant: The sentence that replaces the premise in premise-irrelevant hypotheses; None without these.
    """

    name: str
    config: str
    family: str
    premise: str
    hypotheses: Mapping[str, Mapping[str, str]]
    irrelevant: str | None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The premise and all hypotheses."""
        return (self.premise, *(text for of_label in self.hypotheses.values() for text in of_label.values()))


class _Template(Entries):
    config: Literal["simple", "conjunction"]
    family: Literal["n_is_a", "svo"]
    premise: str
    irrelevant: str | None = None
    neutral: dict[str, str]
    entailment: dict[str, str]
    contradiction: dict[str, str]


_File = RootModel[dict[str, _Template]]


def read_templates(folder: Path) -> tuple[tuple[PairTemplate, ...], str]:
    """Read the templates of a folder.

    Args:
        folder: Has the file `templates.toml`.

    Returns:
        The templates in their order, and the sha256 of the file.

    Raises:
        InputError: If the file is missing or malformed, a config has no template, or a template has an unknown slot, no
            slot with number 1 in its premise, no hypothesis of a label, or a name or hypothesis under two labels.
    """
    path = folder / TEMPLATES
    entries = read_entries(path, _File).root
    for config in (SIMPLE, CONJUNCTION):
        if all(entry.config != config for entry in entries.values()):
            raise InputError(f"{path} has no template of config {config}: copy one from the shipped file and edit it")
    return tuple(_template(path, name, entry) for name, entry in entries.items()), sha256_of_file(path)


def slots(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the slots of sentences, such as `n1` and `v2`, sorted by number; `not_v2` counts as `v2`."""
    found = {(kind.removeprefix("not_"), number) for text in sentences for kind, number in SLOT.findall(text)}
    order = "".join(KINDS.values())
    return tuple(kind + number for kind, number in sorted(found, key=lambda slot: (slot[1], order.index(slot[0]))))


def clauses(sentences: Iterable[str]) -> frozenset[tuple[str, str, str]]:
    """Return the slots of subject, verb and object of every clause with a verb."""
    return frozenset(match for text in sentences for match in CLAUSE.findall(text))


def _template(path: Path, name: str, entry: _Template) -> PairTemplate:
    hypotheses = {label: getattr(entry, label) for label in NLI_LABELS}
    template = PairTemplate(name, entry.config, entry.family, entry.premise, hypotheses, entry.irrelevant)
    place = f"{path}: {name}"
    if (entry.config == SIMPLE) != (entry.irrelevant is not None):
        raise InputError(f"{place}: irrelevant belongs to templates of config simple: add it there and only there")
    for text in (*template.sentences, *([entry.irrelevant] if entry.irrelevant else [])):
        _check_sentence(place, text, entry.family)
    first_noun = f"{{{KINDS[entry.family][0]}1}}"
    if first_noun not in entry.premise:
        raise InputError(f"{place}: the premise has no {first_noun}: number its slots from 1")
    empty = next((label for label, texts in hypotheses.items() if not texts), None)
    if empty is not None:
        raise InputError(f"{place} has no hypothesis with the label {empty}: add one")
    seen: dict[str, str] = {}
    for label, texts in hypotheses.items():
        for text in (*texts, *texts.values()):
            if seen.setdefault(text, label) != label:
                raise InputError(f"{place}: {text!r} is {seen[text]} and {label}: keep one of them")
    return template


def _check_sentence(place: str, text: str, family: str) -> None:
    if not text.endswith("."):
        raise InputError(f"{place}: {text!r} has no full stop at its end: add it")
    kinds = (*KINDS[family], *(("not_v",) if family == SVO else ()))
    known = {f"{{{kind}{number}}}" for kind in kinds for number in NUMBERS}
    given = IN_BRACES.findall(text)
    unknown = next((slot for slot in given if slot not in known), None)
    if unknown is not None or not given:
        wrong = "no slot" if unknown is None else f"the slot {unknown}"
        raise InputError(f"{place}: {text!r} has {wrong}: use {', '.join(kinds)} with a number from 1 to 3")
