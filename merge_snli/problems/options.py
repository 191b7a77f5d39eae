"""Options for reading problems: the source, its split, its columns and its labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.option import described, option_field, require_unique, set_checked
from merge_snli.dataset.label_names import names_of_entries
from merge_snli.languages.language import check_code, is_english
from merge_snli.problems.delimited import TAB
from merge_snli.problems.inputs import Problems
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.schema import ALL, SEED, WORD_CLASSES, columns

# The heading of these options in `--help`.
PROBLEMS_GROUP = "problems"


# The field of an option that says where the problems are and how to read them; those that depart from the paper's
# method are not neutral.
_reading_option = partial(option_field, group=PROBLEMS_GROUP, changes_rows=False, always_recorded=True)
_source_option = partial(_reading_option, neutral="says where the problems are and how to read them")


def _column(role: str) -> Any:  # noqa: ANN401 - a field
    shown = f"that of a known data set, {role}, or another usual name"
    return _source_option("", f"column of the {role}", metavar="NAME", shown_default=shown)


@dataclass(frozen=True, kw_only=True)
class ProblemOptions:
    """Options for reading problems; each field describes itself, see `merge_snli.base.option`.

    `problems` is a file (.json, .jsonl, .csv, .tsv, .txt, .parquet; texts also as .gz), a pattern such as `*.jsonl`,
    `hf://datasets/ORG/NAME/PATH`, or several of these (in Python a list, which is recorded with commas); a data set's
    folder, a Hub id, or `demo:problems`; or problems in memory: a `datasets.Dataset`, a pandas or Polars frame, an
    Arrow table or a list of dicts. For these the record has the type, such as `memory:pandas.DataFrame`, and the digest
    of the problems. The attribute is a `merge_snli.problems.inputs.Problems`; None if the problems are given later.

    For a data set in `merge_snli.problems.known_datasets`, `config`, `split`, the columns of premise, hypothesis and
    label, and `data_labels` default to the data set's own values.
    """

    problems: Any = _source_option(  # noqa: RUF009 - a field
        None,
        ".json, .jsonl, .csv, .tsv, .txt or .parquet files, also .gz, patterns or hf://datasets/ORG/NAME/PATH; or "
        "the folder of a data set, a Hub id, or demo:problems",
        metavar="PROBLEMS",
    )
    config: str | None = _source_option(None, "config of a folder or Hub id with several configs", metavar="NAME")
    split: str | None = _source_option(
        None,
        "split of a folder or Hub id, not of a file",
        metavar="NAME",
        shown_default="that of a known data set, otherwise test",
    )
    delimiter: str | None = _source_option(
        None,
        "between the columns of a text file, or tab",
        metavar="CHARACTER",
        shown_default="comma in .csv, tab in .tsv and .txt",
        always_recorded=False,
    )
    limit: int | None = _reading_option(
        None,
        "use the first N problems only",
        metavar="N",
        minimum=1,
        is_amount=True,
        departure="**A part of the problems**: only the first ones were read.",
    )
    sample: int | None = _reading_option(
        None,
        "use a random sample of N problems with a gold label",
        metavar="N",
        minimum=1,
        is_amount=True,
        departure="**A sample of the problems**: a random part of them was read.",
        always_recorded=False,
    )
    skip_invalid: bool = _reading_option(
        False,
        "leave out rows that are not valid problems, such as those without a premise",
        departure="**Invalid rows** of the problems were left out.",
        always_recorded=False,
    )
    premise_column: str = _column("premise")
    hypothesis_column: str = _column("hypothesis")
    label_column: str = _column("label")
    id_column: str | None = _source_option(
        None, "column of ids", metavar="NAME", shown_default="ids computed from the content"
    )
    data_labels: tuple[str, ...] | None = _source_option(
        None,
        "label names in the order of the label numbers; SPELLING=NAME if the data spell a label differently",
        metavar="LABEL",
    )
    keep_column: tuple[str, ...] = _source_option(
        (),
        "columns of the problems to copy to variants and seeds, as text",
        metavar="COLUMN",
        group="data set",
        neutral="adds columns and changes no variant",
        changes_rows=True,
    )
    tagger: str | None = _reading_option(
        None,
        "spaCy pipeline",
        metavar="NAME|DIR",
        shown_default="en_core_web_sm 3.8, or its copy on PyPI; in another language the small one of spaCy",
        departure="**Another tagger** than the paper's `en_core_web_sm`, which changes the shared words and the word "
        "classes.",
        departs=lambda name: name is not None and not name.startswith("en_core_web_sm"),
    )
    language: str | None = _reading_option(
        None,
        "language of the problems as an ISO 639-1 code such as fr; problems in another give a warning only",
        metavar="CODE",
        shown_default="that of the tagger, or of a config of XNLI; en",
        departure="**Another language** than the paper's English: word classes are universal part-of-speech tags, and "
        "a replacement agrees with the original word in the morphological features that the tagger gives.",
        departs=lambda code: not is_english(code),
        changes_rows=True,
        always_recorded=False,
    )

    def __post_init__(self) -> None:
        """Set the defaults and check the values.

        Raises:
            InputError: If a value is invalid.
        """
        set_checked(self, without=("problems",))
        if self.problems is not None:
            self._set_problems()
        self._set("delimiter", _delimiter(self.delimiter))
        _check_keep_column(self.keep_column)
        if self.premise_column and self.premise_column == self.hypothesis_column:
            raise InputError(
                f"⟦premise_column⟧ and ⟦hypothesis_column⟧ are both {self.premise_column!r}, and a "
                "problem has two texts: name two columns"
            )
        if self.language is not None:
            check_code(self.language)
        if self.data_labels is not None:
            _check_data_labels(self.data_labels)

    def _set_problems(self) -> None:
        """Convert the problems, and set the options whose defaults depend on them."""
        self._set("problems", Problems.of(self.problems))
        if not str(self.problems).strip():
            raise InputError("the name of the problems is empty: give a file, a folder, a Hub id or demo:problems")
        for name, value in _defaults(self.problems, self.config).items():
            self._set(name, getattr(self, name) or value)

    def _set(self, name: str, value: object) -> None:
        """Set a field of this frozen dataclass while it is initialized."""
        object.__setattr__(self, name, value)

    @property
    def sampling_seed(self) -> int:
        """The random seed of `sample`."""
        return 0

    def as_dict(self) -> JsonObject:
        """Return the options as JSON values, in the order of the fields.

        Those that are not always recorded are left out if they have their default. So the record of a run without
        them is the same as before they existed.
        """
        given = ((name, option, getattr(self, name)) for name, option in described(type(self)))
        values = {
            name: list(value) if isinstance(value, tuple) else value
            for name, option, value in given
            if option.always_recorded or not option.is_default(value)
        }
        return values | {"problems": str(self.problems)}


def _defaults(problems: Problems, config: str | None) -> dict[str, Any]:
    """Return the defaults of the options that depend on the data set."""
    known = known_dataset(str(problems), config)
    if known is None:
        return {} if problems.are_bundled or problems.were_in_memory or problems.are_files else {"split": "test"}
    is_other_language = known.config_is_language and config not in (None, known.config)
    language = {"language": config} if is_other_language else {}
    names = ("config", "premise_column", "hypothesis_column", "label_column", "data_labels")
    return language | {"split": known.splits[0]} | {name: getattr(known, name) for name in names}


def _delimiter(text: str | None) -> str | None:
    character = TAB if text in ("tab", "\\t") else text
    if character is not None and (len(character) != 1 or character in '\r\n"'):
        raise InputError(f"⟦delimiter⟧ is {text!r}: give one character, such as ';', or tab")
    return character


def _check_keep_column(names: Sequence[str]) -> None:
    require_unique("keep_column", names)
    reserved = {column.name for config in (ALL, SEED) for column in columns(config, WORD_CLASSES)}
    for name in names:
        if not name.strip():
            raise InputError("⟦keep_column⟧ has an empty name")
        if name in reserved:
            raise InputError(f"⟦keep_column⟧ has {name!r}, a column of the generated data set: rename it in the source")


def _check_data_labels(entries: Sequence[str]) -> None:
    labels = names_of_entries(entries)
    if len(labels.names) < 2 or len(labels.of_texts) < len(entries):
        raise InputError(f"⟦data_labels⟧ is {','.join(entries)!r}: give at least two names, each spelling once")
