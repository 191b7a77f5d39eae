"""Replies: why no label is read, several replies to one question, and ranked answers with their log-likelihoods."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from threading import Thread
from typing import Any

import numpy as np
import pytest

from merge_snli import Result
from merge_snli.cli import main
from merge_snli.language_models.import_files import import_files
from merge_snli.schema import NLI_LABELS
from merge_snli.scoring.replies import Reply, agreement, majority, replies_in
from merge_snli.scoring.store import read_result
from tests.merge_snli.language_models.conftest import OWN, lm_eval_logs_of
from tests.merge_snli.language_models.server import Server, by_pair
from tests.oracles import answers_of_groups

Json = Any
REFUSAL = "I am sorry, but I cannot help with that."
UNFINISHED = "<think>\nThe premise says that the man sleeps. So it may be"
Ask = Callable[..., Path]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A function that asks a model that gives the answers in turns, and returns the log of Inspect."""

    def log(answers: Sequence[str], *, epochs: int = 1, stops: Sequence[str] = ("stop",)) -> Path:
        from inspect_ai import eval as inspect_eval
        from inspect_ai.model import ModelOutput, ModelUsage, get_model

        from merge_snli.language_models.inspect_task import nli

        task = nli(OWN, config="verb", limit_seeds=2)
        outputs = []
        for at in range(len(task.dataset) * epochs):
            output = ModelOutput.from_content("mockllm/model", answers[at % len(answers)])
            output.choices[0].stop_reason = stops[at % len(stops)]  # type: ignore[assignment]
            output.usage = ModelUsage(input_tokens=50, output_tokens=2, total_tokens=52)
            outputs.append(output)
        model = get_model("mockllm/model", memoize=False, custom_outputs=outputs)
        (done,) = inspect_eval(
            task, model=model, epochs=epochs, log_dir=str(tmp_path / "logs"), display="none", max_samples=1
        )
        assert done.status == "success", done.error
        return Path(done.location)

    return log


