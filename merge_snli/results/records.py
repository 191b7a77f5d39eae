"""Define the types of the fields in result files, and what a result records about model, data and run."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from merge_snli.dataset.label_spellings import MAX_LABELS, Labels, task_labels
from merge_snli.models.labels import GIVEN
from merge_snli.schema import data_version

# Version of the result files. Raise it if readers of the previous version would misread the new files; a field that is
# added with the default None needs no new version (see `merge_snli.results.result`).
SCHEMA_VERSION: Literal[8] = 8

# SA on seeds below the share of the most common label plus this margin suggests permuted labels.
CHANCE_MARGIN = 0.05

# Characters of a data set's version that are shown.
SHOWN_VERSION = 12

THRESHOLD_PATTERN = r"^(0(\.[0-9]+)?|1)$"


def threshold_text(threshold: float) -> str:
    """Format a threshold as a decimal string.

    Examples:
        >>> threshold_text(29 * 0.01)
        '0.29'
    """
    return f"{threshold:.9g}"


def _parse_threshold(value: object) -> float:
    if not isinstance(value, str):
        raise ValueError("expected a decimal string such as '0.9'")
    return float(value)


def one_of(names: Collection[str]) -> tuple[Any, ...]:
    """Return the annotations of a string field with these values only."""
    return Field(pattern=f"^({'|'.join(names)})$"), WithJsonSchema({"type": "string", "enum": [*names]})


# A label of the data: for NLI `entailment`, `neutral`, `contradiction` or `not_entailment`.
Label = Annotated[str, Field(min_length=1)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, lt=2**63)]
PositiveCount = Annotated[int, Field(ge=1, lt=2**63)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Difference = Annotated[float, Field(ge=-1, le=1)]
# Low and high end of an interval.
Ends = tuple[Difference, Difference]
Threshold = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_parse_threshold),
    PlainSerializer(threshold_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": THRESHOLD_PATTERN}),
]


class StrictValue:
    """Base of the values in a result file: other types and infinite numbers are refused, unknown fields are ignored."""

    __pydantic_config__ = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)


# How a language model's answers were read.
GENERATED, RANKED = ANSWERS = ("generated", "ranked")
# Settings of a language model that its title names: the schema of the answer, what reads its unread replies, and how
# much it reasons.
SCHEMA, READER, EFFORT = "response_schema", "reader", "reasoning_effort"

# Fields of `PromptRecord` that say what the calls took, which adds up over samples and prompts.
TAKEN = ("calls", "retries", "input_tokens", "output_tokens", "reasoning_tokens", "cost")


@dataclass(frozen=True, kw_only=True)
class ModelRecord(StrictValue):
    """The model that was scored.

    Attributes:
        name: Hub id, folder name, `demo:NAME`, or the name given to a function.
        revision: Commit on the Hub.
        digest: sha256 of the model's files or weights, or of how a language model was prompted; None for a
            function without a version and for predictions from a file.
        architecture: Class of the model; None for a function or imported answers.
        parameters: Number of parameters; None for a function or imported answers.
        training_data: Data sets that the model was trained on; None if unknown.
        labels: Label of each output, in the order of the outputs.
        label_origin: Where the labels come from: `config`, `table`, `given`, `inferred`, `function`, `answers`
            (imported) or `prompt`.
        config_labels: Label names in the model's own config.
    """

    name: str
    revision: str | None = None
    digest: Digest | None
    architecture: str | None = None
    parameters: Count | None = None
    training_data: tuple[str, ...] | None = None
    labels: tuple[Label, ...]
    label_origin: str
    config_labels: Labels = ()

    @property
    def overrides_config(self) -> bool:
        """Whether the given labels contradict the names in the model's config."""
        own = task_labels(self.config_labels)
        return self.label_origin == GIVEN and own != self.labels and sorted(own) == sorted(self.labels)


@dataclass(frozen=True)
class PartialRecord(StrictValue):
    """What part of the data was scored, for a quick trial.

    Attributes:
        limit_seeds: Number of groups, those with the smallest sha256 of their ids; None for all.
        subsample: The subsample whose rows were scored; None for all rows.
        of: Digest of the whole data set.
        min_agreement: Smallest share of annotators who gave the gold label to a group; None for all.
        chosen_rows: sha256 of the ids of the rows, as a sorted JSON list, of a part that the user chose, which has
            `limit_seeds` groups; None for any other part.
    """

    limit_seeds: Count | None
    subsample: Count | None
    of: Digest
    min_agreement: Share | None = None
    chosen_rows: Digest | None = None


@dataclass(frozen=True, kw_only=True)
class DatasetRecord(StrictValue):
    """The rows in groups that the model was scored on: a config of a MERGE data set, or labeled pairs in groups.

    Attributes:
        name: Hub id, or name of a file or folder.
        title: Title of the data set.
        revision: Commit on the Hub; None for a file or folder.
        config: Config; None if there is only one.
        digest: sha256 of the data; of a part, sha256 of that digest and of what part it is, so that no report compares
            a part with the whole.
        labels: The data set's labels in the order of their ids.
        group_column: Column of the groups: `seed_id` in a MERGE data set.
        without_label: Number of rows without a gold label, which are left out.
        partial: What part was scored; None for the whole.
    """

    name: str
    title: str
    revision: str | None
    config: str | None
    digest: Digest
    labels: Annotated[tuple[Label, ...], Field(min_length=2, max_length=MAX_LABELS)]
    group_column: str
    without_label: Count = 0
    partial: PartialRecord | None = None

    @property
    def key(self) -> tuple[str, str | None]:
        """What makes two results comparable: the same content in the same config, whatever it is called."""
        return self.digest, self.config

    @property
    def whole(self) -> str:
        """Digest of the whole data."""
        return self.digest if self.partial is None else self.partial.of

    @property
    def version(self) -> str:
        """Beginning of the version of the data set in its card, as it is shown."""
        return f"{data_version(self.whole)[:SHOWN_VERSION]}…"


