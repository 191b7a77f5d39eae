"""What language models answered: in logs of Inspect and lm-evaluation-harness, and in the files kept beside results."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import sha256_of_json, write_text
from merge_snli.language_models.answers import read_answer, reply_of
from merge_snli.language_models.questions import ALL_SUBSAMPLES, Scope
from merge_snli.models.labels import Pair
from merge_snli.models.prompts import AnswerForm, FilledPrompt, parse_prompt
from merge_snli.problems.file_rows import open_file
from merge_snli.schema import ALL
from merge_snli.scoring.imports import ImportedAnswers, pairs_by_id
from merge_snli.scoring.predictions.scored_data import ScoredData
from merge_snli.scoring.replies import Reply, majority
from merge_snli.scoring.results.files import read_result
from merge_snli.scoring.results.mean_scores import sum_of
from merge_snli.scoring.results.records import PromptRecord

LM_EVAL_PREFIX = "samples_"

ENDING = ".answers.jsonl"


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
        digest: Digest of the model and how it was asked; see `asked_digest`.
        dataset: Digest of the data set that was asked.
        name: Name of that data set.
        part: The part of it that was asked, whatever seeds.
        replies: The replies by the id of the question and the number of the reply, such as an epoch.
        usage: What each sample took, by what identifies the sample in all logs that have it.
        prompt: How the model was asked, without what that took.
        versions: Versions of the libraries that asked it.
    """

    path: Path
    model: str
    digest: str
    dataset: str
    name: str
    part: Scope
    replies: dict[tuple[str, int], Reply]
    usage: dict[tuple[str, ...], Usage]
    prompt: PromptRecord
    versions: dict[str, str]


def asked_digest(model: str, prompt: PromptRecord) -> str:
    """Return a digest of a model and how it was asked, without what that took."""
    asked = [prompt.harness, prompt.provider, prompt.prompt_digest, prompt.answers, prompt.temperature]
    return sha256_of_json([model, *asked, prompt.settings])


def asked_part(record: dict[str, Any], path: Path) -> Scope:
    """Return the part of a data set that the record of a task names (`Questions.record`), with its seeds or without.

    Raises:
        InputError: If the record is not one of this package.
    """
    try:
        return Scope(
            config=str(record["config"]),
            subsample=record["subsample"],
            limit_seeds=record["limit_seeds"],
            group_column=record.get("group_column"),
        )
    except (KeyError, InputError) as error:
        raise InputError(f"{path} does not say which part of a data set was asked: run the task again") from error


def join_logs(logs: Sequence[Log]) -> list[list[Log]]:
    """Group the logs of one model, asked in one way on one part of a data set: one run, maybe in several parts."""
    groups: dict[tuple[str, str, str, Scope], list[Log]] = {}
    for log in logs:
        groups.setdefault((log.model, log.digest, log.dataset, log.part), []).append(log)
    return list(groups.values())


def answers_of(logs: Sequence[Log], data: ScoredData, *, model: str | None = None) -> ImportedAnswers:
    """Return the answers in the logs of one run.

    Args:
        logs: The logs, at least one.
        data: The whole config that was asked.
        model: Name of the model; by default that of the logs.

    Raises:
        InputError: If a log has unknown ids, or two logs give one question different answers.
    """
    first, pairs = logs[0], pairs_by_id(data)
    numbered: dict[Pair, dict[int, Reply]] = {}
    for log in logs:
        for (question, number), reply in log.replies.items():
            if question not in pairs:
                raise InputError(f"{log.path}: sample {question} is not in {data.place}")
            if numbered.setdefault(pairs[question], {}).setdefault(number, reply).label != reply.label:
                raise InputError(
                    f"{log.path}: sample {question} has another answer in an earlier log: give one of them"
                )
    replies = {pair: tuple(found[number] for number in sorted(found)) for pair, found in numbered.items()}
    # A retried run's log repeats the samples that it reuses.
    used = {key: usage for log in logs for key, usage in log.usage.items()}.values()
    sums: dict[str, Any] = {each.name: sum_of([getattr(usage, each.name) for usage in used]) for each in fields(Usage)}
    return ImportedAnswers(
        source=", ".join(str(log.path) for log in logs),
        model=model or first.model,
        labels={pair: majority(each) for pair, each in replies.items()},
        replies=replies,
        prompt=replace(first.prompt, **sums),
        digest=first.digest,
        versions=first.versions,
    )