def test_replies_that_were_cut_are_counted_apart_from_refusals(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    said = ["neutral", "The man", REFUSAL, "?", UNFINISHED, "neutral", ""]
    log = ask(said, stops=["stop", "max_tokens", "stop", "stop", "stop", "max_tokens", "content_filter"])
    out = tmp_path / "results"
    assert main(["import", str(log), "--dataset", OWN, "--out", str(out)]) == 0
    (path,) = out.glob("*.json")
    run = read_result(path).run
    kept = replies_in(read_result(path).table)
    kinds = [reply.kind for replies in kept.values() for reply in replies]
    counts = {kind: kinds.count(kind) for kind in ("cut", "refused", "no stated answer")}
    assert min(counts.values()) >= 2
    assert (run.unread, run.no_answers) == (counts, sum(counts.values()))
    of = {reply.text: reply.kind for replies in kept.values() for reply in replies}
    assert of == {
        "neutral": None,
        "The man": "cut",
        REFUSAL: "refused",
        "?": "no stated answer",
        UNFINISHED: "cut",
        "": "refused",
    }
    printed = capsys.readouterr().out
    lines = [line for line in printed.splitlines() if line.startswith("model (word)")]
    assert sum(" cut " in line for line in lines) == 3
    assert f"; cut: {counts['cut']}" in " ".join(printed.split())
    warned = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert [text.partition("% of the answers are unread (")[2].partition(")")[0] for text in warned] == sorted(counts)
    (again,) = import_files([path], OWN, again=True)
    assert again.run.unread == run.unread


def test_ties_of_several_epochs_are_counted(ask: Ask) -> None:
    from inspect_ai.log import read_eval_log

    log = ask(["neutral", "entailment", "entailment"], epochs=2)
    answers: dict[str, set[str | None]] = {}
    for sample in read_eval_log(str(log)).samples or []:
        answers.setdefault(str(sample.id), set()).add((sample.scores or {})["nli_answer"].answer)
    tied = sum(len(labels) == 2 for labels in answers.values())
    (result,) = import_files([log], OWN)
    assert result.run.tied == tied > 0
    assert any(f"tied on {tied} of" in note for note in result.notes)


def test_the_majority_of_several_epochs_counts(ask: Ask, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    log = ask(["neutral", "entailment", "neutral", "?"], epochs=5)
    read = read_eval_log(str(log))
    answers: dict[str, list[str | None]] = {}
    for sample in sorted(read.samples or [], key=lambda each: each.epoch):
        answers.setdefault(str(sample.id), []).append((sample.scores or {})["nli_answer"].answer)
    expected = {
        name: max((each for each in found if each), key=[*filter(None, found)].count) for name, found in answers.items()
    }
    assert {len(found) for found in answers.values()} == {5}
    (result,) = import_files([log], OWN, out=tmp_path / "results")
    assert answers_of_groups(result).seeds == tuple(expected[name] for name in result.group_ids)
    agree = fmean(found.count(expected[name]) / 5 for name, found in answers.items())
    assert result.run.samples == 5
    assert result.run.agreement == pytest.approx(agree)
    assert result.run.prompt is not None
    assert result.run.prompt.calls == 5 * len(answers)
    assert any(f"{agree:.1%}" in note for note in result.notes)
    assert read.results is not None
    metrics = {name: metric.value for name, metric in read.results.scores[0].metrics.items()}
    assert metrics["sample_accuracy"] == pytest.approx(result.scores.sample_accuracy.mean)
    (path,) = (tmp_path / "results").glob("*.json")
    (again,) = import_files([path], OWN, again=True)
    assert answers_of_groups(again) == answers_of_groups(result)
    assert again.run.agreement == result.run.agreement


def test_ties_and_unread_replies_in_a_majority() -> None:
    replies = [Reply(label) for label in ("neutral", None, "entailment", "entailment", "neutral", None)]
    assert majority(replies) == "neutral"
    assert agreement(replies) == pytest.approx(1 / 3)
    assert (majority([Reply(None)]), agreement([Reply(None)])) == (None, 0)


@pytest.fixture
def lm_eval_folder(tmp_path: Path) -> Path:
    """A folder with the samples of the two tasks of a prompt, by a model that answers at random."""
    from lm_eval.models.dummy import DummyLM

    where = ["--config", "verb", "--limit-seeds", "2", "--prompt", "word", "--out", str(tmp_path / "tasks")]
    assert main(["harness", OWN, *where]) == 0
    lm_eval_logs_of(DummyLM(), ["merge_snli_verb_word", "merge_snli_verb_word_generate"], tmp_path)
    return tmp_path / "logs"


def probabilities(result: Result, path: Path) -> dict[str, Any]:
    """Return the softmax of the kept log-likelihoods of each seed."""
    kept = replies_in(read_result(path).table)
    return {
        name: np.exp(each) / np.exp(each).sum() for name in result.group_ids for each in [kept[name][0].log_likelihoods]
    }


def test_ranked_answers_keep_their_log_likelihoods(lm_eval_folder: Path, tmp_path: Path) -> None:
    (path,) = lm_eval_folder.rglob("samples_merge_snli_verb_word_2*.jsonl")
    (result,) = import_files([path], OWN, out=tmp_path / "results")
    (written,) = (tmp_path / "results").glob("*.json")
    of_seeds = probabilities(result, written)
    best = {name: NLI_LABELS[int(each.argmax())] for name, each in of_seeds.items()}
    assert answers_of_groups(result).seeds == tuple(best.values())
    assert result.calibration is not None
    gold = [NLI_LABELS[int(digits[0])] for digits in answers_of_groups(result).gold]
    errors = [
        sum((share - (label == right)) ** 2 for label, share in zip(NLI_LABELS, each, strict=True))
        for each, right in zip(of_seeds.values(), gold, strict=True)
    ]
    assert result.calibration.seed_brier == pytest.approx(fmean(errors), abs=2e-4)
    (again,) = import_files([written], OWN, again=True)
    assert (answers_of_groups(again), again.calibration) == (answers_of_groups(result), result.calibration)


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


@pytest.mark.parametrize(
    ("filters", "printed"),
    [(None, None), (KEEP_ALL, "neutral"), ([*FIRST, *KEEP_ALL], "neutral"), (VOTE, None)],
    ids=["default", "all", "first and all", "vote"],
)
def test_the_majority_of_the_repeats_of_lm_eval_counts(
    filters: Json, printed: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import yaml

    asked: Counter[tuple[str, str]] = Counter()

    def sample(premise: str, hypothesis: str) -> str:
        asked[premise, hypothesis] += 1
        return SAMPLED[asked[premise, hypothesis] - 1]

    where = ["--config", "verb", "--limit-seeds", "2", "--prompt", "word", "--out", str(tmp_path / "tasks")]
    assert main(["harness", OWN, *where]) == 0
    task = "merge_snli_verb_word_generate"
    with (tmp_path / "tasks" / f"{task}.yaml").open("a", encoding="utf-8") as file:
        yaml.safe_dump({"repeats": len(SAMPLED)} | ({} if filters is None else {"filter_list": filters}), file)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Server(by_pair(sample)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        paths = lm_eval_logs_of(
            "local-chat-completions",
            [task],
            tmp_path,
            model_args={"model": "rule", "base_url": f"{server.address}/chat/completions", "num_concurrent": 1},
            gen_kwargs={"do_sample": True, "temperature": 0.7},
            apply_chat_template=True,
        )
        server.shutdown()
    assert {*asked.values()} == {len(SAMPLED)}
    (result,) = import_files(paths, OWN, out=tmp_path / "results")
    assert {*(answers_of_groups(result).seeds or ())} == {"neutral"}
    assert (result.run.samples, result.run.agreement) == (len(SAMPLED), 0.5)
    assert result.run.no_answers == 0
    assert result.run.prompt is not None
    assert (result.run.prompt.calls, result.run.prompt.temperature) == (len(SAMPLED) * len(asked), 0.7)
    labels = [[reply.label for reply in each] for each in replies_in(result.table).values()]
    assert labels == [[None, "contradiction", "neutral", "contradiction", "neutral", "neutral"]] * len(asked)
    logged = [json.loads(line)["no_answer"][1] for line in paths[0].read_text(encoding="utf-8").splitlines()]
    assert {*logged} == ({printed, None} if filters and len(filters) > 1 else {printed})
