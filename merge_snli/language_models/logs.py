"""What language models answered, in logs of Inspect and lm-evaluation-harness, and in results."""

import logging
import math
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from merge_snli.answers.data import ScoredData
from merge_snli.answers.replies import Reply, best_label, majority, replies_in
from merge_snli.base.errors import InputError, Message
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.dataset.label_spellings import Labels
from merge_snli.language_models.answers import read_reply
from merge_snli.language_models.questions import ALL_SUBSAMPLES, Scope
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.models.labels import Pair
from merge_snli.models.prompts import in_data_order, parse_prompt
from merge_snli.results.records import RANKED, TAKEN, PromptRecord
from merge_snli.results.rows import of_all
from merge_snli.results.store import read_result
from merge_snli.schema import ALL
from merge_snli.scoring.imports import ImportedAnswers

LM_EVAL_PREFIX = "samples_"
logger = logging.getLogger(__name__)


# Replies by the id of the question and the number of the reply, such as an epoch.
Replies: TypeAlias = dict[tuple[str, int], Reply]
# What it took to ask a question: by the names in `TAKEN`, their numbers; None for what is unknown.
Usage: TypeAlias = dict[str, int | float | None]
# The usage of samples, by what identifies a sample in all logs that have it.
UsageBySample: TypeAlias = dict[tuple[str, ...], Usage]


@dataclass(frozen=True)
class SampleFacts:
    """What a log says about a sample of another task than those of this package.

    Attributes:
        group: The group that it belongs to.
        target: Digest of the right answer, so that no two questions with the same id are compared.
    """

    group: str
    target: str


@dataclass(frozen=True)
class Log:
    """What a log says.

    Attributes:
        path: The file.
        model: Name of the model.
        digest: Digest of the model, the prompt and the settings; see `run_digest`.
        dataset: Digest of the data set of the questions; of another task its name and which score counts.
        name: Name of that data set, or of the other task.
        scope: Which part of it has the questions, whatever seeds.
        prompt: The prompt and the settings, without the usage.
        versions: Versions of the libraries of the run.
        replies: The replies.
        usage: What each sample took.
        texts: The last text of each question by its id, as far as the log has it.
        first_tokens: The log-probability of the first token with a letter or digit of a reply, followed by those of
            the likeliest other tokens in its place, by the keys of `replies`; empty if the log does not have them.
        samples: The samples of another task by their ids; their replies are labeled by their scores.
        planned: The ids of the samples that were to be asked, as far as the log says it.
    """

    path: Path
    model: str
    digest: str
    dataset: str
    name: str
    scope: Scope
    prompt: PromptRecord
    versions: dict[str, str]
    replies: Replies = field(default_factory=dict)
    usage: UsageBySample = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    first_tokens: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    samples: dict[str, SampleFacts] = field(default_factory=dict)
    planned: tuple[str, ...] = ()


def run_digest(model: str, prompt: PromptRecord) -> str:
    """Return a digest of a model, its prompt and the settings, without the usage."""
    how = [prompt.harness, prompt.provider, prompt.prompt_digest, prompt.answers, prompt.temperature]
    return sha256_of_json([model, *how, prompt.settings])


def log_without_samples(
    path: Path,
    record: JsonObject,
    *,
    harness: str,
    provider: str,
    model: str,
    versions: dict[str, str],
    answers: str,
    temperature: float | None,
    settings: dict[str, str],
) -> Log:
    """Return a log to which its samples are added.

    Args:
        path: The file.
        record: What the task says about its questions (`Questions.record`) and its prompt (`FilledPrompt.record`); the
            seeds do not matter.
        harness: What called the model; one of `versions`.
        provider: As in `PromptRecord`, like the last three.
        model: Name of the model.
        versions: Versions of the libraries of the run.
        answers: Whether the answers are generated or ranked.
        temperature: Sampling temperature.
        settings: Other settings that change answers.
    """
    try:
        scope = Scope(
            config=str(record["config"]),
            subsample=record["subsample"],
            limit_seeds=record["limit_seeds"],
            group_column=record.get("group_column"),
        )
    except (KeyError, InputError) as error:
        raise InputError(f"{path} does not say which part of a data set it is on: run the task again") from error
    prompt = PromptRecord(
        harness=harness,
        harness_version=versions.get(harness),
        provider=provider,
        prompt=str(record["prompt"]),
        prompt_digest=str(record["prompt_digest"]),
        prompt_toml=record.get("prompt_toml"),
        shots=int(record["shots"]),
        answers=answers,
        temperature=temperature,
        settings=settings,
        calls=0,  # the usage follows from the samples
        input_tokens=None,
        output_tokens=None,
        retries=None,
    )
    digest = run_digest(model, prompt)
    dataset = str(record["dataset"])
    name = str(record.get("name"))
    return Log(path, model, digest, dataset, name, scope, prompt, versions)


def answers_of(logs: Sequence[Log], data: ScoredData, *, model: str | None = None) -> ImportedAnswers:
    """Return the answers in the logs of one run, as they are read in what the model wrote.

    Args:
        logs: The logs, at least one.
        data: The whole config of the questions.
        model: Name of the model; by default that of the logs.
    """
    first = logs[0]
    pairs = data.pairs_by_id()
    filled = filled_prompt(first.prompt, data)
    numbered: dict[Pair, dict[int, Reply]] = {}
    for log in logs:
        _check_questions(log, pairs, filled, data)
        for (question, number), reply in _read(log, filled, data.label_names).items():
            of_pair = numbered.setdefault(pairs[question], {})
            if of_pair.setdefault(number, reply).label != reply.label:
                raise InputError(
                    f"{log.path}: sample {question} has another answer in an earlier log: give one of them"
                )
    replies = {}
    for pair, by_number in numbered.items():
        replies[pair] = tuple(by_number[number] for number in sorted(by_number))
    used: UsageBySample = {}
    for log in logs:
        used |= log.usage  # a retried run's log repeats the samples that it reuses
    sums: JsonObject = {name: of_all(sum, [usage.get(name) for usage in used.values()]) for name in TAKEN}
    return ImportedAnswers(
        source=", ".join(str(log.path) for log in logs),
        model=model or first.model,
        labels={pair: majority(of_pair) for pair, of_pair in replies.items()},
        replies=replies,
        prompt=replace(first.prompt, **sums),
        digest=first.digest,
        versions=first.versions,
    )


