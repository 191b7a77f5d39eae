"""The dry run: exact counts for few problems, an estimate from a sample for many, and no files written."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from generation.dry_run import dry_run, extrapolate
from generation.options import PRESETS, Options
from generation.report.estimate import Estimate, Step, estimate_text
from generation.run import GenerationRun
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.base.progress import format_duration
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.models.shapes import operations_of
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem, of_every_premise
from merge_snli.problems.reading import read_problems
from tests.commands import Command
from tests.oracles import refused, write_rows

STAGES = ["read and tag", "tiny-bert", "tiny-roberta", "filters and sets", "write"]


@pytest.fixture(scope="module", autouse=True)
def short_trial() -> Iterator[None]:
    """Try few problems: how long they take is not tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generation.dry_run.MIN_TRIAL", 4)
        yield


@pytest.fixture(scope="module")
def options(tiny_mlm: Callable[[str], Path]) -> Options:
    mlms = (str(tiny_mlm("bert")), str(tiny_mlm("roberta")))
    return Options(problems="demo:problems", limit=40, mlm=mlms, device="cpu", inflation=2)


@pytest.fixture(scope="module")
def estimated(options: Options) -> Estimate:
    return dry_run(options)


def masked_lms(estimate: Estimate) -> list[Step]:
    return [step for step in estimate.steps.values() if step.forms is not None]


