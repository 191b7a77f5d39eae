"""What the task files of `merge-snli harness` call when lm-evaluation-harness runs them, and the reader of its logs."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from merge_snli.answers.replies import NOT_STATED, STOPPED, Reply, best_label, majority
from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.files import is_path, sha256_of_json
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.logs import LM_EVAL_PREFIX, Log, Usage, log_without_samples
from merge_snli.language_models.questions import Scope, Seeds, accuracies, read_questions
from merge_snli.language_models.sample_scores import Scoring
from merge_snli.models.prompts import BETWEEN_PROBLEMS, FilledPrompt, Shot, in_data_order, parse_prompt
from merge_snli.problems.formats import open_file
from merge_snli.problems.rows import SourceRow
from merge_snli.results.records import GENERATED, RANKED, PromptRecord

# Each has a function of this name below, which aggregates the answers.
METRICS = ("seed_sample_accuracy", "sample_accuracy", "pattern_accuracy", "no_answer")

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
# The filter of a task without filters, and what a filter returns for a reply in which it does not find an answer.
NO_FILTER, NOT_FOUND = "none", "[invalid]"


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
    filled = _filled(prompt_toml, read.data.label_names, texts=read.data.texts)
    rows = [
        {
            "id": question.id,
            **fields_of(filled, Shot(question.premise, question.hypothesis, question.label)),
            "system": filled.system and filled.system + BETWEEN_PROBLEMS,
            "labels": list(filled.labels),
            "form": filled.prompt.answer,
            "words": list(filled.words),
            "uses": json.dumps(question.uses),
        }
        for question in read.questions
    ]
    return {"test": datasets.Dataset.from_list(rows)}


def fields_of(filled: FilledPrompt, problem: Shot) -> dict[str, str]:
    """Return a problem, the text that asks about it, and the right answer."""
    question = filled.question(problem.premise, problem.hypothesis)
    return {**asdict(problem), "question": question, "target": filled.answer_for(problem.label)}


def _filled(
    prompt_toml: str, labels: tuple[str, ...], shots: tuple[Shot, ...] = (), *, texts: TextNames
) -> FilledPrompt:
    return FilledPrompt(parse_prompt(tomllib.loads(prompt_toml), "the prompt of the task file"), labels, shots, texts)


def score_choice(doc: dict[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Return the metrics' inputs for a question whose labels were ranked by their log-likelihoods."""
    return _answer(doc, best_label(doc["labels"], [likelihood for likelihood, _ in results]))


def score_text(doc: dict[str, Any], results: Sequence[str | list[str]]) -> dict[str, Any]:
    """Return the metrics' inputs for a question that the model answered with a text, or with those that a filter keeps.

    Of several answers, the most frequent one counts.
    """
    texts = [results[0]] if isinstance(results[0], str) else results[0]
    return _answer(doc, majority([Reply(_read(doc, text)) for text in texts]))


def _read(doc: dict[str, Any], text: str) -> str | None:
    return read_answer(text, doc["labels"], doc["form"], doc["words"])


def _answer(doc: dict[str, Any], answer: str | None) -> dict[str, Any]:
    return dict.fromkeys(METRICS, (doc["uses"], answer))


def _accuracy(items: Sequence[tuple[str, str | None]], name: str) -> float:
    return accuracies([(use, answer) for uses, answer in items for use in json.loads(uses)]).get(name, float("nan"))


def seed_sample_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return SA on seeds; NaN if none was predicted."""
    return _accuracy(items, "seed_sample_accuracy")


def sample_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return SA on variants; NaN if none was predicted."""
    return _accuracy(items, "sample_accuracy")


def pattern_accuracy(items: Sequence[tuple[str, str | None]]) -> float:
    """Return PA at the quality threshold; NaN if no variant was predicted."""
    return _accuracy(items, "pattern_accuracy")


def no_answer(items: Sequence[tuple[str, str | None]]) -> float:
    """Return the number of answers that cannot be read."""
    return float(sum(answer is None for _, answer in items))


