"""The Inspect task `merge_snli/nli`: ask a language model the problems of a data set, and read the logs of such runs.

inspect eval merge_snli/nli --model openai/MODEL -T dataset=ORG/merge_snli -T config=noun -T prompt=few_shot
"""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, TaskSource, task, task_source
from inspect_ai._util.error import PrerequisiteError  # the error that Inspect prints without a traceback
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log_samples
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ModelUsage
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    SampleScore,
    Score,
    Scorer,
    ScoreReducer,
    Target,
    metric,
    score_reducer,
    scorer,
    value_to_float,
)
from inspect_ai.solver import TaskState

from merge_snli.answers.replies import NOT_STATED, Reply, majority
from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.files import sha256_of_json
from merge_snli.base.inspect_logs import BROKEN, CONNECTION, read_header, settings_of
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.inspect_replies import FAILING, ask, check_ask_again, kind_of
from merge_snli.language_models.logs import Log, Usage, log_without_samples, plain_token
from merge_snli.language_models.questions import Scope, accuracies, open_whole, read_questions, uses_of
from merge_snli.language_models.sample_scores import Scoring
from merge_snli.language_models.second_reader import answer_schema, read_by_model
from merge_snli.language_models.shots import SHOTS_FROM, fill_prompt
from merge_snli.models.prompts import (
    DEFAULT_PROMPT,
    AnswerForm,
    in_orders,
    prompt_names,
    read_prompt,
    read_prompts,
)
from merge_snli.results.records import GENERATED, READER, PromptRecord
from merge_snli.results.rows import of_all

# Key of the task's metadata that says what was asked and how.
RECORD = "merge_snli"

# Key of a score's metadata that names the model that read the answer, and of their number.
READ_BY_MODEL = "read_by_model"

HARNESS = "inspect_ai"
MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser}


@task
def nli(
    dataset: str | None = None,
    config: str = "all",
    subsample: int | str = 0,
    seeds: str = "with",
    prompt: str = DEFAULT_PROMPT,
    shots: int | None = None,
    shots_from: str = SHOTS_FROM,
    limit_seeds: int | None = None,
    random_seed: int = 0,
    group_column: str | None = None,
    schema: bool = False,
    reader: str | None = None,
    orders: str | None = None,
    prices: str | None = None,
    cost_limit: float | None = None,
    ask_again: int = 0,
) -> Task:
    """Ask for the label of each distinct sentence pair of a part of a data set.

    Args:
        dataset: Folder or Hub id of a MERGE data set; required.
        config: `all` or a word class.
        subsample: Number of the subsample whose variants are the questions, or `all` for every variant.
        seeds: `with` the seeds of the variants, `without` them, or `only` them.
        prompt: One of `merge_snli.models.prompts.PROMPTS`, or the path of a TOML file; with `-2-3-1` after it, it
            lists the labels in this order.
        shots: Number of problems that the prompt shows with their labels; by default that of the prompt.
        shots_from: File, folder or Hub id of the problems to draw shots from; `ORG/NAME:SPLIT` names a split.
        limit_seeds: Number of seeds to ask, with their variants; all by default.
        random_seed: Seed of the draw of the shots.
        group_column: Column of the groups, if `dataset` is a file or Hub id of labeled pairs.
        schema: Give the provider the schema of the answer; for prompts that ask for JSON.
        reader: Language model that is asked which label an unread reply states.
        orders: Ask each prompt in several orders, with one log each: `balanced` or `all`; only for `inspect eval`.
        prices: YAML or JSON file with the prices of models, as Inspect's `--model-cost-config` takes it.
        cost_limit: Dollars after which a run starts no question, whatever its prompts; it needs prices.
        ask_again: How often to ask a question again while its reply is empty or refused by the provider.
    """
    if dataset is None:
        raise PrerequisiteError("merge_snli/nli needs a data set: add -T dataset=DIR or -T dataset=ORG/NAME")
    if orders is not None:
        raise PrerequisiteError("one task has one order: name it with the prompt, such as prompt=letter-2-3-1")
    try:
        check_ask_again(ask_again)
        limits = cost_options(prices, cost_limit, reader)
        read = read_questions(
            dataset,
            Scope(
                config=config,
                subsample=subsample,
                seeds=seeds,  # type: ignore[arg-type]
                limit_seeds=limit_seeds,
                group_column=group_column,
            ),
        )
        filled = fill_prompt(
            read_prompt(prompt), read.data, shots=shots, shots_from=shots_from, random_seed=random_seed
        )
        if schema and filled.prompt.answer != "json":
            raise InputError(f"schema is for prompts that ask for JSON, not for {filled.prompt.name}: remove it")
        samples = [
            Sample(
                id=question.id,
                input=[
                    MESSAGES[message["role"]](content=message["content"])
                    for message in filled.messages(question.premise, question.hypothesis)
                ],
                target=question.label,
                metadata=question.metadata(),
            )
            for question in read.questions
        ]
    except InputError as error:
        raise PrerequisiteError(str(error)) from error
    return Task(
        dataset=MemoryDataset(samples, name=read.name),
        solver=ask(ask_again),
        scorer=nli_answer(list(filled.labels), filled.prompt.answer, list(filled.words), reader),
        config=GenerateConfig(
            temperature=0.0,
            max_tokens=filled.max_tokens,
            response_schema=answer_schema(filled.words) if schema else None,
        ),
        metadata={RECORD: {**read.record, **filled.record, READER: reader}},
        epochs=Epochs(1, most_frequent_answer()),
        fail_on_error=FAILING,
        **limits,
    )


