"""Logs of Inspect and lm-evaluation-harness, joined to the answers of models."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_json
from merge_snli.scoring.imports import ImportedAnswers, pairs_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.models.labels import Pair
    from merge_snli.scoring.predictions.scored_data import ScoredData
    from merge_snli.scoring.results.records import PromptRecord

LM_EVAL_PREFIX = "samples_"


@dataclass(frozen=True)
class AskedPart:
    """The part of a data set that a log is on.

    Attributes:
        config: `all` or a word class.
        subsample: The subsample whose variants were the questions; None for every variant.
        limit_seeds: Number of seeds; None for all.
    """

    config: str
    subsample: int | None
    limit_seeds: int | None


@dataclass(frozen=True)
class Usage:
    """What it took to ask a question; the fields have the names of those of `PromptRecord`.

    Attributes:
        calls: Number of calls.
        input_tokens: Number of input tokens; None if unknown, like the next two.
        output_tokens: Number of output tokens.
        retries: Number of failed attempts.
    """

    calls: int
    input_tokens: int | None = None
    output_tokens: int | None = None
    retries: int | None = None


@dataclass(frozen=True)
class Log:
    """What a log says.

    Attributes:
        path: The file.
        model: Name of the model.
        dataset: Digest of the data set that was asked.
        name: Name of that data set.
        part: The part of it that was asked.
        labels: The answer to each question by its id: a label, or None if it cannot be read.
        texts: What the model wrote, by question; empty if it ranked the labels.
        usage: What each sample took, by what identifies the sample in all logs that have it.
        prompt: How the model was asked, without what that took.
        versions: Versions of the libraries that asked it.
    """

    path: Path
    model: str
    dataset: str
    name: str
    part: AskedPart
    labels: dict[str, str | None]
    texts: dict[str, str]
    usage: dict[tuple[str, ...], Usage]
    prompt: PromptRecord
    versions: dict[str, str]

    @property
    def digest(self) -> str:
        """A digest of the model and how it was asked, without what that took."""
        prompt = self.prompt
        asked = [prompt.harness, prompt.provider, prompt.prompt_digest, prompt.answers, prompt.temperature]
        return sha256_of_json([self.model, *asked, prompt.settings])


def asked_part(record: dict[str, Any], path: Path) -> AskedPart:
    """Return the part of a data set that the record of a task names (`Questions.record`).

    Raises:
        InputError: If the record is not one of this package.
    """
    try:
        subsample, limit = record["subsample"], record["limit_seeds"]
        return AskedPart(
            str(record["config"]), None if subsample == "all" else int(subsample), None if limit is None else int(limit)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not say which part of a data set was asked: run the task again") from error


def join_logs(logs: Sequence[Log]) -> list[list[Log]]:
    """Group the logs of one model, asked in one way on one part of a data set: one run, maybe in several parts."""
    groups: dict[tuple[str, AskedPart], list[Log]] = {}
    for log in logs:
        groups.setdefault((log.digest, log.part), []).append(log)
    return list(groups.values())


def answers_of(logs: Sequence[Log], data: ScoredData, *, model: str | None = None) -> ImportedAnswers:
    """Return the answers in the logs of one run.

    Args:
        logs: The logs, at least one.
        data: The whole config that was asked.
        model: Name of the model; by default that of the logs.

    Raises:
        InputError: If a log is on other data or has unknown ids, or two logs give one question different answers.
    """
    first, pairs = logs[0], pairs_by_id(data)
    labels: dict[Pair, str | None] = {}
    texts: dict[Pair, str] = {}
    for log in logs:
        check_dataset(log, data.stored)
        for question, label in log.labels.items():
            if question not in pairs:
                raise InputError(f"{log.path}: sample {question} is not in {data.place}")
            if labels.setdefault(pairs[question], label) != label:
                raise InputError(
                    f"{log.path}: sample {question} has another answer in an earlier log: give one of them"
                )
        texts |= {pairs[question]: text for question, text in log.texts.items()}
    # A retried run's log repeats the samples that it reuses.
    used = {key: usage for log in logs for key, usage in log.usage.items()}.values()
    sums: dict[str, Any] = {each.name: _sum(getattr(usage, each.name) for usage in used) for each in fields(Usage)}
    return ImportedAnswers(
        source=", ".join(str(log.path) for log in logs),
        model=model or first.model,
        labels=labels,
        texts=texts,
        prompt=replace(first.prompt, **sums),
        digest=first.digest,
        versions=first.versions,
    )


def check_dataset(log: Log, dataset: MergeDataset) -> None:
    """Check that a log is on a data set.

    Raises:
        InputError: If not.
    """
    check_digest(log.path, log.name, log.dataset, dataset)


def check_digest(path: Path, name: str, digest: str, dataset: MergeDataset) -> None:
    """Check that a file is on a data set.

    Args:
        path: The file.
        name: Name of the data set that the file is on.
        digest: Digest of that data set.
        dataset: The data set.

    Raises:
        InputError: If not.
    """
    if digest != dataset.digest:
        raise InputError(
            f"{path} is on {name} (sha256 {digest[:12]}…), not on {dataset.name} (sha256 {dataset.digest[:12]}…): give "
            f"{param('dataset')} the same version of the data set as in the log"
        )


def _sum(values: Iterable[int | None]) -> int | None:
    found = [*values]
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None
