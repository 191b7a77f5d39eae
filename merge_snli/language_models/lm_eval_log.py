"""Read the logs of lm-evaluation-harness: of the tasks of `merge-snli harness`, and the scores of any other task."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from merge_snli.answers.replies import NOT_STATED, STOPPED, Reply
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject, is_path, sha256_of_json
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.lm_eval_task import filled_with, read_text
from merge_snli.language_models.logs import (
    LM_EVAL_PREFIX,
    Log,
    Replies,
    Usage,
    UsageBySample,
    log_without_samples,
)
from merge_snli.language_models.sample_scores import Scoring
from merge_snli.models.filled_prompt import Shot
from merge_snli.models.prompts import in_data_order
from merge_snli.problems.formats import open_file
from merge_snli.results.records import GENERATED, RANKED

HARNESS = "lm_eval"
NAME = re.compile(rf"{LM_EVAL_PREFIX}(?P<task>.+)_(?P<date>\d{{4}}-\d\d-\d\dT[\d.:-]+)\.jsonl")
# What changes the prompts of all tasks of a run, from its results.
CHAT = ("chat_template_sha", "system_instruction_sha", "fewshot_as_multiturn")
# What the prompts of a task follow from, from its configuration.
SHOWN = (
    "description",
    "doc_to_text",
    "doc_to_choice",
    "target_delimiter",
    "fewshot_delimiter",
    "fewshot_split",
    "gen_prefix",
    "generation_kwargs",
)
# The kind of tasks of which a model ranks the answers.
RANKING = "multiple_choice"
# Ends of the names of models behind an API, which get a temperature whatever `do_sample` is; and names of models that
# take the most probable token if it is missing.
API_MODELS = ("completions", "chat", "litellm", "sglang-generate")
GREEDY_MODELS = ("watsonx_llm", "neuronx", "onnxruntime-genai")
# The filter of a task without filters, and what a filter returns for a reply in which it does not find an answer.
NO_FILTER, NOT_FOUND = "none", "[invalid]"
# The group of a sample that is its task, of a run of a group of tasks.
TASK = "task"
# What samples lack or have of another type that are of another program.
MISSING = (KeyError, IndexError, TypeError, ValueError)


def read_lm_eval_log(path: Path, scoring: Scoring | None = None) -> Log:
    """Read `samples_TASK_DATE.jsonl` and, beside it, `results_DATE.json`.

    Args:
        path: The file of samples.
        scoring: Which scores count, of a task that `merge-snli harness` did not write; None for one that it wrote.
    """
    name = NAME.fullmatch(path.name)
    if name is None:
        raise InputError(
            f"{path} is not named samples_TASK_DATE.jsonl, as lm-evaluation-harness names its logs: restore the name"
        )
    beside = path.with_name(f"results_{name['date']}.json")
    with (
        explained(OSError, f"{beside.name}, which has the prompt's settings, is not beside {path}: copy it there"),
        explained(ValueError, f"{beside} is not valid JSON (⟦reason⟧): copy it again"),
    ):
        run = json.loads(beside.read_text(encoding="utf-8"))
    log = _Run(path, name["task"], run)
    return _read_answers(log) if scoring is None else _read_scores(log, scoring)


@dataclass(frozen=True)
class _Run:
    """The log of a task.

    Attributes:
        path: The file of samples.
        task: The task.
        results: The results of the run, which may be of several tasks.
    """

    path: Path
    task: str
    results: JsonObject

    def shown(self, task: str) -> list[Any]:
        """Return what the prompts of a task follow from."""
        return [self.results["n-shot"][task], *(self.results["configs"][task].get(name) for name in SHOWN)]

    def group_of(self, task: str) -> str:
        """Return the largest group of tasks that has a task; the task if none does."""
        parents: dict[str, str] = {}
        for group, tasks in (self.results.get("group_subtasks") or {}).items():
            parents |= dict.fromkeys(tasks, group)
        while task in parents:
            task = parents.pop(task)
        return task

    def log(self, record: JsonObject, answers: str) -> Log:
        """Return a log without its samples.

        Args:
            record: What the task says about its questions and its prompt; the digest of the prompt is without what is
                the same for all tasks of the run.
            answers: Whether the answers are generated or ranked.
        """
        run = self.results
        config = run["configs"][self.task]
        chat = {key: run[key] for key in CHAT if run.get(key)}
        if chat:
            record = record | {"prompt_digest": sha256_of_json([record["prompt_digest"], chat])}
        temperature = None
        if config.get("output_type") != RANKING:
            temperature = self._temperature(config.get("generation_kwargs") or {})
        versions = {}
        for library, key in ((HARNESS, "lm_eval_version"), ("transformers", "transformers_version")):
            if run.get(key) is not None:
                versions[library] = str(run[key])
        return log_without_samples(
            self.path,
            record,
            harness=HARNESS,
            provider=str(run.get("model_source")),
            model=self._model_name(),
            versions=versions,
            answers=answers,
            temperature=temperature,
            settings={},
        )

    def _temperature(self, generation: JsonObject) -> float:
        """Return the sampling temperature, which depends on `do_sample` but for a model behind an API."""
        kind = str(self.results.get("model_source"))
        if kind.endswith(API_MODELS):
            return float(generation.get("temperature", 0.0))
        if generation.get("do_sample", kind not in GREEDY_MODELS and "temperature" in generation):
            return float(generation.get("temperature", 1.0))
        return 0.0

    def _model_name(self) -> str:
        """Return the name of the model; the harness makes one up if the arguments of the model do not name it."""
        run = self.results
        name = str(run.get("model_name"))
        if name not in str((run.get("config") or {}).get("model_args")):
            name = str(run.get("model_source"))
        return Path(name).name if is_path(name) else name


def _read_answers(run: _Run) -> Log:
    """Read the answers to the questions of a task that `merge-snli harness` wrote."""
    path = run.path
    task = run.task
    not_own = f"{path} is a log of the task {task}, which merge-snli harness did not write"
    with explained((KeyError, TypeError), f"{not_own}: remove ⟦dataset⟧ to import its scores"):
        config = run.results["configs"][task]
        n_shot = run.results["n-shot"][task]
        record = {**config["metadata"]}
        record["dataset"] = str(record["dataset"])
    with _valid_settings(path):
        order = tomllib.loads(record["prompt_toml"]).get("order", ())
    kind = STOPPED if (config.get("generation_kwargs") or {}).get("until") else None
    replies: Replies = {}
    usage: UsageBySample = {}
    texts: dict[str, str] = {}
    labels: Labels = ()
    for row in open_file(path).read():
        with explained(MISSING, f"{row.location} is not a sample of a task of merge-snli harness"):
            doc = row.values["doc"]
            question = str(doc["id"])
            texts[question] = str(doc["question"])
            labels = in_data_order(map(str, doc["labels"]), order)
            of_row = _replies(row.values, kind, order)
        for number, reply in enumerate(of_row):
            replies[question, number] = reply
        usage[question, str(path)] = _calls(row.values, len(of_row))
    with _valid_settings(path):
        samples = (config.get("fewshot_config") or {}).get("samples") or []
        shots = tuple(Shot(shot["premise"], shot["hypothesis"], shot["label"]) for shot in samples[: int(n_shot)])
        toml = record["prompt_toml"]
        names = TextNames(*record.get("texts", ()))
        digest = filled_with(toml, labels, shots, texts=names).digest
        answers = RANKED if config.get("output_type") == RANKING else GENERATED
        log = run.log(record | {"prompt_digest": digest, "shots": int(n_shot)}, answers)
    return replace(log, replies=replies, usage=usage, texts=texts)


def _replies(values: Mapping[str, Any], kind: str | None, order: Sequence[int]) -> list[Reply]:
    """Return the replies to a question.

    One reply has the answer of the log, which does not have that of each of several (`repeats`).

    Args:
        values: The sample.
        kind: Why a text may end without an answer.
        order: The order in which the prompt lists the labels.
    """
    _, answer = values["no_answer"]
    responses = values["resps"]
    texts = responses[0]
    if not isinstance(texts[0], str):
        likelihoods = (float(response[0][0]) for response in responses)
        return [Reply(answer, log_likelihoods=in_data_order(likelihoods, order))]
    if len(texts) == 1:
        return [Reply(answer, texts[0], kind)]
    return [Reply(read_text(values["doc"], text), text, kind) for text in texts]


def _read_scores(run: _Run, scoring: Scoring) -> Log:
    """Read the scores of a task that `merge-snli harness` did not write."""
    path = run.path
    task = run.task
    results = run.results
    with explained((KeyError, TypeError, ValueError), f"the results beside {path} are not of {task}: copy them again"):
        config = results["configs"][task]
        is_own = "prompt_toml" in (config.get("metadata") or {})
        name = task
        shown = run.shown(task)
        if scoring.group == TASK:
            name = run.group_of(task)
        if name != task:
            shown = [run.shown(each) for each in sorted(results["configs"]) if run.group_of(each) == name]
        if is_own:
            raise InputError(f"{path} is a log of merge-snli harness: name its data set with ⟦dataset⟧")
        record = {
            "dataset": name,
            "name": name,
            "prompt": config.get("output_type"),
            "prompt_digest": sha256_of_json(shown),
            "shots": results["n-shot"][task],
        }
        log = run.log(record | scoring.scope, GENERATED)
    filters: dict[str, None] = {}
    counting: set[str] = set()
    for row in open_file(path).read():
        with explained(MISSING, f"{row.location} is not a sample of lm-evaluation-harness"):
            used = str(row.values["filter"])
            filters[used] = None
            if used == (scoring.filter or next(iter(filters))):
                counting.add(_add_score(log, row.values, scoring, task))
    if not filters:
        raise InputError(f"{path} has no samples: run lm_eval with --log_samples again")
    chosen = scoring.chosen(list(filters), "filter", path)
    return replace(log, dataset=", ".join([name, *sorted(counting), *({chosen} - {NO_FILTER})]))


def _add_score(log: Log, values: Mapping[str, Any], scoring: Scoring, task: str) -> str:
    """Add the score of a sample to a log, and return what counts."""
    question = str(values["doc_id"])
    fields = dict(values["doc"])
    if task != log.name:
        question = f"{task}/{question}"
        fields = {**fields, TASK: task}
    scores = {name: values[name] for name in values["metrics"] if isinstance(values[name], int | float)}
    name = scoring.chosen(list(scores), "score", log.path)
    text = values["resps"][0][0]
    found = values["filtered_resps"][0]
    unread = NOT_STATED if found == NOT_FOUND else None
    scoring.add_reply(log, (question, 0), float(scores[name]), text if isinstance(text, str) else "", unread)
    log.samples[question] = scoring.sample(question, fields, str(values["target"]), log.path)
    log.usage[question, str(log.path)] = _calls(values, 1)
    return scoring.title(name)


def _calls(values: Mapping[str, Any], replies: int) -> Usage:
    return {"calls": len(values.get("arguments") or [None]) * replies}


def _valid_settings(path: Path) -> AbstractContextManager[None]:
    """Explain the errors of settings of a prompt that are missing or invalid."""
    message = f"the results beside {path} do not have valid settings of the prompt: copy them again"
    return explained((TypeError, ValueError, AttributeError, KeyError), message)