def filled_prompt(record: PromptRecord, data: ScoredData) -> FilledPrompt | None:
    """Return the prompt without shots; None if the log does not have it in full."""
    if record.prompt_toml is None:
        return None
    prompt = parse_prompt(tomllib.loads(record.prompt_toml), f"the prompt {record.prompt} of the log")
    return FilledPrompt(prompt, data.label_names, texts=data.texts)


def _check_questions(log: Log, pairs: dict[str, Pair], filled: FilledPrompt | None, data: ScoredData) -> None:
    """Check that a log has the questions of the data under their ids; of an unknown prompt, their texts."""
    for question, _ in log.replies:
        if question not in pairs:
            raise InputError(f"{log.path}: sample {question} is not in {data.full_name}")
        shown = [filled.question(*pairs[question])] if filled else pairs[question]
        if question in log.texts and not all(text in log.texts[question] for text in shown):
            raise InputError(f"{log.path}: sample {question} does not ask the pair {question} of {data.full_name}")


def _read(log: Log, filled: FilledPrompt | None, labels: Labels) -> Replies:
    """Return the replies of a log as they are read now; warn if they are stored with other labels."""
    if log.samples:
        return log.replies
    read = {}
    for key, reply in log.replies.items():
        if log.prompt.answers == RANKED:
            read[key] = replace(reply, label=best_label(labels, reply.log_likelihoods))
            continue
        if filled is None:
            found = read_reply(reply.text, labels, kind=reply.kind)
        else:
            found = read_reply(reply.text, filled.labels, filled.prompt.answer, filled.words, reply.kind)
        if reply.reader and reply.label in labels and not found.label:
            read[key] = reply
        else:
            read[key] = _with_likelihoods(found, log, key, filled)
    changed = sum(reply.label != log.replies[key].label for key, reply in read.items())
    if changed:
        logger.warning(
            Message(
                f"{log.path}: {changed:,} of the {len(read):,} answers are stored with another label than their text "
                "states; the texts count"
            )
        )
    return read


def _with_likelihoods(reply: Reply, log: Log, key: tuple[str, int], filled: FilledPrompt | None) -> Reply:
    """Return a reply with the log-likelihoods of the labels of the data, if they are known.

    They are known if its first token is the answer, and every other answer is one of the likeliest tokens there.
    """
    tokens = log.first_tokens.get(key)
    stored = log.replies[key]
    if not tokens or filled is None or reply.label is None:
        return replace(reply, log_likelihoods=stored.log_likelihoods if stored.label == reply.label else ())
    answers = [plain_token(answer) for answer in filled.answers]
    by_token: defaultdict[str, float] = defaultdict(float)
    for token, likelihood in tokens.items():
        by_token[plain_token(token)] += math.exp(likelihood)
    shares = [by_token[answer] for answer in answers]
    if plain_token(next(iter(tokens))) != answers[filled.labels.index(reply.label)] or not all(shares):
        return reply
    return replace(reply, log_likelihoods=in_data_order(map(math.log, shares), filled.prompt.order))


def plain_token(token: str) -> str:
    """Return the letters and digits of a token in lower case."""
    return "".join(filter(str.isalnum, token.casefold()))


def check_digest(log: Log, data: ScoredData) -> None:
    """Check that a log is on some data.

    Args:
        log: The log.
        data: The whole config that the log names.
    """
    whole = data if data.dataset is None else data.dataset
    if log.dataset not in (whole.digest, data.digest):
        raise InputError(
            f"{log.path} is on {log.name} (sha256 {log.dataset[:12]}…), not on {whole.name} (sha256 "
            f"{whole.digest[:12]}…): give ⟦dataset⟧ the same version of the data set as in the log"
        )


def read_result_log(path: Path) -> Log:
    """Return an imported result of a language model as the log that it was imported from."""
    result = read_result(path)
    about = result.dataset
    prompt = result.run.prompt
    replies = {}
    for name, of_row in replies_in(result.table).items():
        for number, reply in enumerate(of_row):
            replies[name, number] = reply
    if prompt is None or not replies:
        raise InputError(f"{path} is not the result of a log: give results that have what a language model replied")
    subsample = limit_seeds = None
    if about.partial is not None:
        subsample = about.partial.subsample
        limit_seeds = about.partial.limit_seeds
    scope = Scope(
        config=about.config or ALL,
        group_column=None if about.config else about.group_column,
        subsample=ALL_SUBSAMPLES if subsample is None else subsample,
        limit_seeds=limit_seeds,
    )
    return Log(
        path=path,
        model=result.model.name,
        digest=result.model.digest or run_digest(result.model.name, prompt),
        dataset=about.whole,
        name=about.name,
        scope=scope,
        prompt=prompt,
        versions=result.run.versions,
        replies=replies,
        usage={(str(path),): {name: getattr(prompt, name) for name in TAKEN}},
    )
