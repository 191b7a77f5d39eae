"""Where problems are and how their columns are called: the part of a run's choices that reading them needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from merge_snli.errors import InputError
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.label_names import read_label_names
from merge_snli.schema import VARIANT_COLUMNS, WORD_CLASSES, seed_columns


@dataclass(frozen=True, kw_only=True)
class ProblemOptions:
    """Where problems are and how their columns are called.

    What is left empty of `config`, `split`, the columns of premise, hypothesis and label, and `label_names` is filled
    in from `merge_snli.problems.known_datasets`, and else with `test`, `premise`, `hypothesis` and `label`.

    Attributes:
        problems: A file (.jsonl, .csv, .tsv, .parquet), a data set's folder, a Hub id, or `demo:problems`.
        config: Configuration of a folder or Hub id that has several.
        split: Split of a folder or Hub id.
        limit: Take the first so many problems only; None for all.
        premise_column: Name of the premise's column.
        hypothesis_column: Name of the hypothesis's column.
        label_column: Name of the gold label's column.
        id_column: Name of the column of ids; None for ids made from the content.
        label_names: Names of the labels in the order of their numbers, `spelling=name` where the source spells one
            otherwise; None for the source's own.
        keep_column: Columns of the source that variants and seeds carry on, as strings, under their own names.
        tagger: A spaCy pipeline by name or path; None for `en_core_web_sm` 3.8 or its stand-in on PyPI.
    """

    problems: str
    config: str | None = None
    split: str = ""
    limit: int | None = None
    premise_column: str = ""
    hypothesis_column: str = ""
    label_column: str = ""
    id_column: str | None = None
    label_names: tuple[str, ...] | None = None
    keep_column: tuple[str, ...] = ()
    tagger: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that no source can have.

        Raises:
            InputError: Names the option, its value and what it may be.
        """
        object.__setattr__(self, "problems", str(self.problems))
        if not self.problems.strip():
            raise InputError("--problems is empty: name a file, a folder, a Hub id or demo:problems")
        self._fill_in()
        at_least_one("limit", self.limit)
        self._make_tuples("label_names", "keep_column")
        each_once("--keep-column", self.keep_column)
        own = {column.name for column in (*VARIANT_COLUMNS, *seed_columns(WORD_CLASSES))}
        for name in self.keep_column:
            if name in own or not name.strip():
                raise InputError(f"--keep-column has {name!r}, which the data set's own columns use: rename it there")
        if self.label_names is not None:
            labels = read_label_names(self.label_names)
            if len(labels.names) < 2 or len(set(labels.spellings)) < len(labels.spellings):
                raise InputError(f"--label-names is {','.join(self.label_names)}: give two or more names, each once")

    def _fill_in(self) -> None:
        """Take what is left empty from what is known of the source, or else the usual names."""
        known = known_dataset(self.problems)
        usual: dict[str, Any] = {f"{role}_column": role for role in ("premise", "hypothesis", "label")}
        usual["split"] = "test"
        if known is not None:
            usual |= {name: getattr(known, name) for name in (*usual, "config", "label_names") if name != "split"}
            usual["split"] = known.splits[0]
        for name, value in usual.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)

    def _make_tuples(self, *names: str) -> None:
        """Make tuples of lists, and of a single text that stands for a list."""
        for name in names:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as plain JSON values, in the order of the fields."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def each_once(option: str, values: Sequence[str]) -> None:
    """Refuse a list of an option's values in which one stands twice.

    Raises:
        InputError: Names the option and the value.
    """
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise InputError(f"{option} has {twice} twice: give each once")


def at_least_one(name: str, value: int | None) -> None:
    """Refuse a number below one.

    Raises:
        InputError: Names the option and the number.
    """
    if value is not None and value < 1:
        raise InputError(f"--{name.replace('_', '-')} is {value}: it must be at least 1")
