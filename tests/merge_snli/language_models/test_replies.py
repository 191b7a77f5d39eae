"""Replies: why no label is read, several replies to one question, and ranked answers with their log-likelihoods."""

import math
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import Logprobs, ModelOutput, ModelUsage, get_model
from lm_eval.api.model import LM
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
from tests.oracles import answers_of_groups, known, read_jsonl

REFUSAL = "I am sorry, but I cannot help with that."
UNFINISHED = "<think>\nThe premise says that the man sleeps. So it may be"


def test_replies_that_were_cut_are_counted_apart_from_refusals(
    tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    said = ["neutral", "The man", REFUSAL, "?", UNFINISHED, "neutral", ""]
    stops = ["stop", "max_tokens", "stop", "stop", "stop", "max_tokens", "content_filter"]
    task = nli(OWN, config="verb", limit_seeds=2)
    assert len(task.dataset) == 22
    log = run_task(task, cycle(said), tmp_path / "logs", stops=stops)
    out = tmp_path / "results"
    printed = command("import", log.location, "--dataset", OWN, "--out", out).out
    assert "; cut: 6" in " ".join(printed.split())
    (path,) = out.glob("*.json")
    result = read_result(path)
    assert result.run.unread == {"cut": 6, "refused": 3, "refused by the provider": 3, "no stated answer": 3}
    assert result.run.no_answers == 15
    for kind in result.run.unread:
        assert f"answers are unread ({kind})" in caplog.text
    kinds = {"The man": "cut", REFUSAL: "refused", "?": "no stated answer", UNFINISHED: "cut"}
    for (reply,) in replies_in(result.table).values():
        if reply.text:
            assert reply.kind == kinds.get(reply.text)
        else:
            assert reply.kind == "refused by the provider"
    (again,) = import_files([path], OWN, again=True)
    assert again.run.unread == result.run.unread


def in_epochs(folder: Path, *answers: Sequence[str]) -> tuple[Path, list[str]]:
    """Ask the questions in epochs: to each in turn one of the series of answers; return the log and the questions."""
    task = nli(OWN, config="verb", limit_seeds=1)
    epochs = len(answers[0])
    said = [answers[number % len(answers)][epoch] for epoch in range(epochs) for number, _ in enumerate(task.dataset)]
    log = run_task(task, said, folder / "logs", epochs=epochs)
    return Path(log.location), [str(sample.id) for sample in task.dataset]


def test_ties_of_several_epochs_are_counted(tmp_path: Path) -> None:
    log, questions = in_epochs(tmp_path, ("neutral", "entailment"), ("neutral", "neutral"))
    assert len(questions) == 11
    (result,) = import_files([log], OWN)
    assert result.run.tied == 6
    assert any("tied on 6 of" in note for note in result.notes)


def test_the_majority_of_several_epochs_counts(tmp_path: Path) -> None:
    log, questions = in_epochs(
        tmp_path,
        ("neutral", "entailment", "neutral", "?", "neutral"),
        ("neutral", "entailment", "?", "entailment", "entailment"),
    )
    expected = {name: 1 - number % 2 for number, name in enumerate(questions)}
    (result,) = import_files([log], OWN, out=tmp_path / "results")
    answers = result.answers
    for name, predicted in zip(answers.row_ids.to_pylist(), answers.predicted, strict=True):
        assert predicted == expected[name], name
    assert (result.run.samples, prompt_of(result).calls) == (5, 5 * 11)
    assert result.run.agreement == pytest.approx(0.6)
    assert any("60.0%" in note for note in result.notes)
    read = read_eval_log(str(log))
    (scores,) = read.results.scores if read.results else []
    assert scores.metrics["sample_accuracy"].value == pytest.approx(result.sample_accuracy)
    (path,) = (tmp_path / "results").glob("*.json")
    (again,) = import_files([path], OWN, again=True)
    assert answers_of_groups(again) == answers_of_groups(result)
    assert again.run.agreement == result.run.agreement


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
    for name, label in zip(result.group_ids, known(answers_of_groups(result).seeds), strict=True):
        (reply,) = kept[name]
        assert label == NLI_LABELS[int(np.argmax(reply.log_likelihoods))]
    probabilities = [[row[f"probability:{label}"] for label in NLI_LABELS] for row in result.table.to_pylist()]
    likely = np.exp([kept[name][0].log_likelihoods for name in result.table["row_id"].to_pylist()])
    assert np.array(probabilities) == pytest.approx(likely / likely.sum(axis=1, keepdims=True), abs=1e-4)
    (again,) = import_files([written], OWN, again=True)
    assert answers_of_groups(again) == answers_of_groups(result)
    assert again.calibration == result.calibration


def output_with(answer: str, share: Any, hidden: str = "") -> ModelOutput:  # noqa: ANN401 - an array
    """Return a bold letter whose place other spellings and letters may have with probabilities of these shares."""
    likely = {"A": 0.6 * share[0], " a": 0.3 * share[0], "B": 0.9 * share[1], "C": 0.9 * share[2], "The": 0.1}
    likely.pop(hidden, None)
    others = [{"token": token, "logprob": math.log(probability)} for token, probability in likely.items()]
    first = {"token": answer, "logprob": math.log(likely.get(answer, 1.0)), "top_logprobs": others}
    output = ModelOutput.from_content("mockllm/model", f"**{answer}**")
    output.usage = ModelUsage(**USAGE)
    output.choices[0].logprobs = Logprobs.model_validate({"content": [{"token": "**", "logprob": 0}, first]})
    return output


def test_log_probabilities_of_an_api_give_calibration(tmp_path: Path) -> None:
    """Spellings of a letter add up; a reply without every letter among the likeliest tokens, or unread, is left out."""
    task = nli(OWN, config="noun", limit_seeds=3, prompt="letter-2-3-1")
    names = [str(sample.id) for sample in task.dataset]
    shares = np.random.default_rng(1).dirichlet((1, 1, 1), len(names))
    outputs = [output_with("AC"[number % 2], share) for number, share in enumerate(shares[:-2])]
    outputs += [output_with("?", shares[-2]), output_with("A", shares[-1], hidden="B")]
    model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none", max_samples=1, logprobs=True)
    (result,) = import_files([log.location], OWN, out=tmp_path / "results")
    expected = dict(zip(names[:-2], shares[:-2, [2, 0, 1]], strict=True))
    for row in result.table.to_pylist():
        found = [row[f"probability:{label}"] for label in NLI_LABELS]
        if row["row_id"] in expected:
            assert found == pytest.approx(expected[row["row_id"]])
        else:
            assert found == [None] * 3
    assert result.calibration is not None
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
FILTERS = [
    {"name": "first", "filter": [{"function": "take_first"}]},
    {"name": "all", "filter": [{"function": "take_first_k", "k": len(SAMPLED)}]},
]


class Sampled(LM):  # type: ignore[misc]
    """Gives its replies in turn to each repetition of a question."""

    def generate_until(self, requests: list[Any]) -> list[str]:
        return [SAMPLED[number % len(SAMPLED)] for number, _ in enumerate(requests)]

    loglikelihood = loglikelihood_rolling = generate_until


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "logged"), [({}, {None}), ({"filter_list": FILTERS}, {"neutral", None})], ids=["default", "filters"]
)
def test_the_majority_of_the_repeats_of_lm_eval_counts(options: Json, logged: set[str | None], tmp_path: Path) -> None:
    task = "merge_snli_verb_word_generate"
    with (write_tasks(tmp_path, *SCOPE, "1") / f"{task}.yaml").open("a", encoding="utf-8") as file:
        yaml.safe_dump({"repeats": len(SAMPLED), **options}, file)
    sampling = {"do_sample": True, "temperature": 0.7}
    paths = lm_eval_logs_of(Sampled(), [task], tmp_path, gen_kwargs=sampling)
    (result,) = import_files(paths, OWN, out=tmp_path / "results")
    assert {*(answers_of_groups(result).seeds or ())} == {"neutral"}
    assert (result.run.samples, result.run.agreement, result.run.no_answers) == (len(SAMPLED), 0.5, 0)
    assert (prompt_of(result).calls, prompt_of(result).temperature) == (len(SAMPLED) * 11, 0.7)
    for replies in replies_in(result.table).values():
        labels = [reply.label for reply in replies]
        assert labels == [None, "contradiction", "neutral", "contradiction", "neutral", "neutral"]
    rows = read_jsonl(paths[0])
    assert {row["no_answer"][1] for row in rows} == logged
