"""Replies: why no label is read, several replies to one question, and ranked answers with their log-likelihoods."""

import json
import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import Logprobs, ModelOutput, ModelUsage, get_model
from lm_eval.models.dummy import DummyLM

from merge_snli.answers.replies import Reply, agreement, majority, replies_in
from merge_snli.language_models.import_files import import_files
from merge_snli.language_models.inspect_task import nli
from merge_snli.results.store import read_result
from merge_snli.schema import NLI_LABELS
from tests.commands import Command
from tests.merge_snli.language_models.conftest import (
    OWN,
    USAGE,
    Json,
    lm_eval_logs_of,
    prompt_of,
    run_task,
    write_tasks,
)
from tests.merge_snli.language_models.server import Server, by_pair, lm_eval_chat_logs
from tests.oracles import answers_of_groups

REFUSAL = "I am sorry, but I cannot help with that."
UNFINISHED = "<think>\nThe premise says that the man sleeps. So it may be"
Ask = Callable[..., Path]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A function that asks a model that gives the answers in turns, and returns the log of Inspect."""

    def log(answers: Sequence[str], *, epochs: int = 1, stops: Sequence[str] = ("stop",)) -> Path:
        task, folder = nli(OWN, config="verb", limit_seeds=2 if epochs == 1 else 1), tmp_path / "logs"
        return Path(run_task(task, cycle(answers), folder, stops=stops, epochs=epochs).location)

    return log


def logged_answers(log: EvalLog) -> dict[str, list[str | None]]:
    """Return the answers to each question in a log of Inspect, in the order of the epochs."""
    answers: dict[str, list[str | None]] = {}
    for sample in sorted(log.samples or [], key=lambda each: each.epoch):
        answers.setdefault(str(sample.id), []).append((sample.scores or {})["nli_answer"].answer)
    return answers


def test_replies_that_were_cut_are_counted_apart_from_refusals(
    ask: Ask, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    said = ["neutral", "The man", REFUSAL, "?", UNFINISHED, "neutral", ""]
    log = ask(said, stops=["stop", "max_tokens", "stop", "stop", "stop", "max_tokens", "content_filter"])
    out = tmp_path / "results"
    printed = command("import", log, "--dataset", OWN, "--out", out).out
    (path,) = out.glob("*.json")
    result = read_result(path)
    kept = [(reply.text, reply.kind) for replies in replies_in(result.table).values() for reply in replies]
    kinds = ("cut", "refused", "refused by the provider", "no stated answer")
    counts = {kind: [of for _, of in kept].count(kind) for kind in kinds}
    assert min(counts.values()) >= 2
    assert (result.run.unread, result.run.no_answers) == (counts, sum(counts.values()))
    assert dict(kept) == {
        "neutral": None,
        "The man": "cut",
        REFUSAL: "refused",
        "?": "no stated answer",
        UNFINISHED: "cut",
        "": "refused by the provider",
    }
    lines = [line for line in printed.splitlines() if line.startswith("model (word)")]
    assert sum(" cut " in line for line in lines) == 3
    assert f"; cut: {counts['cut']}" in " ".join(printed.split())
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert [text.partition("% of the answers are unread (")[2].partition(")")[0] for text in warned] == sorted(counts)
    (again,) = import_files([path], OWN, again=True)
    assert again.run.unread == counts


def test_ties_of_several_epochs_are_counted(ask: Ask) -> None:
    log = ask(["neutral", "entailment", "entailment"], epochs=2)
    tied = sum(len({*labels}) == 2 for labels in logged_answers(read_eval_log(str(log))).values())
    (result,) = import_files([log], OWN)
    assert result.run.tied == tied > 0
    assert any(f"tied on {tied} of" in note for note in result.notes)


def test_the_majority_of_several_epochs_counts(ask: Ask, tmp_path: Path) -> None:
    log = ask(["neutral", "entailment", "neutral", "?"], epochs=5)
    read = read_eval_log(str(log))
    answers = logged_answers(read)
    expected = {
        name: max((each for each in found if each), key=[*filter(None, found)].count) for name, found in answers.items()
    }
    assert {len(found) for found in answers.values()} == {5}
    (result,) = import_files([log], OWN, out=tmp_path / "results")
    assert answers_of_groups(result).seeds == tuple(expected[name] for name in result.group_ids)
    agree = fmean(found.count(expected[name]) / 5 for name, found in answers.items())
    assert (result.run.samples, prompt_of(result).calls) == (5, 5 * len(answers))
    assert result.run.agreement == pytest.approx(agree)
    assert any(f"{agree:.1%}" in note for note in result.notes)
    (scores,) = read.results.scores if read.results else []
    assert scores.metrics["sample_accuracy"].value == pytest.approx(result.scores.sample_accuracy.mean)
    (path,) = (tmp_path / "results").glob("*.json")
    (again,) = import_files([path], OWN, again=True)
    assert (answers_of_groups(again), again.run.agreement) == (answers_of_groups(result), result.run.agreement)


def test_ties_and_unread_replies_in_a_majority() -> None:
    replies = [Reply(label) for label in ("neutral", None, "entailment", "entailment", "neutral", None)]
    assert majority(replies) == "neutral" and agreement(replies) == pytest.approx(1 / 3)
    assert (majority([Reply(None)]), agreement([Reply(None)])) == (None, 0)


SCOPE = ("--config", "verb", "--prompt", "word", "--limit-seeds")


def test_ranked_answers_keep_their_log_likelihoods(tmp_path: Path) -> None:
    write_tasks(tmp_path, *SCOPE, "2")
    paths = lm_eval_logs_of(DummyLM(), ["merge_snli_verb_word"], tmp_path)
    (result,) = import_files(paths, OWN, out=tmp_path / "results")
    (written,) = (tmp_path / "results").glob("*.json")
    kept = replies_in(read_result(written).table)
    likely = np.exp([kept[name][0].log_likelihoods for name in result.group_ids])
    assert answers_of_groups(result).seeds == tuple(NLI_LABELS[best] for best in likely.argmax(axis=1))
    assert result.calibration is not None
    right = np.eye(3)[[int(digits[0]) for digits in answers_of_groups(result).gold]]
    assert result.calibration.seed_brier == pytest.approx(
        ((likely / likely.sum(axis=1, keepdims=True) - right) ** 2).sum(axis=1).mean(), abs=2e-4
    )
    (again,) = import_files([written], OWN, again=True)
    assert (answers_of_groups(again), again.calibration) == (answers_of_groups(result), result.calibration)


def test_log_probabilities_of_an_api_give_calibration(tmp_path: Path) -> None:
    """Spellings of a letter add up; a reply without every letter among the likeliest tokens, or unread, is left out."""
    task = nli(OWN, config="noun", limit_seeds=3, prompt="letter-2-3-1")
    shares = np.random.default_rng(1).dirichlet((1, 1, 1), len(task.dataset))
    told = [*islice(cycle("AC"), len(shares) - 2), "?", "A"]

    def output(answer: str, share: Any, *missing: str) -> ModelOutput:  # noqa: ANN401 - an array
        tops = {"A": 0.6 * share[0], " a": 0.3 * share[0], "B": 0.9 * share[1], "C": 0.9 * share[2], "The": 0.1}
        likely = [{"token": token, "logprob": math.log(tops[token])} for token in tops if token not in missing]
        first = {"token": answer, "logprob": math.log(tops.get(answer, 1.0)), "top_logprobs": likely}
        written = ModelOutput.from_content("mockllm/model", f"**{answer}**")
        written.choices[0].logprobs = Logprobs.model_validate({"content": [{"token": "**", "logprob": 0}, first]})
        return written.model_copy(update={"usage": ModelUsage(**USAGE)})

    outputs = [*map(output, told[:-1], shares), output(told[-1], shares[-1], "B")]
    model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1, logprobs=True)
    (result,) = import_files([log.location], OWN, out=tmp_path / "results")
    names, table = [str(sample.id) for sample in task.dataset], result.table
    known = dict(zip(names, shares[:, [2, 0, 1]], strict=True)) | dict.fromkeys(names[-2:], [None] * 3)
    columns = table.select([f"probability:{label}" for label in NLI_LABELS]).to_pylist()
    given = {name: [*row.values()] for name, row in zip(table["row_id"].to_pylist(), columns, strict=True)}
    assert given == {name: pytest.approx(share) for name, share in known.items()}
    assert {reply.label for (reply,) in replies_in(table).values()} == {"neutral", "entailment", None}
    right = np.eye(3)[[int(digits[0]) for digits in answers_of_groups(result).gold]]
    errors = ((np.array([known[name] for name in result.group_ids]) - right) ** 2).sum(axis=1)
    assert result.calibration is not None and result.calibration.seed_brier == pytest.approx(errors.mean())
    assert any("log-probabilities of 2 answers" in note for note in result.notes)
    (again,) = import_files([*(tmp_path / "results").glob("*.json")], OWN, again=True)
    assert (again.calibration, again.notes) == (result.calibration, result.notes)


SAMPLED = (
    "?",
    "Answer: contradiction",
    "neutral",
    "contradiction",
    "I think it is neutral.\n\n**Neutral**",
    "Neutral.",
)
KEEP_ALL = [{"name": "all", "filter": [{"function": "take_first_k", "k": len(SAMPLED)}]}]
FIRST = [{"name": "first", "filter": [{"function": "take_first"}]}]
VOTE = [{"name": "vote", "filter": [{"function": "majority_vote"}, {"function": "take_first"}]}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("filters", "printed"),
    [
        (None, None),
        pytest.param(KEEP_ALL, "neutral", marks=pytest.mark.slow),
        pytest.param([*FIRST, *KEEP_ALL], "neutral", marks=pytest.mark.slow),
        pytest.param(VOTE, None, marks=pytest.mark.slow),
    ],
    ids=["default", "all", "first and all", "vote"],
)
def test_the_majority_of_the_repeats_of_lm_eval_counts(
    filters: Json, printed: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[tuple[str, str]] = Counter()

    def sample(premise: str, hypothesis: str) -> str:
        asked[premise, hypothesis] += 1
        return SAMPLED[asked[premise, hypothesis] - 1]

    task = "merge_snli_verb_word_generate"
    with (write_tasks(tmp_path, *SCOPE, "1") / f"{task}.yaml").open("a", encoding="utf-8") as file:
        yaml.safe_dump({"repeats": len(SAMPLED)} | ({} if filters is None else {"filter_list": filters}), file)
    with Server(by_pair(sample)) as server:
        paths = lm_eval_chat_logs(
            server, task, tmp_path, monkeypatch, gen_kwargs={"do_sample": True, "temperature": 0.7}
        )
    assert {*asked.values()} == {len(SAMPLED)}
    (result,) = import_files(paths, OWN, out=tmp_path / "results")
    assert {*(answers_of_groups(result).seeds or ())} == {"neutral"}
    assert (result.run.samples, result.run.agreement, result.run.no_answers) == (len(SAMPLED), 0.5, 0)
    assert (prompt_of(result).calls, prompt_of(result).temperature) == (len(SAMPLED) * len(asked), 0.7)
    labels = [[reply.label for reply in each] for each in replies_in(result.table).values()]
    assert labels == [[None, "contradiction", "neutral", "contradiction", "neutral", "neutral"]] * len(asked)
    logged = [json.loads(line)["no_answer"][1] for line in paths[0].read_text(encoding="utf-8").splitlines()]
    assert {*logged} == ({printed, None} if filters and len(filters) > 1 else {printed})