def read_lm_eval_log(path: Path, scoring: Scoring | None = None) -> Log:
    """Read `samples_TASK_DATE.jsonl` and, beside it, `results_DATE.json`.

    Args:
        path: The file of samples.
        scoring: Which scores count, of a task that `merge-snli harness` did not write; None for one that it wrote.
    """
    task, run = _run(path)
    if scoring is not None:
        return _read_scores(path, task, run, scoring)
    not_own = f"{path} is a log of the task {task}, which merge-snli harness did not write"
    with explained((KeyError, TypeError), f"{not_own}: remove {param('dataset')} to import its scores"):
        config, shots = run["configs"][task], run["n-shot"][task]
        record = {**config["metadata"]}
        record["dataset"] = str(record["dataset"])
    replies: dict[tuple[str, int], Reply] = {}
    usage: dict[tuple[str, ...], Usage] = {}
    texts: dict[str, str] = {}
    names: tuple[str, ...] = ()
    stops = (config.get("generation_kwargs") or {}).get("until")
    with _valid_settings(path):
        order = tomllib.loads(record["prompt_toml"]).get("order", ())
    for row in open_file(path).read():
        question, of_row, names = _read_replies(row, STOPPED if stops else None, order)
        texts[question] = row.values["doc"]["question"]
        replies |= {(question, number): reply for number, reply in enumerate(of_row)}
        usage[question, str(path)] = _calls(row, len(of_row))
    log = _log(path, run, record, _own_prompt(run, config, names, shots, path))
    return replace(log, replies=replies, usage=usage, texts=texts)


def _log(path: Path, run: dict[str, Any], record: dict[str, Any], prompt: PromptRecord) -> Log:
    """Return a log without its samples.

    Args:
        path: The file of samples.
        run: The results of its run.
        record: What was asked.
        prompt: How it was asked.
    """
    versions = {HARNESS: str(run.get("lm_eval_version")), "transformers": str(run.get("transformers_version"))}
    return log_without_samples(path, record, prompt, model=_model_of(run), versions=versions)


def _calls(row: SourceRow, replies: int) -> Usage:
    return {"calls": len(row.values.get("arguments") or [None]) * replies}


def _read_scores(path: Path, task: str, run: dict[str, Any], scoring: Scoring) -> Log:
    """Read the scores of a task that `merge-snli harness` did not write."""
    with explained((KeyError, TypeError, ValueError), f"the results beside {path} are not of {task}: copy them again"):
        config, shots = run["configs"][task], run["n-shot"][task]
        is_own = "prompt_toml" in (config.get("metadata") or {})
        digest = sha256_of_json([shots, *(config.get(name) for name in SHOWN)])
        prompt = _prompt(run, config, name=str(config.get("output_type")), digest=digest, shots=int(shots))
    if is_own:
        raise InputError(f"{path} is a log of merge-snli harness: name its data set with {param('dataset')}")
    log = _log(path, run, {"dataset": task, "name": task, **scoring.scope}, prompt)
    filters: dict[str, None] = {}
    counting: set[str] = set()
    for row in open_file(path).read():
        with explained((KeyError, TypeError, ValueError), f"{row.location} is not a sample of lm-evaluation-harness"):
            used = str(row.values["filter"])
            filters[used] = None
            if used == (scoring.filter or next(iter(filters))):
                counting.add(_add_score(log, row.values, scoring))
                log.usage[str(row.values["doc_id"]), str(path)] = _calls(row, 1)
    if not filters:
        raise InputError(f"{path} has no samples: run lm_eval with --log_samples again")
    chosen = scoring.chosen(list(filters), "filter", path)
    return replace(log, dataset=", ".join([task, *sorted(counting), *({chosen} - {NO_FILTER})]))


def _add_score(log: Log, values: Mapping[str, Any], scoring: Scoring) -> str:
    """Add the score of a sample to a log, and return what counts."""
    question = str(values["doc_id"])
    scores = {name: values[name] for name in values["metrics"] if isinstance(values[name], int | float)}
    name = scoring.chosen(list(scores), "score", log.path)
    text, found = values["resps"][0][0], values["filtered_resps"][0]
    unread = NOT_STATED if found == NOT_FOUND else None
    reply = scoring.reply(float(scores[name]), text if isinstance(text, str) else "", unread, log.path)
    log.samples[question] = scoring.sample(question, dict(values["doc"]), str(values["target"]), log.path)
    if reply is not None:
        log.replies[question, 0] = reply
    return scoring.title(name)


