"""The dry run: exact counts for few problems, an estimate from a sample for many, and no files written."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

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
from tests.oracles import known, refused, write_rows
from tests.processes import PROGRAM, printed_by

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
    monkeypatch.setattr("generation.dry_run.time", SimpleNamespace(monotonic=count().__next__))
    monkeypatch.setattr("generation.report.estimate.operations_per_second", lambda _: 1e9)
    paper = PRESETS["paper"]["mlm"][0]
    run = dry_run(replace(options, mlm=(paper, options.mlm[0])))
    assert [*run.steps] == ["read and tag", paper, "tiny-bert", "filters and sets", "write"]
    assert run.loading == 3, "a second for the tagger, and one for each masked LM as for the one that is here"
    by_shape, here = masked_lms(run)
    measured = estimated.steps["tiny-bert"]
    assert here.forms == measured.forms
    assert here.refused == measured.refused
    assert here.bytes == measured.bytes
    assert by_shape.forms == run.forms
    assert by_shape.refused == 0
    assert by_shape.bytes == here.bytes
    assert by_shape.seconds == pytest.approx(run.forms * operations_of(paper, here.tokens, masked_lm=True) / 1e9)
    text = estimate_text(run)
    assert re.search(rf"^{paper} .* 0\.43$", text, re.MULTILINE)
    assert "To download: 0.4 GB" in text
    assert "download" not in estimate_text(estimated)


def test_counts_are_exact_if_every_problem_is_sampled(estimated: Estimate, options: Options, tagger: Tagger) -> None:
    words = occurrences = 0
    for tagged in tag(read_problems(options).problems, tagger):
        for word in shared_words(tagged):
            if word.word_class != "adv" and word.left_out is None:
                words += 1
                occurrences += len(word.premise) + len(word.hypothesis)
    assert (estimated.problems, estimated.sampled) == (40, 40)
    assert words < estimated.forms <= occurrences
    for step in masked_lms(estimated):
        forms = known(step.forms)
        assert forms + known(step.refused) == estimated.forms
        assert 100 * forms < step.bytes < 1_700 * forms, "200 ids and log-probabilities, compressed"


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
    chosen = replace(options, problems=str(write_rows(tmp_path / "problems.jsonl", [problem])))
    for step in masked_lms(dry_run(chosen)):
        assert (step.forms, step.refused) == (0, 2), "the tokenizers split the word"
    write_rows(tmp_path / "problems.jsonl", [problem | {"hypothesis": "The cat is old."}])
    refused("share no noun", dry_run, chosen)


@pytest.mark.slow
def test_a_problem_with_many_forms_is_not_tried(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    on = GenerationRun.on

    def noted(run: GenerationRun, problems: Iterator[Problem]) -> GenerationRun:
        sample = [*problems]
        tried.append([problem.premise for problem in sample])
        return on(run, sample)

    monkeypatch.setattr("generation.dry_run.MAX_FORMS", 6)
    monkeypatch.setattr(GenerationRun, "on", noted)
    short = "A farmer sleeps. "
    long = "A farmer sleeps. " * 9
    texts = [long, short, long, short]
    rows = [{"premise": text, "hypothesis": "The farmer is here.", "label": "neutral"} for text in texts]
    estimated = dry_run(replace(options, problems=str(write_rows(tmp_path / "problems.jsonl", rows))))
    assert tried == [texts, [short, short]]
    assert estimated.forms == 11


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
    code = (
        "import time; time.monotonic = time.process_time; "
        "from generation.dry_run import dry_run; from generation.options import Options; "
        "from generation.options import preset_options; "
        "print(dry_run(Options(**(preset_options('demo') | {'problems': 'demo:problems'}))).seconds)"
    )
    estimated = float(printed_by(code))
    before = os.times()
    command = [PROGRAM, "generate", "demo:problems", "--preset", "demo"]
    subprocess.run([*command, "--out", str(tmp_path / "data")], capture_output=True, check=True)
    after = os.times()
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    assert seconds / 2 < estimated < seconds * 2


def test_text(estimated: Estimate) -> None:
    lines = estimate_text(estimated).splitlines()
    assert [line.split("  ")[0] for line in lines[3:9]] == ["loading", *STAGES]
    assert f"about {format_duration(estimated.seconds)} on this machine" in " ".join(lines)
    assert lines[-1] == "Nothing was written."
    assert max(map(len, lines)) <= TEXT_WIDTH
    assert estimated.workers == 1, "by default for few problems"
    assert "(cpu, 2 processes)" in estimate_text(replace(estimated, workers=2))


def test_what_a_process_does_once_is_not_multiplied() -> None:
    assert extrapolate([5.0, 2.0], [10, 10], 100) == pytest.approx(3.0 + 10 * 2.0)
    assert extrapolate([5.0, 2.0], [20, 10], 100) == pytest.approx(1.0 + 10 * 2.0), "shards of different sizes"
    assert extrapolate([5.0, 2.0], [10, 10], 100, workers=2) == pytest.approx(3.0 + 10 * 2.0 / 2)
    assert extrapolate([1.0, 2.0], [10, 10], 20) == pytest.approx(4.0), "never less than nothing"


def test_an_empty_shard_says_nothing_of_the_time_per_unit() -> None:
    assert extrapolate([5.0, 0.1], [10, 0], 100) == 50.0
    assert extrapolate([5.0, 0.1], [0, 0], 0) == 5.0
