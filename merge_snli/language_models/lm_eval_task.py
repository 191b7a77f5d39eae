"""What the task files of `merge-snli harness` call when lm-evaluation-harness runs them."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from merge_snli.answers.replies import Reply, best_label, majority
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.questions import Scope, Seeds, accuracies, read_questions
from merge_snli.models.filled_prompt import BETWEEN_PROBLEMS, FilledPrompt, Shot
from merge_snli.models.prompts import parse_prompt

# Of each question its uses as JSON, and the label that was answered; None for an answer that cannot be read.
Items: TypeAlias = Sequence[tuple[str, str | None]]

# Each has a function of this name below, which aggregates the answers.
METRICS = ("seed_sample_accuracy", "sample_accuracy", "pattern_accuracy", "no_answer")


def load_questions(
    *,
    dataset: str,
    name: str,
    config: str,
    subsample: int | str,
    seeds: Seeds,
    limit_seeds: int | None,
    prompt_toml: str,
    group_column: str | None = None,
    **_: object,
) -> dict[str, Any]:
    """Read the questions of a task, as `datasets.Dataset` by split.

    Args:
        dataset: Digest of the data.
        name: Folder or Hub id of the data set.
        config: As in `merge_snli.language_models.questions.Scope`, like the next three.
        subsample: Subsample.
        seeds: Whether to ask seeds.
        limit_seeds: Number of seeds.
        prompt_toml: The prompt.
        group_column: The column of the groups of pairs in a file.
    """
    import datasets

    scope = Scope(config=config, subsample=subsample, seeds=seeds, limit_seeds=limit_seeds, group_column=group_column)
    read = read_questions(name, scope)
    if read.digest != dataset:
        raise InputError(f"{name} has changed since the task file was written: run merge-snli harness again")
    filled = filled_with(prompt_toml, read.data.label_names, texts=read.data.texts)
    common = {
        "system": filled.system and filled.system + BETWEEN_PROBLEMS,
        "labels": list(filled.labels),
        "form": filled.prompt.answer,
        "words": list(filled.words),
    }
    rows = []
    for question in read.questions:
        shown = fields_of(filled, Shot(question.premise, question.hypothesis, question.label))
        rows.append({"id": question.id, **shown, **common, "uses": json.dumps(question.uses)})
    return {"test": datasets.Dataset.from_list(rows)}


def fields_of(filled: FilledPrompt, problem: Shot) -> dict[str, str]:
    """Return a problem, the text that asks about it, and the right answer."""
    question = filled.question(problem.premise, problem.hypothesis)
    return {**asdict(problem), "question": question, "target": filled.answer_for(problem.label)}


def filled_with(prompt_toml: str, labels: Labels, shots: tuple[Shot, ...] = (), *, texts: TextNames) -> FilledPrompt:
    """Return the prompt of a task file with the labels of the data."""
    return FilledPrompt(parse_prompt(tomllib.loads(prompt_toml), "the prompt of the task file"), labels, shots, texts)


def score_choice(doc: JsonObject, results: Sequence[tuple[float, bool]]) -> JsonObject:
    """Return the metrics' inputs for a question whose labels were ranked by their log-likelihoods."""
    return _answer(doc, best_label(doc["labels"], [likelihood for likelihood, _ in results]))


def score_text(doc: JsonObject, results: Sequence[str | list[str]]) -> JsonObject:
    """Return the metrics' inputs for a question that the model answered with a text, or with those that a filter keeps.

    Of several answers, the most frequent one counts.
    """
    texts = [results[0]] if isinstance(results[0], str) else results[0]
    return _answer(doc, majority([Reply(read_text(doc, text)) for text in texts]))


def read_text(doc: JsonObject, text: str) -> str | None:
    """Return the label that an answer to a question states."""
    return read_answer(text, doc["labels"], doc["form"], doc["words"])


def _answer(doc: JsonObject, answer: str | None) -> JsonObject:
    return dict.fromkeys(METRICS, (doc["uses"], answer))


def _accuracy(items: Items, name: str) -> float:
    answers = []
    for uses, answer in items:
        answers += [(use, answer) for use in json.loads(uses)]
    return accuracies(answers).get(name, float("nan"))


def seed_sample_accuracy(items: Items) -> float:
    """Return SA on seeds; NaN if none was predicted."""
    return _accuracy(items, "seed_sample_accuracy")


def sample_accuracy(items: Items) -> float:
    """Return SA on variants; NaN if none was predicted."""
    return _accuracy(items, "sample_accuracy")


def pattern_accuracy(items: Items) -> float:
    """Return PA at the quality threshold; NaN if no variant was predicted."""
    return _accuracy(items, "pattern_accuracy")


def no_answer(items: Items) -> float:
    """Return the number of answers that cannot be read."""
    return float(sum(answer is None for _, answer in items))
