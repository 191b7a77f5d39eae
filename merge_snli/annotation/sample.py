"""Draw a reproducible stratified sample of variants, as in the paper's annotation (section 4 and A.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.judgments import SCALE, SCORES
from merge_snli.dataset.record import require, validation_errors
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.texts import NLI_TEXTS, TextNames, is_nli
from merge_snli.dataset.variants import replaced_words, validated_by
from merge_snli.schema import ALL, NLI_LABELS

# The spellings of each score; spreadsheets may have numbers with decimals.
SPELLINGS = {str(score): score for score in SCALE} | {f"{score}.0": score for score in SCALE}

COMMENT = "comment"

SAMPLE_FILE = "sample.json"

# The character before and after a marked word.
MARK = "*"

VARIANT_ID = "variant_id"
TEXT_COLUMNS = (VARIANT_ID, "seed_premise", "seed_hypothesis", "premise", "hypothesis", "label")
# The columns of a sheet.
COLUMNS = (*TEXT_COLUMNS, *SCORES, COMMENT)


def headings(texts: TextNames) -> dict[str, str]:
    """Return the heading of each column of a sheet: its name, with what the texts are called.

    Examples:
        >>> [*headings(TextNames("question", "sentence")).values()][1:5]
        ['seed_question', 'seed_sentence', 'question', 'sentence']
    """
    first, second = texts if {*COLUMNS}.difference(NLI_TEXTS).isdisjoint(texts) else NLI_TEXTS
    named = {"seed_premise": f"seed_{first}", "seed_hypothesis": f"seed_{second}", "premise": first}
    return dict(zip(COLUMNS, COLUMNS, strict=True)) | named | {"hypothesis": second}


def mark(seed: str, variant: str, starts: Sequence[int], original: str, replacement: str) -> tuple[str, str]:
    """Mark every occurrence of the word that was replaced.

    Args:
        seed: The seed's sentence.
        variant: The variant's sentence.
        starts: The offsets at which the replacement starts in `variant`.
        original: The word that was replaced. An occurrence may have another case.
        replacement: The word that replaces it, in the case pattern of `original`.

    Returns:
        The seed's sentence and the variant's, with `MARK` around the words.

    Raises:
        InputError: If the variant's sentence is not the seed's with the word replaced.

    Examples:
        >>> mark("A cat and a cat.", "A dog and a dog.", [2, 12], "cat", "dog")
        ('A *cat* and a *cat*.', 'A *dog* and a *dog*.')
    """
    spans = replaced_words(seed, variant, starts, original, replacement)
    if not spans:
        raise InputError(
            f"{variant!r} is not {seed!r} with {original!r} replaced by {replacement!r}: check the data set with "
            "merge-snli validate"
        )
    for word in reversed(spans):
        seed, variant = _marked(seed, *word.seed), _marked(variant, *word.variant)
    return seed, variant


def _marked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{MARK}{text[start:end]}{MARK}{text[end:]}"


Per = Literal["class", "mlm", "all"]


# A sampled variant as annotators see it, with the replaced word marked: a text for each of `TEXT_COLUMNS`.
SheetRow: TypeAlias = dict[str, str]


@dataclass(frozen=True)
class SampledVariant:
    """A variant of the sample.

    Attributes:
        variant_id: Its id.
        word_class: The class of the replaced word.
        strata: The strata that drew it: word classes, masked LMs, or `all`.
    """

    variant_id: str
    word_class: str
    strata: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SampledDataset:
    """The variants of a sample that come from one data set.

    Attributes:
        name: The data set's folder or Hub id.
        digest: sha256 of its data.
        size: Number of variants drawn per stratum.
        population: Number of variants in each stratum.
        seeds: Number of seeds with variants, by word class.
        variants: The sampled variants, sorted by id.
    """

    name: str
    digest: str
    size: int
    population: dict[str, int]
    seeds: dict[str, int]
    variants: tuple[SampledVariant, ...]

    @property
    def variant_ids(self) -> list[str]:
        """The ids of the variants, sorted."""
        return [variant.variant_id for variant in self.variants]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A sample to annotate: the content of `sample.json`.

    Attributes:
        per: What the strata are.
        random_seed: Seed of the draw.
        annotators: Names of the annotators.
        datasets: What was drawn from each data set.
        rows: The variants as the sheets show them, sorted by variant id; empty in the file of an earlier version.
        texts: What the two texts of a problem are called.
        labels: The labels of the data sets.
    """

    format: Literal[1] = 1
    per: Per
    random_seed: int
    annotators: tuple[str, ...]
    datasets: tuple[SampledDataset, ...]
    rows: tuple[SheetRow, ...] = ()
    texts: TextNames = NLI_TEXTS
    labels: tuple[str, ...] = NLI_LABELS

    @property
    def is_nli(self) -> bool:
        """Whether the problems are NLI problems."""
        return is_nli(self.labels, self.texts)

    @cached_property
    def shown(self) -> dict[str, SheetRow]:
        """The rows by variant id.

        Raises:
            InputError: If the sample has no rows.
        """
        if not self.rows:
            raise InputError("the sample has no texts, as one of an earlier version: draw it again")
        return {row[VARIANT_ID]: row for row in self.rows}

    @property
    def variant_ids(self) -> tuple[str, ...]:
        """The ids of all sampled variants, sorted; an id in two data sets occurs once."""
        return tuple(sorted(set[str]().union(*(dataset.variant_ids for dataset in self.datasets))))


def rank(random_seed: int, *key: str) -> str:
    """Return the sha256 of the JSON list [random seed, key…]: rows sorted by it are in a reproducible random order."""
    return sha256_of_json([random_seed, *key])


