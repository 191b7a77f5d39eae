"""Names of word classes, configs, splits and columns of a MERGE data set.

This module imports no other module of the package, because the Hub's branch `script` ships it beside the loading
script. `features` imports `datasets` when called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import datasets

NLI_LABELS = ("entailment", "neutral", "contradiction")
"""Label names of SNLI; the position is the label's number."""

WORD_CLASSES = ("noun", "verb", "adj", "adv")
"""The open word classes, in the order of every listing."""

GOOD = 9
"""A variant is good if the means of its scores F and R over the annotators add up to at least this (section 4)."""

DEFAULT_CLASSES = ("noun", "verb", "adj")
"""The classes whose words are replaced by default; the paper (section 4) leaves out adverbs."""

ALL = "all"
SEED = "seed"
ANNOTATION = "annotation"
TEST = "test"


@dataclass(frozen=True)
class DataColumn:
    """A column of the data set.

    Attributes:
        name: Name.
        type: Type of its values; `label` is a `ClassLabel`.
        description: What it contains, for the card.
    """

    name: str
    type: Literal["string", "label", "int32", "float32", "list<string>", "list<int32>"]
    description: str

    def filled(self, values: Mapping[str, str]) -> DataColumn:
        """Return the column with values in place of the braces in name and description."""
        return DataColumn(self.name.format_map(values), self.type, self.description.format_map(values))


# The tables of columns. `columns` puts in the names of the texts, {first} and {second}, and the word class.
OFFSETS = "offsets in characters, from 0, at which the replacement starts in the {} of the variant, ascending"

VARIANT_COLUMNS = (
    DataColumn("variant_id", "string", "seed id, word class, original and replacement, joined by colons"),
    DataColumn("seed_id", "string", "id of the seed problem: the group of pattern accuracy"),
    DataColumn("premise", "string", "{first} of the variant"),
    DataColumn("hypothesis", "string", "{second} of the variant"),
    DataColumn("label", "label", "gold label of the seed"),
    DataColumn("seed_premise", "string", "{first} of the seed problem"),
    DataColumn("seed_hypothesis", "string", "{second} of the seed problem"),
    DataColumn("word_class", "string", "word class of the replaced word: noun, verb, adj or adv"),
    DataColumn("original", "string", "the shared word in the seed"),
    DataColumn("replacement", "string", "the word that replaces it in both sentences"),
    DataColumn("premise_offsets", "list<int32>", OFFSETS.format("{first}")),
    DataColumn("hypothesis_offsets", "list<int32>", OFFSETS.format("{second}")),
    DataColumn("premise_mlms", "list<string>", "masked LMs that validated the replacement in the {first}"),
    DataColumn("hypothesis_mlms", "list<string>", "masked LMs that validated it in the {second}"),
    DataColumn(
        "log_odds",
        "float32",
        "log p(replacement) - log p(original), natural logarithm: minimum over the occurrences in a sentence, then "
        "maximum over the masked LMs that validated it there, then minimum of {first} and {second}",
    ),
    DataColumn("subsamples", "list<int32>", "numbers of the subsamples that drew this variant"),
)

SEED_COLUMNS = (
    DataColumn("seed_id", "string", "id of the seed problem"),
    DataColumn("premise", "string", "{first} of the seed problem"),
    DataColumn("hypothesis", "string", "{second} of the seed problem"),
    DataColumn("label", "label", "gold label"),
)

CLASS_COLUMNS = (
    DataColumn("{word_class}_words", "list<string>", "shared words of class {word_class}, in the order of the {first}"),
    DataColumn("{word_class}_variants", "list<int32>", "number of variants of each of {word_class}_words"),
)
"""The columns of config `seed` for each word class of the data set."""

ANNOTATION_COLUMNS = (
    DataColumn("variant_id", "string", "a variant of config all"),
    DataColumn("annotator", "string", "who gave the scores"),
    DataColumn("F", "int32", "fluency of the variant, from 1 (poor) to 5 (good)"),
    DataColumn("R", "int32", "reasoning: whether the label is right for the variant, from 1 (poor) to 5 (good)"),
    DataColumn("comment", "string", "comment of the annotator, or an empty string"),
)
"""The columns of config `annotation`, which a data set has if annotators scored some of its variants."""


def columns(
    config: str,
    classes: Sequence[str] = DEFAULT_CLASSES,
    extra: Sequence[str] = (),
    texts: tuple[str, str] = ("premise", "hypothesis"),
) -> tuple[DataColumn, ...]:
    """Return the columns of a config.

    Args:
        config: `all`, a word class, `seed` or `annotation`.
        classes: Word classes of the data set.
        extra: Names of columns copied from the problems, which come last.
        texts: What the two texts of a problem are called.
    """
    if config == ANNOTATION:
        return ANNOTATION_COLUMNS
    names = dict(zip(("first", "second"), texts, strict=True))
    if config == SEED:
        own = [column.filled(names) for column in SEED_COLUMNS]
        for word_class in classes:
            own += [column.filled({**names, "word_class": word_class}) for column in CLASS_COLUMNS]
    else:
        own = [column.filled(names) for column in VARIANT_COLUMNS]
    return (*own, *(DataColumn(name, "string", f"column {name} of the problems, as text") for name in extra))


def subsample_split(index: int) -> str:
    """Return the name of the split that holds subsample `index`."""
    return f"subsample_{index}"


def splits(config: str, subsamples: int = 10) -> tuple[str, ...]:
    """Return the split names of a config: `test`, and for a config of variants the subsamples."""
    return (TEST, *(subsample_split(index) for index in range(subsamples) if config != SEED))


def data_file(config: str, split: str) -> str:
    """Return the path of a split's file relative to the data set's folder, with slashes."""
    return f"data/{config}/{split}.parquet"


def features(
    config: str,
    label_names: Sequence[str] = NLI_LABELS,
    classes: Sequence[str] = DEFAULT_CLASSES,
    extra: Sequence[str] = (),
) -> datasets.Features:
    """Return the columns of a config as `datasets.Features`.

    Args:
        config: `all`, a word class, `seed` or `annotation`.
        label_names: Label names in the order of their numbers.
        classes: Word classes of the data set.
        extra: Names of columns copied from the problems.
    """
    return features_of(columns(config, classes, extra), label_names)


def features_of(columns: Sequence[DataColumn], label_names: Sequence[str] = NLI_LABELS) -> datasets.Features:
    """Return columns as `datasets.Features`.

    Args:
        columns: The columns.
        label_names: Label names in the order of their numbers.
    """
    import datasets

    def feature(kind: str) -> object:
        if kind == "label":
            return datasets.ClassLabel(names=list(label_names))
        if kind.startswith("list<"):
            return datasets.Sequence(datasets.Value(kind[len("list<") : -1]))
        return datasets.Value(kind)

    return datasets.Features({column.name: feature(column.type) for column in columns})


def data_version(digest: str) -> str:
    """Return the version of the configs, which changes whenever the data changes.

    `datasets` uses the version in the key of its cache.

    Args:
        digest: sha256 of the data files, hexadecimal.
    """
    return f"1.0.{int(digest[:16], 16)}"