def cost_options(prices: str | None, cost_limit: float | None, reader: str | None = None) -> dict[str, Any]:
    """Set the prices of models, and return the options of a task that limit what a run costs.

    Raises:
        InputError: If the prices cannot be read, or the limit is not a positive number.
    """
    if prices is None and cost_limit is None:
        return {}
    # Inspect announces the hook in this module in every run that finds it.
    from merge_snli.language_models.inspect_costs import UNREACHED, CostLimit, set_prices

    set_prices(prices)
    if cost_limit is None:
        return {}
    return {"cost_limit": UNREACHED, "early_stopping": CostLimit(cost_limit, reader)}


@task_source
@wraps(nli, updated=())
def nli_by_prompt(
    *,
    prompt: str | list[str] = DEFAULT_PROMPT,
    orders: str | None = None,
    **arguments: Any,  # noqa: ANN401 - of `nli`
) -> TaskSource:
    """Ask with several prompts in one run, with one log per prompt.

    It has the name of the task, and `inspect eval` prefers it; `inspect eval-retry` uses the task.

    Args:
        prompt: Names or paths of prompts, or `all`.
        orders: Ask each prompt in several orders of the labels: one of `merge_snli.models.prompts.ORDERS`.
        arguments: The other arguments of `nli`.
    """
    try:
        names = prompt_names(prompt)
        read_prompts(names)  # before the first task asks
        if orders and (dataset := arguments.get("dataset")):
            scope = Scope(config=arguments.get("config", "all"), group_column=arguments.get("group_column"))
            labels = open_whole(dataset, scope).label_names
            names = [
                name + each.name.removeprefix(own.name)
                for name in names
                for own in [read_prompt(name)]
                for each in in_orders(own, labels, orders)
            ]
    except InputError as error:
        raise PrerequisiteError(str(error)) from error
    return TaskSource.from_tasks([nli(prompt=name, **arguments) for name in names])


