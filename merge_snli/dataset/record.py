"""Typed values of `run.json`, the record of a data set."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import AliasChoices, Field, StringConstraints

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.texts import TextNames, text_names
from merge_snli.schema import ANNOTATION, ANNOTATION_COLUMNS, SEED, TEST, DataColumn, data_file, features_of

if TYPE_CHECKING:
    import datasets


# Names of configs and splits are those of folders and files.
FILE_NAME = re.compile(r"\w[\w.-]*")

Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class SourceRecord:
    """What the sentences were made from: problems, words, templates or a parser, with the digest of the content."""

    name: str
    digest: Sha256


@dataclass(frozen=True)
class ProblemsRecord:
    """The number of problems with and without a gold label."""

    with_label: int
    without_label: int


@dataclass(frozen=True)
class MaskedLMRecord:
    """A masked LM: its name, its revision on the Hub (None for a folder), and the digest of its files."""

    name: str
    revision: str | None
    digest: Sha256


@dataclass(frozen=True)
class TaggerRecord:
    """The tagger: a spaCy pipeline and the digest of its files."""

    name: str
    version: str
    digest: Sha256


@dataclass(frozen=True)
class SeedsRecord:
    """The seeds of another data set that a run was restricted to."""

    digest: Sha256
    problems: int


@dataclass(frozen=True)
class WordNetRecord:
    """The WordNet that related words were looked up in."""

    version: str
    digest: Sha256


@dataclass(frozen=True)
class TermsRecord:
    """The license of the problems as a Hub id, and whom to attribute them to; None if unknown."""

    license: str | None
    attribution: str | None


@dataclass(frozen=True)
class WordCounts:
    """Problems that share a word of one class.

    Attributes:
        problems: Problems that share a word.
        labels: These problems by label.
        words: Shared words.
        left_out: Words that cannot be replaced, by reason.
        problems_after: Problems that share a word that can be replaced.
        words_after: Words that can be replaced.
    """

    problems: int
    labels: dict[str, int]
    words: int
    left_out: dict[str, int]
    problems_after: int
    words_after: int


@dataclass(frozen=True)
class FilterRecord:
    """What the filters dropped of one masked LM's suggestions for one word class and sentence (`side`)."""

    word_class: str
    masked_lm: str
    side: str
    counts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class ConfigRecord:
    """A config of a data set.

    Attributes:
        description: What it contains, in Markdown.
        splits: Number of rows by split. The first split has every row; the others are subsamples.
        columns: Its columns.
        groups: Number of groups.
        labels: Number of rows by label.
        group_labels: Number of groups by label; None if the pairs of a group have different labels.
    """

    description: str
    splits: dict[str, int]
    columns: tuple[DataColumn, ...]
    groups: int
    labels: dict[str, int]
    group_labels: dict[str, int] | None

    @property
    def split(self) -> str:
        """The split that has every row."""
        return next(iter(self.splits))

    @property
    def rows(self) -> int:
        """Number of rows, each counted once."""
        return self.splits[self.split]


@dataclass(frozen=True)
class DataRecord:
    """The data files: sha256 by relative path, and the digest of `files`."""

    digest: Sha256
    files: dict[str, Sha256]


@dataclass(frozen=True, kw_only=True)
class JudgeRecord:
    """An annotator that is a language model, and how it was asked.

    Attributes:
        annotator: Its name among the annotators.
        model: The model, as Inspect names it.
        prompt: sha256 of the guidelines and of the layout of a question.
        per_question: The largest number of variants in a question.
        datasets: The digests of the data sets whose variants it judged.
        settings: The settings that change answers, as JSON, by name.
    """

    annotator: str
    model: str
    prompt: Sha256
    per_question: int
    datasets: tuple[Sha256, ...]
    settings: dict[str, str]


@dataclass(frozen=True)
class AnnotationRecord:
    """The scores of annotators, in the data file of config `annotation`.

    Attributes:
        digest: sha256 of the file.
        rows: Number of rows, one per variant and annotator.
        annotators: Names of the annotators, sorted.
        judges: The annotators that are language models, as far as that is known, sorted.
    """

    digest: Sha256
    rows: int
    annotators: tuple[str, ...]
    judges: tuple[JudgeRecord, ...] = ()


@dataclass(frozen=True)
class JudgmentsRecord:
    """The judgments that variants were filtered by: the digest of all, and who gave them."""

    digest: Sha256
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class PublishedRecord:
    """The Hub ids under which the data set, and the metric if any, were published."""

    dataset: str
    metric: str | None