def check_digest(log: Log, data: ScoredData) -> None:
    """Check that a log is on some data.

    Args:
        log: The log.
        data: The whole config that the log names.

    Raises:
        InputError: If not.
    """
    whole = data if data.dataset is None else data.dataset
    if log.dataset not in (whole.digest, data.digest):
        raise InputError(
            f"{log.path} is on {log.name} (sha256 {log.dataset[:12]}…), not on {whole.name} (sha256 "
            f"{whole.digest[:12]}…): give {param('dataset')} the same version of the data set as in the log"
        )


def kept_path(result: Path) -> Path:
    """Return the path of the answers of a result file: `NAME.answers.jsonl` beside `NAME.json`."""
    return result.with_suffix(ENDING)


def write_kept(answers: ImportedAnswers, data: ScoredData, result: Path) -> None:
    """Write what a language model replied beside its result, one line per reply; nothing for another model."""
    if not answers.replies:
        return
    ids = {pair: name for name, pair in reversed(pairs_by_id(data).items())}
    lines = [
        json.dumps({"id": ids[pair], "answer": reply.label, **_content(reply)}, ensure_ascii=False)
        for pair, replies in answers.replies.items()
        for reply in replies
    ]
    write_text(kept_path(result), "".join(f"{line}\n" for line in lines))


def _content(reply: Reply) -> dict[str, Any]:
    if reply.log_likelihoods:
        return {"log_likelihoods": reply.log_likelihoods}
    return {"text": reply.text} | ({} if reply.kind is None else {"unread": reply.kind})


def read_kept(result: Path) -> dict[str, tuple[Reply, ...]]:
    """Read what a model replied from the file beside its result.

    Returns:
        The replies to each distinct sentence pair, by the id of the first variant or seed with the pair.

    Raises:
        InputError: If the file does not exist or is invalid.
    """
    path = kept_path(result)
    if not path.is_file():
        raise InputError(f"{path.name}, which has the answers of the model, is not beside {result}: import its logs")
    kept: dict[str, tuple[Reply, ...]] = {}
    for row in open_file(path).read():
        name, label, text, kind = (row.values.get(key) for key in ("id", "answer", "text", "unread"))
        ranked = row.values.get("log_likelihoods")
        if not isinstance(name, str) or not (ranked or isinstance(text, str)):
            raise InputError(f"{row.location} does not have an id and the text of an answer: import the logs again")
        reply = Reply(label, log_likelihoods=tuple(ranked)) if ranked else reply_of(str(text), label, kind)
        kept[name] = (*kept.get(name, ()), reply)
    return kept


def read_kept_log(path: Path) -> Log:
    """Return a result and the answers beside it as the log that they were imported from.

    Raises:
        InputError: If the result is not one of a language model, or has no kept answers.
    """
    result = read_result(path)
    about, part, prompt = result.dataset, result.dataset.partial, result.run.prompt
    if prompt is None:
        raise InputError(f"{path} is not the result of a language model: give results that have answers beside them")
    return Log(
        path=path,
        model=result.model.name,
        digest=result.model.digest or asked_digest(result.model.name, prompt),
        dataset=about.digest if part is None else part.of,
        name=about.name,
        part=Scope(
            config=about.config or ALL,
            group_column=about.group_column if about.config is None else None,
            subsample=ALL_SUBSAMPLES if part is None or part.subsample is None else part.subsample,
            limit_seeds=None if part is None else part.limit_seeds,
        ),
        replies={(name, number): reply for name, each in read_kept(path).items() for number, reply in enumerate(each)},
        usage={(str(path),): Usage(prompt.calls, prompt.input_tokens, prompt.output_tokens, prompt.retries)},
        prompt=prompt,
        versions=result.run.versions,
    )


def read_again(answers: ImportedAnswers, labels: Sequence[str]) -> ImportedAnswers:
    """Read the answers from what the model wrote; those without a text stay."""
    form, words = _asked_for(answers.prompt, tuple(labels))

    def again(reply: Reply) -> Reply:
        if reply.log_likelihoods:
            return reply
        return reply_of(reply.text, read_answer(reply.text, labels, form, words), reply.kind)

    read = {pair: tuple(map(again, each)) for pair, each in answers.replies.items()}
    return replace(answers, replies=read, labels={pair: majority(each) for pair, each in read.items()})


def _asked_for(record: PromptRecord | None, labels: tuple[str, ...]) -> tuple[AnswerForm | None, tuple[str, ...]]:
    """Return the form of answer and the words that a prompt asked for."""
    if record is None or record.prompt_toml is None:
        return None, ()
    prompt = parse_prompt(tomllib.loads(record.prompt_toml), f"the prompt {record.prompt} of the log")
    return prompt.answer, FilledPrompt(prompt, labels).words
