"""The Inspect task `merge_snli/nli`: ask a language model the problems of a data set.

inspect eval merge_snli/nli --model openai/MODEL -T dataset=ORG/merge_snli -T config=noun -T prompt=few_shot
"""

from collections.abc import Sequence
from functools import wraps
from typing import Any

from inspect_ai import Epochs, Task, TaskSource, task, task_source
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
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
)
from inspect_ai.solver import TaskState

from merge_snli.answers.replies import Reply, majority
from merge_snli.base.errors import InputError
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.inspect_replies import FAILING, ask, check_ask_again, shown_by_inspect
from merge_snli.language_models.questions import Question, Scope, accuracies, open_whole, read_questions, uses_of
from merge_snli.language_models.second_reader import answer_schema, read_by_model
from merge_snli.language_models.shots import SHOTS_FROM, fill_prompt
from merge_snli.models.filled_prompt import FilledPrompt, in_orders
from merge_snli.models.prompts import DEFAULT_PROMPT, AnswerForm, prompt_names, read_prompt, read_prompts
from merge_snli.results.records import READER

# Key of the task's metadata with the part of the data, the prompt and the reader.
RECORD = "merge_snli"

# Key of a score's metadata that names the model that read the answer, and of their number.
READ_BY_MODEL = "read_by_model"

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
        reader: Language model that reads the label in unread replies.
        orders: Ask each prompt in several orders, with one log each: `balanced` or `all`; only for `inspect eval`.
        prices: YAML or JSON file with the prices of models, as Inspect's `--model-cost-config` takes it.
        cost_limit: Dollars after which a run starts no question, whatever its prompts; it needs prices.
        ask_again: How often to ask a question again while its reply is empty or refused by the provider.
    """
    with shown_by_inspect():
        if dataset is None:
            raise InputError("merge_snli/nli needs a data set: add -T dataset=DIR or -T dataset=ORG/NAME")
        if orders is not None:
            raise InputError("one task has one order: name it with the prompt, such as prompt=letter-2-3-1")
        check_ask_again(ask_again)
        limits = cost_options(prices, cost_limit, reader)
        scope = Scope(
            config=config,
            subsample=subsample,
            seeds=seeds,  # type: ignore[arg-type]
            limit_seeds=limit_seeds,
            group_column=group_column,
        )
        read = read_questions(dataset, scope)
        filled = fill_prompt(
            read_prompt(prompt), read.data, shots=shots, shots_from=shots_from, random_seed=random_seed
        )
        if schema and filled.prompt.answer != "json":
            raise InputError(f"schema is for prompts that ask for JSON, not for {filled.prompt.name}: remove it")
        samples = [_sample(question, filled) for question in read.questions]
    answer = answer_schema(filled.words) if schema else None
    return Task(
        dataset=MemoryDataset(samples, name=read.name),
        solver=ask(ask_again),
        scorer=nli_answer(list(filled.labels), filled.prompt.answer, list(filled.words), reader),
        config=GenerateConfig(temperature=0.0, max_tokens=filled.max_tokens, response_schema=answer),
        metadata={RECORD: {**read.record, **filled.record, READER: reader}},
        epochs=Epochs(1, most_frequent_answer()),
        fail_on_error=FAILING,
        **limits,
    )


def _sample(question: Question, filled: FilledPrompt) -> Sample:
    """Return a question as Inspect asks it."""
    messages = []
    for message in filled.messages(question.premise, question.hypothesis):
        messages.append(MESSAGES[message["role"]](content=message["content"]))
    return Sample(id=question.id, input=messages, target=question.label, metadata=question.metadata())


def cost_options(prices: str | None, cost_limit: float | None, reader: str | None = None) -> dict[str, Any]:
    """Set the prices of models, and return the options of a task that limit what a run costs.

    Raises:
        InputError: If the prices cannot be read, or the limit is not a positive number.
    """
    if prices is None and cost_limit is None:
        return {}
    # Inspect announces the hook in this module in every run that finds it.
    from merge_snli.language_models.inspect_costs import UNREACHED, CostLimit, set_prices

    if prices is not None:
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
    with shown_by_inspect():
        names = prompt_names(prompt)
        read_prompts(names)  # before the first task asks
        dataset = arguments.get("dataset")
        if orders and dataset:
            scope = Scope(config=arguments.get("config", "all"), group_column=arguments.get("group_column"))
            labels = open_whole(dataset, scope).label_names
            ordered = []
            for name in names:
                own = read_prompt(name)
                ordered += [name + each.name.removeprefix(own.name) for each in in_orders(own, labels, orders)]
            names = ordered
    return TaskSource.from_tasks([nli(prompt=name, **arguments) for name in names])


@metric
def merge_accuracy() -> Metric:
    """SA on seeds and variants, and PA at the quality threshold, with standard errors clustered by seed."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        answers = []
        unread = by_model = 0
        for score in scores:
            for use in uses_of(score.sample_metadata or {"label": ""}):
                answers.append((use, score.score.answer))
            unread += score.score.answer is None
            by_model += READ_BY_MODEL in (score.score.metadata or {})
        return {**accuracies(answers), "no_answer": float(unread), READ_BY_MODEL: float(by_model)}

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
        reader: Language model that reads the label in unread replies; None for none.
    """

    async def score(state: TaskState, target: Target) -> Score:
        text = state.output.completion
        answer = read_answer(text, labels, form, words)
        metadata = None
        if answer is None and reader:
            answer = await read_by_model(reader, text, labels, words or labels)
            if answer is not None:
                metadata = {READ_BY_MODEL: reader}
        value = CORRECT if answer == target.text else INCORRECT
        if answer is None:
            value = NOANSWER
        return Score(value=value, answer=answer, explanation=text, metadata=metadata)

    return score


SCORER = nli_answer.__name__


@score_reducer(name="most_frequent_answer")
def most_frequent_answer() -> ScoreReducer:
    """Take the score of the most frequent answer of several epochs."""

    def reduce(scores: list[Score]) -> Score:
        answer = majority([Reply(score.answer) for score in scores])
        return next(score for score in scores if score.answer == answer or answer is None)

    return reduce
