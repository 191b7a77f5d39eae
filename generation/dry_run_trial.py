"""Do the stages of a run for a few problems, and time those after the masked LMs."""

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from generation.masked_lms.masked_lm import MaskedLM
from generation.output.dataset import write_output
from generation.replacements.counts import CLASS_FORMS
from generation.run import GenerationRun
from generation.sentences.tagged_shards import ProblemWords, forms_of_shard
from generation.sentences.words import forms_of_word
from generation.tasks import stages, variant_shards, words_of
from generation.variant_shards import STANDALONE, VariantShard
from generation.work import read_shard
from merge_snli.base.progress import Progress
from merge_snli.base.stages import TAG, WRITE, Notes, run_here
from merge_snli.problems.problem import Problem

# Number of problems that are filtered first, for the work that a run does once.
WARM_UP_PROBLEMS = 2

# Number of times that the variants are written, to tell the time per variant from the time per file.
COPIES = 8

# Number of forms by word class and side.
Groups = Counter[tuple[str, str]]


def extrapolate(seconds: Mapping[str, float], trial: Groups, run: Groups, shards: int) -> tuple[float, float]:
    """Return the seconds of the filters, and of writing the data set, in a run.

    Args:
        seconds: Those of the steps of a trial: `setup` (the filters on the first problems, with what a run does once),
            `filters`, `standalone` (each filter on its own, on at most `CLASS_FORMS` forms per word class and side),
            `writing`, and `copies` (writing `COPIES` times the variants).
        trial: The forms of the trial.
        run: The forms of the run.
        shards: The number of shards of its problems.
    """
    growth = run.total() / trial.total()
    per_shard = Counter({group: -(-count // shards) for group, count in run.items()})
    standalone = seconds["standalone"] * shards * _counted_alone(per_shard) / _counted_alone(trial)
    per_copy = max(0.0, seconds["copies"] - seconds["writing"]) / (COPIES - 1)
    filters = seconds["setup"] + seconds["filters"] * growth + standalone
    return filters, seconds["writing"] + per_copy * max(0.0, growth - 1)


def sample_of(run: GenerationRun, problems: Iterable[Problem]) -> GenerationRun:
    """Return a run on some of its problems, in one shard."""
    sample = tuple(problems)
    return replace(
        run, sample=sample, size=len(sample), problems_per_shard=max(1, len(sample)), notes=Notes(), loaded={}
    )


def answer_trial(trial: GenerationRun, mlm: MaskedLM) -> float:
    """Tag the problems of a trial, and store the answers of a loaded masked LM.

    Args:
        trial: The run on the problems of the trial.
        mlm: The masked LM.

    Returns:
        Bytes per answer on disk; 0 without answers.
    """
    if not trial.sample:
        return 0.0
    trial.loaded[mlm.name] = mlm
    run_here([stage for stage in stages(trial) if stage.kind == TAG or stage.name == mlm.name], Progress(quiet=True))
    trial.loaded.clear()
    answers = trial.answer_keys[mlm.name].folder(trial.work)
    forms = forms_of_shard(trial.tagged([0])[0], trial.options.classes, trial.options.mask)
    return sum(path.stat().st_size for path in answers.glob("*.parquet")) / len(forms)


def time_steps(trial: GenerationRun) -> dict[str, float]:
    """Return the seconds of the stages after the masked LMs on a few problems, for `extrapolate`.

    Args:
        trial: A run on at least one problem with words to replace, whose forms have all been answered.
    """
    assert trial.sample is not None
    setup = _seconds_of_filters(sample_of(trial, trial.sample[:WARM_UP_PROBLEMS]))
    everything = _seconds_of_filters(trial)
    shutil.rmtree(trial.work / STANDALONE)
    without_rows, cached = _seconds_of_filters(trial), _seconds_of_filters(trial)
    made = variant_shards(trial)
    return {
        "setup": setup,
        "filters": max(0.0, everything - without_rows),
        "standalone": max(0.0, without_rows - cached),
        "writing": _seconds_of_writing(trial, made),
        "copies": _seconds_of_writing(trial, made * COPIES),
    }


def _seconds_of_filters(run: GenerationRun) -> float:
    """Run the stages up to the filters, and return the time of the filters."""
    progress = Progress(quiet=True)
    run_here([stage for stage in stages(run) if stage.kind != WRITE], progress)
    return progress.stages[-1].seconds


def _seconds_of_writing(trial: GenerationRun, results: Sequence[VariantShard]) -> float:
    """Write a data set, without the check that there are enough variants for it."""
    if not any(read_shard(result.variants, ["seed_id"]).num_rows for result in results):
        return 0.0
    start = time.monotonic()
    write_output(trial.out, trial.inputs, trial.device.partition(":")[0], words_of(trial), results)
    return time.monotonic() - start


def count_forms(problems: ProblemWords, mask: str) -> Groups:
    """Count the forms of problems by word class and side."""
    return Counter(
        (word.word_class, side)
        for tagged, words in problems
        for word in words
        for side, _ in forms_of_word(tagged, word, mask)
    )


def _counted_alone(groups: Groups) -> int:
    """Return the number of forms on which each filter is counted on its own, in one shard."""
    return sum(min(count, CLASS_FORMS) for count in groups.values())
