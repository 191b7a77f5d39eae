"""The Inspect task `merge_snli/judge`: ask a language model for the scores of a sample or of all variants.

inspect eval merge_snli/judge --model openai/MODEL -T dataset=my_data/merge_snli
"""

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from merge_snli.annotation.judge import (
    ALL_SCORES,
    PER_QUESTION,
    WORD,
    instructions,
    prompt_digest,
    question_texts,
    questions,
    read_sample_of,
    read_scores,
    replacement_of,
)
from merge_snli.annotation.shown import VARIANT_ID
from merge_snli.answers.replies import NOT_STATED
from merge_snli.dataset.judgments import BY_VARIANT, JUDGE, SCORES
from merge_snli.language_models.inspect_replies import FAILING, ask_until, check_ask_again, kind_of, shown_by_inspect
from merge_snli.language_models.inspect_task import cost_options
from merge_snli.language_models.second_reader import object_schema, reply_schema
from merge_snli.schema import GOOD

# The key of a question's metadata that has the ids of its variants by replacement.
VARIANTS = "variants"

# The key of a score's metadata that says why some variants have no scores.
UNREAD = "unread"

# At most so many output tokens, which a reasoning model needs; a reply without reasoning takes about 20 per variant.
MAX_TOKENS = 8_192


@task
def judge(
    dataset: str | None = None,
    sample: str | None = None,
    per_question: int = PER_QUESTION,
    guidelines: str | None = None,
    annotator: str | None = None,
    schema: bool = True,
    prices: str | None = None,
    cost_limit: float | None = None,
    ask_again: int = 0,
) -> Task:
    """Ask for fluency and reasoning of variants, several variants of one seed and word in one question.

    Args:
        dataset: Folder or Hub id of a MERGE data set, of which every variant is judged.
        sample: Instead of it, the `sample.json` that `merge-snli annotate sample` wrote.
        per_question: The largest number of variants in a question.
        guidelines: A text file with other guidelines, such as those of a sample with your definitions of the labels.
        annotator: Name of the annotator in tables and data; by default that of the model.
        schema: Give the provider the JSON schema of the answer.
        prices: As for `merge_snli/nli`, like the next one.
        cost_limit: Dollars after which a run starts no question.
        ask_again: How often to ask a question again while not all of its variants have scores.
    """
    with shown_by_inspect():
        check_ask_again(ask_again)
        limits = cost_options(prices, cost_limit)
        judged = read_sample_of(dataset, sample)
        asked = questions(judged, per_question)
        system = instructions(judged, guidelines)
    samples = []
    for rows in asked:
        question = "\n\n".join(question_texts(rows, judged.texts))
        messages: list[ChatMessage] = [ChatMessageSystem(content=system), ChatMessageUser(content=question)]
        variants = {replacement_of(row[VARIANT_ID]): row[VARIANT_ID] for row in rows}
        samples.append(InspectSample(id=rows[0][VARIANT_ID], input=messages, metadata={VARIANTS: variants}))
    answer = scores_schema() if schema else None
    record = {
        "annotator": annotator,
        "prompt": prompt_digest(system, judged.texts),
        "per_question": per_question,
        "datasets": [dataset.digest for dataset in judged.datasets],
    }
    return Task(
        dataset=MemoryDataset(samples, name=sample or dataset),
        solver=ask_for_scores(ask_again),
        scorer=judgments(),
        config=GenerateConfig(temperature=0.0, max_tokens=MAX_TOKENS, response_schema=answer),
        metadata={JUDGE: record},
        fail_on_error=FAILING,
        **limits,
    )


@solver
def ask_for_scores(ask_again: int) -> Solver:
    """Ask a question, again while the reply does not have scores of all of its variants."""

    def has_answer(state: TaskState) -> bool:
        variants = state.metadata[VARIANTS]
        return len(read_scores(state.output.completion, variants)) == len(variants)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await ask_until(state, generate, ask_again, has_answer)

    return solve


def scores_schema() -> ResponseSchema:
    """Return the schema of a reply; ranges of numbers are left out, since not every provider takes them."""
    score = JSONSchema(type="integer", description="1 (poor) to 5 (good)")
    row = object_schema({WORD: JSONSchema(type="string"), **dict.fromkeys(SCORES, score)})
    return reply_schema(ALL_SCORES, JSONSchema(type="array", items=row))


@metric
def good_variants() -> Metric:
    """Number of variants, of those without scores that can be read and why, and the share of good ones of the rest."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        counts = {"variants": 0.0, "unread": 0.0, "good": 0.0}
        for score in scores:
            values = dict(score.score.as_dict())
            kind = (score.score.metadata or {}).get(UNREAD)
            if kind is not None:
                values[f"unread ({kind})"] = values["unread"]
            for name, value in values.items():
                counts[name] = counts.get(name, 0.0) + float(value or 0)
        counts["good"] /= max(1, counts["variants"] - counts["unread"])
        return counts

    return compute


@scorer(metrics=[good_variants()])
def judgments() -> Scorer:
    """Read the scores of the variants of a question; the value has the counts of `good_variants`."""

    async def score(state: TaskState, target: Target) -> Score:
        variants = state.metadata[VARIANTS]
        read = read_scores(state.output.completion, variants)
        good = sum(sum(scores.values()) >= GOOD for scores in read.values())
        unread = len(variants) - len(read)
        return Score(
            value={"variants": len(variants), "unread": unread, "good": good},
            explanation=state.output.completion,
            metadata={BY_VARIANT: read, UNREAD: (kind_of(state.output) or NOT_STATED) if unread else None},
        )

    return score