def test_known_masked_lms_are_not_downloaded(
    options: Options, estimated: Estimate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.report.estimate.operations_per_second", lambda _: 1e9)
    known = PRESETS["paper"]["mlm"][0]
    run = dry_run(replace(options, mlm=(known, options.mlm[0])))
    assert [*run.steps] == ["read and tag", known, "tiny-bert", "filters and sets", "write"]
    by_shape, here = masked_lms(run)
    measured = estimated.steps["tiny-bert"]
    assert (here.name, here.forms, here.refused, here.bytes) == (
        measured.name,
        measured.forms,
        measured.refused,
        measured.bytes,
    )
    assert (by_shape.forms, by_shape.refused, by_shape.bytes) == (run.forms, 0, here.bytes)
    assert by_shape.seconds == pytest.approx(run.forms * operations_of(known, here.tokens, masked_lm=True) / 1e9)
    text = estimate_text(run)
    assert next(line for line in text.splitlines() if line.startswith(known)).endswith(" 0.43")
    assert "To download: 0.4 GB" in text
    assert "download" not in estimate_text(estimated)


def test_counts_are_exact_if_every_problem_is_sampled(estimated: Estimate, options: Options, tagger: Tagger) -> None:
    words = [
        word
        for tagged in tag(read_problems(options).problems, tagger)
        for word in shared_words(tagged)
        if word.word_class != "adv" and word.left_out is None
    ]
    assert (estimated.problems, estimated.sampled) == (40, 40)
    assert len(words) < estimated.forms <= sum(len(word.premise) + len(word.hypothesis) for word in words)
    assert [step.name for step in masked_lms(estimated)] == ["tiny-bert", "tiny-roberta"]
    for step in masked_lms(estimated):
        assert step.forms is not None and step.refused is not None
        assert step.forms + step.refused == estimated.forms
        assert 100 * step.forms < step.bytes < 1_700 * step.forms, "200 ids and log-probabilities, compressed"


@pytest.mark.slow
def test_a_sample_is_extrapolated(estimated: Estimate, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.dry_run.SAMPLED_PROBLEMS", 20)
    half = dry_run(options)
    assert half.problems == 40 and 10 < half.sampled < 30
    assert half.forms == pytest.approx(estimated.forms, rel=0.4)


def test_problems_of_a_premise_are_sampled_together() -> None:
    premises = ["a", "a", "b", "c", "b", "c", "a", "d"]
    problems = [Problem(str(number), premise, "h", 0) for number, premise in enumerate(premises)]
    assert [problem.premise for problem in of_every_premise(problems, 2)] == ["a", "a", "c", "c", "a"]
    assert [*of_every_premise(problems, 1)] == problems
    assert [*of_every_premise(problems, 100)] == [problem for problem in problems if problem.premise == "a"]


def test_a_masked_lm_without_forms_fills_none(options: Options, tmp_path: Path) -> None:
    problem = {"premise": "A xylograph hangs here.", "hypothesis": "The xylograph is old.", "label": "neutral"}
    path = str(write_rows(tmp_path / "problems.jsonl", [problem]))
    steps = masked_lms(dry_run(replace(options, problems=path)))
    assert [(step.forms, step.refused) for step in steps] == [(0, 2), (0, 2)], "the tokenizers split the word"


def test_problems_without_a_shared_word_are_refused(options: Options, tmp_path: Path) -> None:
    problem = {"premise": "A xylograph hangs here.", "hypothesis": "The cat is old.", "label": "neutral"}
    path = str(write_rows(tmp_path / "problems.jsonl", [problem]))
    refused("share no noun", dry_run, replace(options, problems=path))


@pytest.mark.slow
def test_a_problem_with_many_forms_is_not_tried(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[list[str]] = []
    on = GenerationRun.on

    def noted(run: GenerationRun, problems: Iterator[Problem]) -> GenerationRun:
        sample = [*problems]
        tried.append([problem.premise for problem in sample])
        return on(run, sample)

    monkeypatch.setattr("generation.dry_run.MAX_FORMS", 6)
    monkeypatch.setattr(GenerationRun, "on", noted)
    texts = ["A farmer sleeps. " * times for times in (9, 1, 9, 1)]
    rows = [{"premise": text, "hypothesis": "The farmer is here.", "label": "neutral"} for text in texts]
    estimated = dry_run(replace(options, problems=str(write_rows(tmp_path / "problems.jsonl", rows))))
    assert tried == [texts, ["A farmer sleeps. "] * 2]
    assert estimated.forms == 11


@pytest.mark.slow
def test_several_processes_share_the_work(estimated: Estimate, options: Options) -> None:
    of_two = dry_run(options, workers=2)
    assert (estimated.workers, of_two.workers) == (1, 2), "one by default for few problems"
    assert "(cpu, 2 processes)" in estimate_text(of_two)
    refused("workers is 0", dry_run, options, workers=0)


def test_the_command_writes_nothing(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["generate", "demo:problems", "--limit", "10", "--mlm", options.mlm[0], "--dry-run"]
    assert command(*line, "--out", "here").out.startswith("10 problems with a gold label: about ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_estimate_is_within_a_factor_of_two(tmp_path: Path) -> None:
    """In CPU time, since the machine may be busy; in processes of their own, so that both load every library."""
    command = [str(Path(sys.executable).with_name("merge-snli")), "generate", "demo:problems"]
    code = (
        "import time; time.monotonic = time.process_time; "
        "from generation.dry_run import dry_run; from generation.options import Options; "
        "from generation.options import preset_options; "
        "print(dry_run(Options(**(preset_options('demo') | {'problems': 'demo:problems'}))).seconds)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before = os.times()
    subprocess.run([*command, "--preset", "demo", "--out", str(tmp_path / "data")], capture_output=True, check=True)
    after = os.times()
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    assert seconds / 2 < float(done.stdout) < seconds * 2


def test_text(estimated: Estimate) -> None:
    lines = estimate_text(estimated).splitlines()
    assert [line.split("  ")[0] for line in lines[3:9]] == ["loading", *STAGES]
    assert f"about {format_duration(estimated.seconds)} on this machine" in " ".join(lines)
    assert lines[-1] == "Nothing was written."
    assert max(map(len, lines)) <= TEXT_WIDTH


def test_what_a_process_does_once_is_not_multiplied() -> None:
    assert extrapolate([5.0, 2.0], [10, 10], 100) == pytest.approx(3.0 + 10 * 2.0)
    assert extrapolate([5.0, 2.0], [20, 10], 100) == pytest.approx(1.0 + 10 * 2.0), "shards of different sizes"
    assert extrapolate([5.0, 2.0], [10, 10], 100, workers=2) == pytest.approx(3.0 + 10 * 2.0 / 2)
    assert extrapolate([1.0, 2.0], [10, 10], 20) == pytest.approx(4.0), "never less than nothing"


def test_one_shard_takes_its_time() -> None:
    assert extrapolate([5.0], [1, 0], 1) == 5.0


def test_an_empty_shard_says_nothing_of_the_time_per_unit() -> None:
    assert extrapolate([5.0, 0.1], [10, 0], 100) == 50.0
    assert extrapolate([5.0, 0.1], [0, 0], 0) == 5.0
