"""The Inspect task `merge_snli/nli`: ask a language model the problems of a data set.

inspect eval merge_snli/nli --model openai/MODEL -T dataset=ORG/merge_snli -T config=noun -T prompt=few_shot
"""

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # the error that Inspect prints without a traceback
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import find_dataset
from merge_snli.language_models.answers import AnswerForm, read_answer
from merge_snli.language_models.prompts import FEW_SHOT, Prompt, answer_form
from merge_snli.language_models.questions import Scope, read_questions, uses_of
from merge_snli.language_models.scores import Answered, accuracies, by_part, curve
from merge_snli.language_models.shots import DEFAULT_SHOTS, shots_for

RECORD = "merge_snli"
"""Key of the task's metadata that says what was asked and how."""


@task
def nli(
    dataset: str | None = None,
    config: str = "all",
    subsample: int | str = 0,
    seeds: str = "with",
    prompt: str = "zero_shot",
    shots: int | None = None,
    shots_from: str = "demo:problems",
    limit_seeds: int | None = None,
    random_seed: int = 0,
) -> Task:
    """Ask for the label of each distinct sentence pair of a part of a data set.

    Args:
        dataset: Folder or Hub id of a MERGE data set; required.
        config: `all` or a word class.
        subsample: Number of the subsample whose variants are the questions, or `all` for every variant.
        seeds: `with` the seeds of the variants, `without` them, or `only` them.
        prompt: `zero_shot`, `few_shot`, `chain_of_thought`, or the path of a Jinja file.
        shots: Number of problems that the prompt shows with their labels; by default 3 for `few_shot`, otherwise 0.
        shots_from: File, folder or Hub id of the problems to draw shots from; `ORG/NAME:SPLIT` names a split.
        limit_seeds: Number of seeds to ask, with their variants; all by default.
        random_seed: Seed of the draw of the shots.
    """
    if dataset is None:
        raise PrerequisiteError("merge_snli/nli needs a data set: add -T dataset=DIR or -T dataset=ORG/NAME")
    try:
        scope = Scope(config=config, subsample=subsample, seeds=seeds, limit_seeds=limit_seeds)  # type: ignore[arg-type]
        asked = read_questions(find_dataset(dataset), scope)
        count = (DEFAULT_SHOTS if prompt == FEW_SHOT else 0) if shots is None else shots
        drawn = shots_for(asked.data, shots_from, count, random_seed=random_seed)
        template = Prompt(prompt, asked.data.label_names, drawn)
        samples = [
            Sample(
                id=question.id,
                input=template.render(question.premise, question.hypothesis),
                target=question.label,
                metadata=question.metadata(),
            )
            for question in asked.questions
        ]
    except InputError as error:
        raise PrerequisiteError(str(error)) from error
    record = {**asked.record, "prompt": prompt, "prompt_digest": template.digest, "shots": count}
    return Task(
        dataset=MemoryDataset(samples, name=asked.name),
        solver=generate(),
        scorer=nli_answer(list(template.labels), answer_form(prompt)),
        config=GenerateConfig(temperature=0.0, max_tokens=template.max_tokens, stop_seqs=[*template.stop] or None),
        metadata={RECORD: record},
    )


@metric
def merge_accuracy() -> Metric:
    """SA on seeds and variants, and PA at the quality threshold, with standard errors clustered by seed."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        answered = _answered(scores)
        unread = sum(score.score.answer is None for score in scores)
        return {**accuracies(answered), "no_answer": float(unread)}

    return compute


@metric
def pattern_accuracy_curve() -> Metric:
    """PA at thresholds from 0 to 1."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return {f"pattern_accuracy_at_{name}": value for name, value in curve(_answered(scores)).items()}

    return compute


@metric
def merge_accuracy_by_part() -> Metric:
    """SA and PA on the variants of each gold label and word class."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return by_part(_answered(scores))

    return compute


@scorer(metrics=[merge_accuracy(), pattern_accuracy_curve(), merge_accuracy_by_part()])
def nli_answer(labels: list[str], form: AnswerForm | None = None) -> Scorer:
    """Read the label in the model's answer; an answer that cannot be read is wrong.

    Args:
        labels: The labels of the data set, in the order in which letters count them.
        form: What the prompt asks for; None if that is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score:
        answer = read_answer(state.output.completion, labels, form)
        value = NOANSWER if answer is None else CORRECT if answer == target.text else INCORRECT
        return Score(value=value, answer=answer, explanation=state.output.completion)

    return score


def _answered(scores: list[SampleScore]) -> list[Answered]:
    return [
        Answered(use, score.score.answer) for score in scores for use in uses_of(score.sample_metadata or {"label": ""})
    ]