@dataclass(frozen=True, kw_only=True)
class GenerationRecord:
    """What only a data set has whose variants were generated by masked LMs.

    Attributes:
        problems: The number of problems.
        masked_lms: The masked LMs, in the order of the option `mlm`.
        tagger: The tagger.
        seeds: The seeds that the run was restricted to, if any.
        wordnet: WordNet, if suggestions related to other words were dropped.
        device: The kind of device that the masked LMs ran on.
        words: Shared words by word class.
        filters: What the filters dropped when applied in their order.
        standalone_filters: What each filter drops when it is the only one.
        invalid_rows: Number of rows of the problems that are invalid and were left out; None if there is none.
        judgments: The judgments that variants were filtered by; None if they were not. Those of the run's variants are
            in config `annotation`.
        judged: Number of variants by what the judgments say of them, before seeds with too few are dropped.
    """

    problems: ProblemsRecord
    masked_lms: tuple[MaskedLMRecord, ...]
    tagger: TaggerRecord
    seeds: SeedsRecord | None
    wordnet: WordNetRecord | None
    device: str
    words: dict[str, WordCounts]
    filters: tuple[FilterRecord, ...]
    standalone_filters: tuple[FilterRecord, ...]
    invalid_rows: int | None = None
    judgments: JudgmentsRecord | None = None
    judged: dict[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Record:
    """The content of `run.json`: a data set of pairs in groups, with optional subsamples and seeds.

    Attributes:
        format: Version of the file's layout.
        command: The command that made the data set.
        method_version: Version of the code that made it.
        options: The options of the command as plain JSON values.
        sources: What the sentences were made from.
        label_names: Label names in the order of their numbers.
        group_column: The column of the groups.
        subsamples: Number of subsamples; None if there are none. Older records call it `draws`.
        has_seeds: Whether every group has the pair of its seed. Older records call it `anchors`.
        title: Title.
        load_name: The name of the folder in the examples of the card.
        summary: What the data set contains, in Markdown; empty if the template of the card says it.
        notes: What a user needs to know of its making and its limits, in Markdown; empty if the template says it.
        terms: License and attribution.
        versions: Versions of Python, this package and the libraries, by name.
        configs: The configs; the first is the default.
        generation: How masked LMs generated the variants; None if they did not.
        data: The data files that the command wrote.
        annotation: The scores of annotators; None if there are none. They are not part of the run, and leave the digest
            of the data unchanged.
        published: Where the data set was published; None for the folder of a run.
        card: sha256 of the card; empty before `seal`.
        digest: sha256 of everything else in the record; empty before `seal`.
    """

    format: Literal[2] = 2
    command: str
    method_version: str
    options: JsonObject
    sources: tuple[SourceRecord, ...]
    label_names: Labels
    group_column: str
    subsamples: Annotated[int | None, Field(validation_alias=AliasChoices("subsamples", "draws"))] = None
    has_seeds: Annotated[bool, Field(validation_alias=AliasChoices("has_seeds", "anchors"))] = False
    title: str
    load_name: str
    summary: str = ""
    notes: tuple[str, ...] = ()
    terms: TermsRecord
    versions: dict[str, str]
    configs: dict[str, ConfigRecord]
    generation: GenerationRecord | None = None
    data: DataRecord
    annotation: AnnotationRecord | None = None
    published: PublishedRecord | None = None
    card: Sha256 = ""
    digest: Sha256 = ""

    def __post_init__(self) -> None:
        """Check the configs, their columns and the label names, without which the data files cannot be read."""
        if not self.configs:
            raise ValueError("configs is empty")
        if not self.label_names or len({*self.label_names}) < len(self.label_names):
            raise ValueError("label_names is empty or has duplicates")
        for name, config in self.configs.items():
            for part in (name, *config.splits):
                if not FILE_NAME.fullmatch(part):
                    raise ValueError(f"{part!r} is not a name of a config or split: it must be letters, digits and _.-")
            names = {column.name for column in config.columns}
            for required in (self.group_column, "premise", "hypothesis", "label"):
                if required not in names:
                    raise ValueError(f"config {name} has no column {required}")
            if not config.splits:
                raise ValueError(f"config {name} has no splits")

    @property
    def texts(self) -> TextNames:
        """What the two texts of a problem are called."""
        return text_names((self.options.get("premise_column"), self.options.get("hypothesis_column")), self.label_names)

    @property
    def data_rows(self) -> dict[str, dict[str, int]]:
        """The number of rows by config and split, without the scores of annotators."""
        return {name: config.splits for name, config in self.configs.items()}

    @property
    def data_files(self) -> list[str]:
        """The relative path of the data file of each config and split, without the scores of annotators."""
        files = []
        for name, config in self.configs.items():
            files += [data_file(name, split) for split in config.splits]
        return files

    @property
    def files(self) -> dict[str, str]:
        """The sha256 of every data file by relative path, including the scores of annotators."""
        files = dict(self.data.files)
        if self.annotation is not None:
            files[data_file(ANNOTATION, TEST)] = self.annotation.digest
        return files

    @property
    def rows(self) -> dict[str, dict[str, int]]:
        """The number of rows by config and split, including the scores of annotators."""
        rows = self.data_rows
        if self.annotation is not None:
            rows[ANNOTATION] = {TEST: self.annotation.rows}
        return rows

    @property
    def test_configs(self) -> dict[str, ConfigRecord]:
        """The configs to test models on: those with a split `test`, but for that of the seeds."""
        found = {name: config for name, config in self.configs.items() if TEST in config.splits}
        if self.has_seeds:
            found.pop(SEED, None)
        return found

    def columns(self, config: str) -> tuple[DataColumn, ...]:
        """Return the columns of a config."""
        return ANNOTATION_COLUMNS if config == ANNOTATION else self.configs[config].columns

    def features(self, config: str) -> "datasets.Features":
        """Return the columns of a config as `datasets.Features`."""
        return features_of(self.columns(config), self.label_names)


OptionalField = Literal["subsamples", "has_seeds", "generation"]
# The fields of a record that are empty for some data sets, as messages name what these lack.
OPTIONAL_FIELDS: dict[OptionalField, str] = {
    "subsamples": "subsamples",
    "has_seeds": "seeds",
    "generation": "masked LMs and filters",
}


def require(record: Record, *names: OptionalField) -> None:
    """Check that a data set has what not every data set has.

    Args:
        record: The record of the data set.
        names: Names of fields of `Record`.
    """
    for name in names:
        value = getattr(record, name)
        if value is None or value is False:
            raise InputError(
                f"{record.title} has no {OPTIONAL_FIELDS[name]}, which this needs: it has sentence pairs in groups, "
                f"made by merge-snli {record.command}; pass a data set made by merge-snli generate"
            )


def generation_of(record: Record) -> GenerationRecord:
    """Return how masked LMs generated the variants of a data set; refuse one whose variants they did not."""
    require(record, "generation")
    return cast(GenerationRecord, record.generation)