def _model_of(run: dict[str, Any]) -> str:
    """Return the name of a model: lm-evaluation-harness makes up one if the arguments of the model do not name it."""
    name, arguments = str(run.get("model_name")), str((run.get("config") or {}).get("model_args"))
    if name not in arguments:
        name = str(run.get("model_source"))
    return Path(name).name if is_path(name) else name


def _run(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the task of a file of samples, and the results of its run."""
    name = NAME.fullmatch(path.name)
    if name is None:
        raise InputError(
            f"{path} is not named samples_TASK_DATE.jsonl, as lm-evaluation-harness names its logs: restore the name"
        )
    beside = path.with_name(f"results_{name['date']}.json")
    with (
        explained(OSError, f"{beside.name}, which has the prompt's settings, is not beside {path}: copy it there"),
        explained(ValueError, f"{beside} is not valid JSON ({REASON}): copy it again"),
    ):
        return name["task"], json.loads(beside.read_text(encoding="utf-8"))


def _read_replies(row: SourceRow, kind: str | None, order: Sequence[int]) -> tuple[str, list[Reply], tuple[str, ...]]:
    """Return the id of a question, the replies to it, and the labels in the order of the data set.

    One reply has the answer of the log, which does not have that of each of several (`repeats`).

    Args:
        row: The sample.
        kind: Why a text may end without an answer.
        order: The order in which the prompt lists the labels.
    """
    message = f"{row.location} is not a sample of a task of merge-snli harness"
    with explained((KeyError, IndexError, TypeError, ValueError), message):
        doc, (_, answer), responses = row.values["doc"], row.values["no_answer"], row.values["resps"]
        name, labels, _ = str(doc["id"]), in_data_order(map(str, doc["labels"]), order), str(doc["question"])
        if not isinstance(responses[0][0], str):
            ranked = in_data_order((float(response[0][0]) for response in responses), order)
            return name, [Reply(answer, log_likelihoods=ranked)], labels
        texts = responses[0]
        answers = [answer] if len(texts) == 1 else [_read(doc, text) for text in texts]
        return name, [Reply(label, text, kind) for text, label in zip(texts, answers, strict=True)], labels


def _valid_settings(path: Path) -> AbstractContextManager[None]:
    """Explain the errors of settings of a prompt that are missing or invalid."""
    message = f"the results beside {path} do not have valid settings of the prompt: copy them again"
    return explained((TypeError, ValueError, AttributeError, KeyError), message)


def _own_prompt(
    run: dict[str, Any],
    config: dict[str, Any],
    labels: tuple[str, ...],
    n_shot: Any,  # noqa: ANN401 - any JSON value
    path: Path,
) -> PromptRecord:
    with _valid_settings(path):
        count, record = int(n_shot), config["metadata"]
        samples = ((config.get("fewshot_config") or {}).get("samples") or [])[:count]
        toml = record["prompt_toml"]
        shots = tuple(Shot(*(sample[field] for field in ("premise", "hypothesis", "label"))) for sample in samples)
        digest = _filled(toml, labels, shots, texts=TextNames(*record.get("texts", ()))).digest
        prompt = _prompt(run, config, name=str(record["prompt"]), digest=digest, shots=count)
    is_ranked = config.get("output_type") == RANKING
    return replace(prompt, prompt_toml=toml, answers=RANKED if is_ranked else GENERATED)


def _prompt(run: dict[str, Any], config: dict[str, Any], *, name: str, digest: str, shots: int) -> PromptRecord:
    """Return how a model was asked.

    Args:
        run: The results of the run.
        config: The configuration of the task.
        name: Name of the prompt.
        digest: Digest of what it shows without what is the same for all tasks of the run.
        shots: Number of problems that it shows.
    """
    chat = {key: run[key] for key in CHAT if run.get(key)}
    generation = config.get("generation_kwargs") or {}
    temperature = None
    if config.get("output_type") != RANKING:
        temperature = float(generation.get("temperature", 1.0)) if generation.get("do_sample", False) else 0.0
    return PromptRecord(
        harness=HARNESS,
        harness_version=run.get("lm_eval_version"),
        provider=str(run.get("model_source")),
        prompt=name,
        prompt_digest=sha256_of_json([digest, chat]) if chat else digest,
        shots=shots,
        answers=GENERATED,
        temperature=temperature,
        calls=0,
        input_tokens=None,
        output_tokens=None,
        retries=None,
        settings={},
    )