@metric
def merge_accuracy() -> Metric:
    """SA on seeds and variants, and PA at the quality threshold, with standard errors clustered by seed."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        answers = [
            (use, score.score.answer) for score in scores for use in uses_of(score.sample_metadata or {"label": ""})
        ]
        return accuracies(answers) | {
            "no_answer": float(sum(score.score.answer is None for score in scores)),
            READ_BY_MODEL: float(sum(READ_BY_MODEL in (score.score.metadata or {}) for score in scores)),
        }

    return compute


@scorer(metrics=[merge_accuracy()])
def nli_answer(
    labels: list[str], form: AnswerForm | None = None, words: Sequence[str] = (), reader: str | None = None
) -> Scorer:
    """Read the label in the model's answer; an answer that cannot be read is wrong.

    Args:
        labels: The labels of the data set, in the order in which letters count them.
        form: What the prompt asks for; None if that is unknown.
        words: The words that the prompt asks for, one per label, if they are not the labels.
        reader: Language model that is asked which label an unread reply states; None for none.
    """

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        answer, by = read_answer(text, labels, form, words), {}
        if answer is None and reader and (answer := await read_by_model(reader, text, labels, words or labels)):
            by = {READ_BY_MODEL: reader}
        value = CORRECT if answer == target.text else INCORRECT
        if answer is None:
            value = NOANSWER
        return Score(value=value, answer=answer, explanation=text, metadata=by or None)

    return score


SCORER = nli_answer.__name__


@score_reducer(name="most_frequent_answer")
def most_frequent_answer() -> ScoreReducer:
    """Take the score of the most frequent answer of several epochs."""

    def reduce(scores: list[Score]) -> Score:
        answer = majority([Reply(score.answer) for score in scores])
        return next(score for score in scores if score.answer == answer or answer is None)

    return reduce


def read_inspect_log(path: Path, scoring: Scoring | None = None) -> Log:
    """Read a log, `.eval` or `.json`, finished or not.

    Samples without a score, because the run stopped or they failed, have no answer in the result.

    Args:
        path: The log.
        scoring: Which scores count, of another task than `merge_snli/nli`; None for that.
    """
    message = f"{path} is not a whole log of Inspect ({REASON}): copy it again"
    with explained((*BROKEN, PrerequisiteError), message):
        return _read(path, scoring)


def _read(path: Path, scoring: Scoring | None) -> Log:
    header = read_header(path)
    record = _own_record(header, path) if scoring is None else _record(header, path, scoring)
    provider, _, model = header.eval.model.partition("/")
    prompt = _prompt(header, record, provider)
    log = log_without_samples(path, record, prompt, model=model or provider, versions=dict(header.eval.packages))
    counting = set()
    for sample in read_eval_log_samples(path, all_samples_required=False):
        log.usage[str(sample.id), str(sample.epoch), sample.uuid or str(path)] = _usage(sample)
        is_scored = sample.error is None and bool(sample.scores)
        if scoring is not None:
            log.samples[str(sample.id)] = scoring.sample(str(sample.id), sample.metadata, sample.target, path)
            if is_scored:
                counting.add(_add_score(log, sample, scoring))
        elif is_scored:
            _add_answer(log, sample)
    if scoring is None:
        return log
    planned = header.eval.dataset.sample_ids or ()
    return replace(log, dataset=", ".join([log.dataset, *sorted(counting)]), planned=tuple(map(str, planned)))


def _own_record(header: EvalLog, path: Path) -> dict[str, Any]:
    """Return what a log of `merge_snli/nli` says about its task."""
    record = (header.eval.metadata or {}).get(RECORD)
    if not isinstance(record, dict) or "dataset" not in record:
        raise InputError(
            f"{path} is a log of the task {header.eval.task}, not of merge_snli/nli: remove {param('dataset')} to "
            "import its scores"
        )
    return record | {"prompt": Path(str(record["prompt"])).name}


def _record(header: EvalLog, path: Path, scoring: Scoring) -> dict[str, Any]:
    """Return the same about another task, of which the solver and the arguments that were given are the prompt."""
    if RECORD in (header.eval.metadata or {}):
        raise InputError(f"{path} is a log of merge_snli/nli: name its data set with {param('dataset')}")
    spec, steps = header.eval, [step.model_dump(mode="json") for step in header.plan.steps]
    solver = spec.solver or (steps[-1]["solver"] if steps else header.plan.name)
    given = {**spec.task_args_passed, **(spec.solver_args_passed or {})}
    shown = [f"{name}={value!s:.40}" for name, value in given.items()]
    return {
        "dataset": spec.task,
        "name": spec.task,
        "prompt": ", ".join([solver.rpartition("/")[2], *shown]),
        "prompt_digest": sha256_of_json([steps, spec.task_args]),
        "shots": 0,
        **scoring.scope,
    }


def _prompt(header: EvalLog, record: dict[str, Any], provider: str) -> PromptRecord:
    settings = settings_of(header)
    if record.get(READER):
        settings[READER] = record[READER]
    others = {name: json.dumps(value, sort_keys=True) for name, value in settings.items() if name not in CONNECTION}
    return PromptRecord(
        harness=HARNESS,
        harness_version=header.eval.packages.get(HARNESS),
        provider=provider,
        prompt=record["prompt"],
        prompt_digest=str(record["prompt_digest"]),
        prompt_toml=record.get("prompt_toml"),
        shots=int(record["shots"]),
        answers=GENERATED,
        temperature=settings.get("temperature"),
        calls=0,
        input_tokens=None,
        output_tokens=None,
        retries=None,
        settings=others,
    )


def _add_answer(log: Log, sample: EvalSample) -> None:
    """Add the answer to a question to a log."""
    question, score = str(sample.id), (sample.scores or {}).get(SCORER)
    if score is None:
        raise InputError(f"{log.path}: sample {question} was not scored by {SCORER}: score it with merge_snli/nli")
    log.replies[question, sample.epoch] = Reply(
        score.answer,
        sample.output.completion,
        kind_of(sample.output),
        reader=(score.metadata or {}).get(READ_BY_MODEL),
    )
    log.first_tokens[question, sample.epoch] = _first_token(sample)
    log.texts[question] = sample.input if isinstance(sample.input, str) else sample.input[-1].text


def _add_score(log: Log, sample: EvalSample, scoring: Scoring) -> str:
    """Add the score of a sample of another task to a log, and return what counts."""
    values: dict[str, Any] = {}
    for by, score in (sample.scores or {}).items():
        if isinstance(score.value, dict):
            values |= {f"{by}.{name}": value for name, value in score.value.items()}
        elif not isinstance(score.value, list):
            values[by] = score.value
    name = scoring.chosen(list(values), "score", log.path)
    value = values.get(name)
    unread = NOT_STATED if value == NOANSWER else None
    if sample.limit is not None:
        unread = f"{sample.limit.type} limit"
    number = math.nan if value is None else value_to_float()(value)
    reply = scoring.reply(number, sample.output.completion, unread, log.path)
    if reply is not None:
        log.replies[str(sample.id), sample.epoch] = reply
    return scoring.title(name)


def _first_token(sample: EvalSample) -> dict[str, float]:
    """Return the log-probability of the first token with a letter or digit, and those of others in its place."""
    given = sample.output.choices[0].logprobs if sample.output.choices else None
    first = next((token for token in given.content if plain_token(token.token)), None) if given else None
    return {} if first is None else {each.token: each.logprob for each in [first, *(first.top_logprobs or ())]}


# Fields of `PromptRecord`, and where Inspect has them.
USED = {name: name for name in ("input_tokens", "output_tokens", "reasoning_tokens")} | {"cost": "total_cost"}


def _usage(sample: EvalSample) -> Usage:
    """Return what a sample took, without the calls of a model that read unread replies."""
    events = [event for event in sample.events if event.event == "model" and event.role != READER]
    read = sample.role_usage.get(READER, ModelUsage())
    used = {
        name: of_all(sum, [getattr(usage, field) for usage in sample.model_usage.values()])
        for name, field in USED.items()
    }
    failed = sum(event.error is not None for event in events)  # such as attempts that took too long
    return {
        "calls": len(events) - failed if events else int(sample.error is None),
        **{name: total and total - (getattr(read, USED[name]) or 0) for name, total in used.items()},
        "retries": failed + sum(event.retries or 0 for event in events) + len(sample.error_retries or []),
    }
