"""The dry run: exact for few problems, an estimate from a sample for many, and no files written."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from generation.dry_run import (
    COPIES,
    SAMPLED_PROBLEMS,
    TIMINGS_PER_LENGTH,
    TRIAL_FORMS,
    DryRun,
    Groups,
    dry_run,
    dry_run_text,
    extrapolate,
    of_every_premise,
    time_steps,
)
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.options import PRESETS, Options
from generation.replacements.finding import CLASS_FORMS
from generation.run import GenerationRun
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.base.progress import format_duration
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.models.shapes import operations_of
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from tests.commands import Command
from tests.oracles import refused, write_rows


@pytest.fixture(scope="module", autouse=True)
def short_trial() -> Iterator[None]:
    """Try the filters on few problems: how long they take is not tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("generation.dry_run.TRIAL_PROBLEMS", 4)
        yield


@pytest.fixture(scope="module")
def options(tiny_mlm: Callable[[str], Path]) -> Options:
    mlms = (str(tiny_mlm("bert")), str(tiny_mlm("roberta")))
    return Options(problems="demo:problems", limit=40, mlm=mlms, device="cpu")


@pytest.fixture(scope="module")
def estimated(options: Options) -> DryRun:
    return dry_run(options)


def test_known_masked_lms_are_not_downloaded(
    options: Options, estimated: DryRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generation.dry_run.operations_per_second", lambda _: 1e9)
    (measured, _), (known, *_) = estimated.masked_lms, PRESETS["paper"]["mlm"]
    run = dry_run(replace(options, mlm=(known, options.mlm[0])))
    by_shape, here = run.masked_lms
    seconds = run.forms * operations_of(known, here.tokens, masked_lm=True) / 1e9
    assert (here.name, here.forms, here.bytes) == (measured.name, measured.forms, measured.bytes)
    assert (by_shape.name, by_shape.forms, by_shape.refused, by_shape.bytes) == (known, run.forms, {}, here.bytes)
    assert by_shape.seconds == pytest.approx(seconds)
    assert "Not downloaded: 1 masked LM of 0.4 GB." in dry_run_text(run)
    assert "Not downloaded" not in dry_run_text(estimated)


def test_counts_are_exact_if_every_problem_is_sampled(estimated: DryRun, options: Options, tagger: Tagger) -> None:
    words = [
        word
        for tagged in tag(read_problems(options).problems, tagger)
        for word in shared_words(tagged)
        if word.word_class != "adv" and word.left_out is None
    ]
    assert (estimated.problems, estimated.sampled, estimated.words) == (40, 40, len(words))
    assert estimated.forms <= sum(len(word.premise) + len(word.hypothesis) for word in words)
    for mlm in estimated.masked_lms:
        assert mlm.forms + sum(mlm.refused.values()) == estimated.forms
        assert mlm.forms_per_second > 0
        assert mlm.seconds == pytest.approx(mlm.forms / mlm.forms_per_second)
        assert 100 * mlm.forms < mlm.bytes < 1_700 * mlm.forms, "200 ids and log-probabilities, compressed"


def test_a_sample_is_extrapolated(estimated: DryRun, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generation.dry_run.SAMPLED_PROBLEMS", 20)
    half = dry_run(options)
    assert half.problems == 40 and 10 < half.sampled < 30
    assert half.words == pytest.approx(estimated.words, rel=0.4)
    assert {mlm.forms + sum(mlm.refused.values()) for mlm in half.masked_lms} == {half.forms}


def test_problems_of_a_premise_are_sampled_together() -> None:
    premises = ["a", "a", "b", "c", "b", "c", "a", "d"]
    problems = [Problem(str(number), premise, "h", 0) for number, premise in enumerate(premises)]
    assert [problem.premise for problem in of_every_premise(problems, 2)] == ["a", "a", "c", "c", "a"]
    assert [*of_every_premise(problems, 1)] == problems
    assert [*of_every_premise(problems, 100)] == [problem for problem in problems if problem.premise == "a"]


@pytest.mark.parametrize(("name", "forms"), [("snli/test", 27_504), ("mnli/dev_matched", 29_844)])
@pytest.mark.slow
def test_forms_of_a_corpus_are_estimated(corpus: Callable[[str], Path], name: str, forms: int) -> None:
    estimated = dry_run(Options(problems=str(corpus(f"{name}.jsonl")), mlm=("demo:mlm-bpe",)))
    assert estimated.sampled == pytest.approx(SAMPLED_PROBLEMS, rel=0.15)
    assert estimated.forms == pytest.approx(forms, rel=0.1)


def test_fewer_forms_are_timed_than_a_run_has(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    fill = MaskedLM.fill

    def counting(mlm: MaskedLM, batch: Sequence[EncodedForm], top_k: int) -> list[Fillers]:
        batches.append(len(batch))
        return fill(mlm, batch, top_k)

    monkeypatch.setattr(MaskedLM, "fill", counting)
    monkeypatch.setattr("time.perf_counter", lambda: 10 * len(batches) + sum(batches))  # 10 s a batch and 1 s a form
    mlms = dry_run(options).masked_lms
    assert len(batches) >= 2 * TIMINGS_PER_LENGTH, "some of them answer the forms of the trial"
    assert sum(batches) < sum(mlm.forms for mlm in mlms)
    number_of_batches = (mlms[0].seconds - mlms[0].forms) / 10
    assert number_of_batches == pytest.approx(round(number_of_batches)) and 1 < number_of_batches < mlms[0].forms


@pytest.mark.parametrize("word", ["cat", "xylograph"])
def test_without_forms_the_masked_lms_take_no_time(options: Options, tmp_path: Path, word: str) -> None:
    """No word is shared, or the tokenizers split it."""
    problem = {"premise": "A xylograph hangs here.", "hypothesis": f"The {word} is old.", "label": "neutral"}
    path = str(write_rows(tmp_path / "problems.jsonl", [problem]))
    assert [(mlm.forms, mlm.seconds) for mlm in dry_run(replace(options, problems=path)).masked_lms] == [(0, 0.0)] * 2


def test_a_problem_with_many_forms_is_in_no_trial(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def timed(trial: GenerationRun) -> tuple[dict[str, float], Groups]:
        tried.extend(problem.premise for problem in trial.sample or ())
        return time_steps(trial)

    monkeypatch.setattr("generation.dry_run.MAX_FORMS", 6)
    monkeypatch.setattr("generation.dry_run.time_steps", timed)
    texts = ["A farmer sleeps. " * times for times in (9, 1, 9, 1)]
    rows = [{"premise": text, "hypothesis": "The farmer is here.", "label": "neutral"} for text in texts]
    estimated = dry_run(replace(options, problems=str(write_rows(tmp_path / "problems.jsonl", rows))))
    assert tried == ["A farmer sleeps. "] * 2
    assert estimated.forms == 11


def test_several_processes_share_the_work(estimated: DryRun, options: Options) -> None:
    of_two = dry_run(options, workers=2)
    assert (estimated.workers, of_two.workers) == (1, 2), "one by default for few problems"
    assert "(cpu, 2 processes)" in dry_run_text(of_two)
    refused("workers is 0", dry_run, options, workers=0)


def test_the_command_writes_nothing(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["generate", "demo:problems", "--limit", "10", "--mlm", options.mlm[0], "--dry-run"]
    assert command(*line, "--out", "here").out.startswith("10 problems with a gold label: about ")
    assert list(tmp_path.iterdir()) == []


def test_every_step_counts(estimated: DryRun) -> None:
    steps = [
        estimated.loading,
        estimated.reading,
        *(mlm.seconds for mlm in estimated.masked_lms),
        estimated.filters,
        estimated.writing,
    ]
    assert min(steps) > 0
    assert estimated.seconds == pytest.approx(sum(steps))


@pytest.mark.slow
def test_the_estimate_is_within_a_factor_of_two(tmp_path: Path) -> None:
    """In CPU time, since the machine may be busy; in processes of their own, so that both load every library."""
    command = [str(Path(sys.executable).with_name("merge-snli")), "generate", "demo:problems"]
    code = (
        "import time; time.monotonic = time.perf_counter = time.process_time; "
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


def test_text(estimated: DryRun) -> None:
    lines = dry_run_text(estimated).splitlines()
    steps = ["loading", "reading and tagging", "tiny-bert", "tiny-roberta", "filters and sets", "writing"]
    assert [line.split("  ")[0] for line in lines[3:9]] == steps
    assert f"about {format_duration(estimated.seconds)} on this machine" in " ".join(lines)
    assert lines[-1] == "Nothing was written."
    assert max(map(len, lines)) <= TEXT_WIDTH


NOUNS, VERBS = ("noun", "premise"), ("verb", "premise")
FORMS = Counter({NOUNS: 16, VERBS: 4})
SECONDS = {"setup": 1.0, "filters": 2.0, "all forms": 1.0, "standalone": 5.0, "writing": 0.5, "copies": 1.2}
PER_FORM = (5.0 - 1.0) / (TRIAL_FORMS + 4)


def test_the_trial_itself_takes_the_time_of_its_steps() -> None:
    few = Counter({NOUNS: TRIAL_FORMS, VERBS: 4})
    assert extrapolate(SECONDS, few, few, 1) == pytest.approx((1.0 + 2.0 + 5.0, 0.5))


def test_filters_grow_with_the_forms_and_setup_does_not() -> None:
    found = [extrapolate(SECONDS, FORMS, Counter({NOUNS: 160, VERBS: 40}), samples)[0] for samples in (1, 10)]
    alone = [2 * CLASS_FORMS * PER_FORM, 10 * (16 + 4) * PER_FORM]
    assert found == pytest.approx([1.0 + 10 * (2.0 + 1.0) + seconds for seconds in alone])


def test_workers_share_what_grows_with_the_forms() -> None:
    assert extrapolate(SECONDS, FORMS, FORMS, 1, workers=2)[0] == pytest.approx(
        1.0 + (2.0 + 1.0 + (16 + 4) * PER_FORM) / 2
    )


def test_writing_grows_with_the_variants_and_the_time_per_file_does_not() -> None:
    per_copy = (1.2 - 0.5) / (COPIES - 1)
    twice = Counter({NOUNS: 40})
    assert extrapolate(SECONDS, FORMS, twice, 1)[1] == pytest.approx(0.5 + per_copy)
    assert extrapolate(SECONDS | {"writing": 0.0, "copies": 0.0}, FORMS, twice, 1)[1] == 0.0