def draw_sample(
    datasets: Sequence[MergeDataset],
    *,
    sizes: Sequence[int],
    annotators: Sequence[str],
    per: Per = "class",
    random_seed: int = 0,
) -> Sample:
    """Draw variants from config `all`, split `test` of each data set.

    The variants of a stratum with the smallest digests are drawn, so a sample depends only on the content of the data
    and the random seed, and a larger one contains a smaller one. Masked LMs' strata overlap: a variant counts for each
    masked LM that validated it in the premise or the hypothesis.

    Args:
        datasets: The data sets.
        sizes: Number of variants per stratum, for each data set.
        annotators: Names of the annotators.
        per: Whether the strata of a data set are word classes, masked LMs, or all variants.
        random_seed: Changes the draw.

    Raises:
        InputError: If a data set was not generated by masked LMs, a stratum has fewer variants than its size, a data
            set is given twice, two data sets call their texts differently, or have different variants with the same id.
    """
    texts = {dataset.record.texts: dataset.name for dataset in datasets}
    if len(texts) > 1:
        named = ", ".join(f"{name} has {first} and {second}" for (first, second), name in texts.items())
        raise InputError(f"{named}: annotate data sets of different tasks in two studies")
    rows: dict[str, SheetRow] = {}
    labels: dict[str, None] = {}
    sampled: dict[str, SampledDataset] = {}
    for dataset, size in zip(datasets, sizes, strict=True):
        if dataset.digest in sampled:
            raise InputError(f"{dataset.name} has the same data as another data set given: pass it once")
        sampled[dataset.digest], table = _draw(dataset, size, per, random_seed)
        labels |= dict.fromkeys(dataset.record.label_names)
        for row in _sheet_rows(table, dataset.record.label_names):
            if rows.setdefault(row[VARIANT_ID], row) != row:
                raise InputError(
                    f"{dataset.name} and another data set have different variants with the id {row[VARIANT_ID]!r}: "
                    "annotate them in two studies"
                )
    return Sample(
        per=per,
        random_seed=random_seed,
        annotators=tuple(annotators),
        datasets=tuple(sampled.values()),
        rows=tuple(rows[variant_id] for variant_id in sorted(rows)),
        texts=datasets[0].record.texts,
        labels=tuple(labels),
    )


def read_sample(path: Path) -> Sample:
    """Read `sample.json`.

    Raises:
        InputError: If the file is missing or not the record of a sample.
    """
    beside = f"keep {SAMPLE_FILE} beside the sheets, or name it with {param('sample')}"
    try:
        with explained(OSError, f"{path} cannot be read ({REASON}): {beside}"):
            return TypeAdapter(Sample).validate_json(path.read_bytes())
    except ValidationError as error:
        field, message = validation_errors(error)[0]
        raise InputError(
            f"{path} is not the record of a sample ({field}: {message}): pass the {SAMPLE_FILE} that "
            "merge-snli annotate sample wrote"
        ) from error


def whole_sample(datasets: Sequence[MergeDataset]) -> Sample:
    """Return every variant of some data sets as a sample; raises as `draw_sample`."""
    for dataset in datasets:
        require(dataset.record, "has_seeds", "generation")  # before its config `all` is read
    sizes = [dataset.record.configs[ALL].rows for dataset in datasets]
    return draw_sample(datasets, sizes=sizes, annotators=(), per="all")


def _draw(dataset: MergeDataset, size: int, per: Per, random_seed: int) -> tuple[SampledDataset, pa.Table]:
    require(dataset.record, "has_seeds", "generation")
    table = read_split(dataset, ALL)
    ids, classes = (table[name].to_pylist() for name in (VARIANT_ID, "word_class"))
    ranks = [rank(random_seed, variant_id) for variant_id in ids]
    strata = _strata(dataset, table, per)
    drawn: dict[int, list[str]] = {}
    for name, members in strata.items():
        if len(members) < size:
            of_stratum = "" if per == "all" else f"of {per} {name} "
            raise InputError(
                f"{dataset.name} has {len(members)} variants {of_stratum}to draw {size} from: pass a smaller "
                f"{param('size')}"
            )
        for index in sorted(members, key=ranks.__getitem__)[:size]:
            drawn.setdefault(index, []).append(name)
    by_id = sorted(drawn, key=ids.__getitem__)
    variants = tuple(SampledVariant(ids[index], classes[index], tuple(drawn[index])) for index in by_id)
    sampled = SampledDataset(
        name=dataset.name,
        digest=dataset.digest,
        size=size,
        population={name: len(members) for name, members in strata.items()},
        seeds={name: config.groups for name, config in dataset.record.test_configs.items() if name != ALL},
        variants=variants,
    )
    return sampled, table.take(by_id)


def _strata(dataset: MergeDataset, table: pa.Table, per: Per) -> Mapping[str, Sequence[int]]:
    """Return the row numbers of each stratum."""
    if per == "all":
        return {ALL: range(table.num_rows)}
    if per == "mlm":
        masks = validated_by(table, dataset.record)
    else:
        classes = np.array(table["word_class"].to_pylist())
        masks = {name: classes == name for name in dataset.record.test_configs if name != ALL}
    return {name: mask.nonzero()[0].tolist() for name, mask in masks.items()}


def _sheet_rows(table: pa.Table, names: Sequence[str]) -> list[SheetRow]:
    rows = []
    for row in table.to_pylist():
        texts = {VARIANT_ID: row[VARIANT_ID]}
        for side in ("premise", "hypothesis"):
            seed, starts = row[f"seed_{side}"], row[f"{side}_offsets"]
            texts[f"seed_{side}"], texts[side] = mark(seed, row[side], starts, row["original"], row["replacement"])
        texts["label"] = names[row["label"]]
        rows.append({name: texts[name] for name in TEXT_COLUMNS})
    return rows
