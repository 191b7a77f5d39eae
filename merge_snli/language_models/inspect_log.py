"""Read the logs of Inspect: of the task `merge_snli/nli`, and the scores of any other task."""

import json
import math
from dataclasses import replace
from pathlib import Path

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import NOANSWER, value_to_float

from merge_snli.answers.replies import NOT_STATED, Reply
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.base.inspect_logs import BROKEN, CONNECTION, read_header, read_samples, settings_of
from merge_snli.language_models.inspect_replies import kind_of
from merge_snli.language_models.inspect_task import READ_BY_MODEL, RECORD, SCORER
from merge_snli.language_models.logs import Log, Usage, log_without_samples, plain_token
from merge_snli.language_models.sample_scores import Scoring
from merge_snli.results.records import GENERATED, READER
from merge_snli.results.rows import of_all

HARNESS = "inspect_ai"

# Fields of `PromptRecord`, and where Inspect has them.
USED = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "cost": "total_cost",
}


def read_inspect_log(path: Path, scoring: Scoring | None = None) -> Log:
    """Read a log, `.eval` or `.json`, finished or not.

    Samples without a score, because the run stopped or they failed, have no answer in the result.

    Args:
        path: The log.
        scoring: Which scores count, of another task than `merge_snli/nli`; None for that.
    """
    message = f"{path} is not a whole log of Inspect (⟦reason⟧): copy it again"
    with explained((*BROKEN, PrerequisiteError), message):
        return _read(path, scoring)


def _read(path: Path, scoring: Scoring | None) -> Log:
    header = read_header(path)
    spec = header.eval
    record = (spec.metadata or {}).get(RECORD)
    if scoring is not None:
        if record is not None:
            raise InputError(f"{path} is a log of merge_snli/nli: name its data set with ⟦dataset⟧")
        record = _record_of_scores(header) | scoring.scope
    elif not isinstance(record, dict) or "dataset" not in record:
        raise InputError(
            f"{path} is a log of the task {spec.task}, not of merge_snli/nli: remove ⟦dataset⟧ to import its scores"
        )
    else:
        record = {**record, "prompt": Path(str(record["prompt"])).name}
    log = _log(path, header, record)
    counting = set()
    for sample in read_samples(path):
        _add_usage(log, sample)
        is_scored = sample.error is None and sample.scores
        if scoring is not None:
            name = str(sample.id)
            log.samples[name] = scoring.sample(name, sample.metadata, sample.target, path)
            if is_scored:
                counting.add(_add_score(log, sample, scoring))
        elif is_scored:
            _add_answer(log, sample)
    planned = tuple(map(str, spec.dataset.sample_ids or ()))
    return replace(log, dataset=", ".join([log.dataset, *sorted(counting)]), planned=planned)


def _record_of_scores(header: EvalLog) -> JsonObject:
    """Return what another task asks: its solver and the arguments that were given are the prompt."""
    spec = header.eval
    steps = [step.model_dump(mode="json") for step in header.plan.steps]
    solver = spec.solver or (steps[-1]["solver"] if steps else header.plan.name)
    given = {**spec.task_args_passed, **(spec.solver_args_passed or {})}
    shown = [f"{name}={value!s:.40}" for name, value in given.items()]
    return {
        "dataset": spec.task,
        "name": spec.task,
        "prompt": ", ".join([solver.rpartition("/")[2], *shown]),
        "prompt_digest": sha256_of_json([steps, spec.task_args]),
        "shots": 0,
    }


def _log(path: Path, header: EvalLog, record: JsonObject) -> Log:
    """Return a log without its samples.

    Args:
        path: The file.
        header: The log as Inspect reads it.
        record: What the task says about its questions and its prompt.
    """
    provider, _, model = header.eval.model.partition("/")
    versions = dict(header.eval.packages)
    settings = settings_of(header)
    if record.get(READER):
        settings[READER] = record[READER]
    others = {name: json.dumps(value, sort_keys=True) for name, value in settings.items() if name not in CONNECTION}
    return log_without_samples(
        path,
        record,
        harness=HARNESS,
        provider=provider,
        model=model or provider,
        versions=versions,
        answers=GENERATED,
        temperature=settings.get("temperature"),
        settings=others,
    )


def _add_answer(log: Log, sample: EvalSample) -> None:
    """Add the answer to a question to a log."""
    question = str(sample.id)
    score = (sample.scores or {}).get(SCORER)
    if score is None:
        raise InputError(f"{log.path}: sample {question} was not scored by {SCORER}: score it with merge_snli/nli")
    reader = (score.metadata or {}).get(READ_BY_MODEL)
    key = question, sample.epoch
    log.replies[key] = Reply(score.answer, sample.output.completion, kind_of(sample.output), reader=reader)
    log.first_tokens[key] = _first_token(sample)
    log.texts[question] = sample.input if isinstance(sample.input, str) else sample.input[-1].text


def _add_score(log: Log, sample: EvalSample, scoring: Scoring) -> str:
    """Add the score of a sample of another task to a log, and return what counts."""
    values: JsonObject = {}
    for by, score in (sample.scores or {}).items():
        if isinstance(score.value, dict):
            values |= {f"{by}.{name}": value for name, value in score.value.items()}
        elif not isinstance(score.value, list):
            values[by] = score.value
    name = scoring.chosen(list(values), "score", log.path)
    value = values[name]
    unread = NOT_STATED if value == NOANSWER else None
    if sample.limit is not None:
        unread = f"{sample.limit.type} limit"
    number = math.nan if value is None else value_to_float()(value)
    scoring.add_reply(log, (str(sample.id), sample.epoch), number, sample.output.completion, unread)
    return scoring.title(name)


def _first_token(sample: EvalSample) -> dict[str, float]:
    """Return the log-probability of the first token with a letter or digit, and those of others in its place."""
    given = sample.output.choices[0].logprobs if sample.output.choices else None
    for token in given.content if given else ():
        if plain_token(token.token):
            others = token.top_logprobs or ()
            return {token.token: token.logprob} | {each.token: each.logprob for each in others}
    return {}


def _add_usage(log: Log, sample: EvalSample) -> None:
    """Add what a sample took to a log, without the calls of a model that read unread replies."""
    read = sample.role_usage.get(READER, ModelUsage())
    usage: Usage = {}
    for name, field in USED.items():
        total = of_all(sum, [getattr(of_model, field) for of_model in sample.model_usage.values()])
        if total:
            total -= getattr(read, field) or 0
        usage[name] = total
    events = [event for event in sample.events if event.event == "model" and event.role != READER]
    failed = sum(event.error is not None for event in events)  # such as attempts that took too long
    usage["calls"] = len(events) - failed if events else int(sample.error is None)
    usage["retries"] = failed + sum(event.retries or 0 for event in events) + len(sample.error_retries or [])
    log.usage[str(sample.id), str(sample.epoch), sample.uuid or str(log.path)] = usage