@dataclass(frozen=True)
class PromptRecord(StrictValue):
    """How a language model was prompted, and what that took.

    Attributes:
        harness: What called the model: `inspect_ai`, `lm_eval`, or `merge_snli` for `merge-snli score --prompt`.
        provider: Provider or backend of the model, such as `openai` or `hf`.
        prompt: Name of the prompt.
        prompt_digest: sha256 of everything that the prompt shows besides the problem.
        shots: Number of problems that the prompt shows with their labels.
        answers: `generated`: read from what the model wrote. `ranked`: the label with the largest log-likelihood.
        temperature: Sampling temperature; None if it is the provider's default or nothing was sampled.
        calls: Number of calls of the model; each label that is ranked takes one.
        input_tokens: Number of input tokens over all calls; None if the log does not have it.
        output_tokens: Number of output tokens over all calls; None if the log does not have it.
        retries: Number of calls that were made again after an error or a time-out; None if the log does not have it.
        settings: Other settings that change answers, such as `reasoning_effort`, as JSON texts.
        prompt_toml: The prompt in full, as a TOML file; None if the log does not have it.
        reasoning_tokens: Number of the output tokens that are reasoning; None if the log does not have it.
        cost: What the calls cost, in dollars; None if the prices of the model were not known during the run.
    """

    harness: str
    harness_version: str | None
    provider: str | None
    prompt: str
    prompt_digest: Digest
    shots: Count
    answers: Annotated[str, *one_of(ANSWERS)]
    temperature: NotNegative | None
    calls: Count
    input_tokens: Count | None
    output_tokens: Count | None
    retries: Count | None
    settings: dict[str, str]
    prompt_toml: str | None = None
    reasoning_tokens: Count | None = None
    cost: NotNegative | None = None

    @property
    def title(self) -> str:
        """The prompt in a few words, such as `few_shot, 3 shots`."""
        reader, effort = (self.settings.get(name, "").strip('"') for name in (READER, EFFORT))
        about = {
            f"{self.shots} shot{'s' if self.shots > 1 else ''}": self.shots,
            "ranked": self.answers == RANKED,
            "schema": SCHEMA in self.settings,
            f"reader {reader}": reader,
            f"effort {effort}": effort,
        }
        return ", ".join([self.prompt, *(text for text, holds in about.items() if holds)])

    @property
    def order(self) -> tuple[int, ...]:
        """The numbers of the labels, from 1, in the order in which the prompt lists them; empty for their own order."""
        return tuple(tomllib.loads(self.prompt_toml or "").get("order", ()))

    @property
    def unordered(self) -> str:
        """Name of the prompt without the order of the labels."""
        return self.prompt.removesuffix("".join(f"-{number}" for number in self.order))


@dataclass(frozen=True)
class RunRecord(StrictValue):
    """How the predictions were computed.

    Attributes:
        versions: Version of Python and of each package that the predictions depend on.
        dtype: Data type of the model, such as `float32`; None for a function.
        device: Device type, such as `cpu`; None for a function.
        seconds: Duration of the predictions; 0 for imported answers.
        no_answers: Number of distinct pairs on which no answer can be read, which is wrong; only of functions and
            imported answers.
        prompt: How a language model was prompted; None for other models.
        unread: Number of the pairs without an answer of a language model by why none is read, such as `cut` or
            `refused`.
        read_by_model: Number of the pairs whose answer a second language model read, by its name.
        samples: Number of answers to each distinct pair, of which the most frequent one counts; None if there is one.
        agreement: Share of these answers that are the one that counts, mean over the pairs; None if there is one
            answer.
        tied: Number of distinct pairs on which the largest scores of two labels are equal, so that the first one
            counts; of several answers to each pair, on which two labels are equally frequent.
    """

    versions: dict[str, str]
    dtype: str | None = None
    device: str | None = None
    seconds: NotNegative = 0.0
    no_answers: Count = 0
    prompt: PromptRecord | None = None
    unread: dict[str, Count] = field(default_factory=dict)
    read_by_model: dict[str, Count] = field(default_factory=dict)
    samples: Count | None = None
    agreement: Share | None = None
    tied: Count = 0


@dataclass(frozen=True)
class LeftOut(StrictValue):
    """Groups and rows that are longer than the model's maximum length, or not among imported answers.

    A group whose seed is too long is left out with all its rows, so that every score covers the same groups. A group
    with no remaining row is left out too.

    Attributes:
        max_length: Maximum number of tokens of the model; None if unlimited.
        groups: Number of groups left out.
        rows: Number of rows left out, including those of the groups left out.
        undrawn: Number of other rows, which no subsample has and the model did not predict, because only drawn rows
            were wanted.
    """

    max_length: Count | None
    groups: Count
    rows: Count
    undrawn: Count = 0
