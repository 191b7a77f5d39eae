"""Dry run: estimate the forms, time and disk space of a run by doing its steps on a few of its problems."""

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from statistics import fmean

from generation.masked_lms.masked_lm import MaskedLM
from generation.options import PRESETS, Options
from generation.output.dataset import require_words, write_output
from generation.report.estimate import Estimate, Step, is_not_here, steps_by_shape
from generation.run import GenerationRun, check_workers, plan_run
from generation.run_inputs import read_inputs
from generation.sentences.forms import Form
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, ProblemWords, distinct_forms, read_tagged
from generation.tasks import stages, standalone_counts, variant_shards, words_of
from generation.work import read_shard
from merge_snli.base.progress import Progress
from merge_snli.base.stages import RunStage, TaskShare
from merge_snli.problems.problem import Problem, of_every_premise

SAMPLED_PROBLEMS = 1_000  # about the number of problems whose forms are counted
PROBLEMS_PER_TRIAL = 5  # the steps are done for one of this many, so that a dry run takes less time than the run,
MIN_TRIAL, MAX_TRIAL = 12, 120  # but for so many problems at least and at most
MAX_FORMS = 500  # a problem with more is not tried, unless all have more
MAX_COPIES = 8  # the most copies of a trial's variants that are written


def dry_run(options: Options, *, allow_pickle: bool = False, workers: int | None = None) -> Estimate:
    """Estimate the work of a run from a sample of its problems, in a temporary folder.

    Args:
        options: The options of the run. Answers that are already in a work folder are not subtracted. Known masked LMs
            that are not on this machine are not downloaded: the others, or else the bundled ones, are tried.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
        workers: The number of processes of the run, as for `generation.generate`. The dry run itself is one process.
    """
    check_workers(workers, None)
    here = tuple(name for name in options.mlm if not is_not_here(name)) or PRESETS["demo"]["mlm"]
    mlms_per_tried = len(options.mlm) / len(here)
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        out = Path(folder) / "data"
        inputs = read_inputs(replace(options, mlm=here), Progress(quiet=True), allow_pickle=allow_pickle)
        run = plan_run(inputs, out, allow_pickle=allow_pickle, problems_per_shard=PROBLEMS_PER_SHARD, workers=workers)
        nth = max(1, run.size // SAMPLED_PROBLEMS)
        sample = run.on(of_every_premise(run.problems(), nth))
        reading = time.monotonic() - start
        _ = inputs.tagger.nlp
        loading = time.monotonic() - start - reading
        tag, *_ = stages(sample)
        sizes = [sample.problems_per_shard, sample.size - sample.problems_per_shard]
        reading += extrapolate(_seconds(tag, range(sample.shards)), sizes, run.size, run.workers)
        require_words(words_of(sample), options)
        words = [*chain.from_iterable(_words(sample))]
        forms = distinct_forms(words, options.mask)
        scale = run.size / sample.size
        trial = run.on(tried_problems(words))
        tag, *answer, filters, write = stages(trial)
        _seconds(tag, range(trial.shards))
        masked_lms = {}
        for name, model, stage in zip(here, inputs.masked_lms, answer, strict=True):
            start = time.monotonic()
            trial.loaded[model.name] = run.load(model)
            loading += (time.monotonic() - start) * mlms_per_tried
            masked_lms[name] = _try_masked_lm(stage, trial, forms, scale)
            trial.loaded.clear()
        size = _occurrences(words) * scale
        filtering = _try_filters(filters, trial, size, run.samples) * mlms_per_tried
        writing = _try_writing(trial, size)
    missing = [name for name in options.mlm if name not in masked_lms]
    if missing:
        masked_lms |= steps_by_shape(missing, round(len(forms) * scale), masked_lms.values(), run.device)
    steps = [Step(name=tag.name, seconds=reading)]
    steps += [masked_lms[name] for name in options.mlm]
    steps.append(Step(name=filters.name, seconds=filtering))
    steps.append(Step(name=write.name, seconds=writing))
    return Estimate(
        problems=run.size,
        sampled=sample.size,
        forms=round(len(forms) * scale),
        device=run.device,
        workers=run.workers,
        loading=loading,
        steps={step.name: step for step in steps},
    )


def tried_problems(words: ProblemWords) -> list[Problem]:
    """Return a few problems, evenly spaced among those of a sample; every other one is in the first half."""
    usual = [each for each in words if _occurrences([each]) <= MAX_FORMS] or words[:2]
    number = min(MAX_TRIAL, max(MIN_TRIAL, len(words) // PROBLEMS_PER_TRIAL))
    nth = -(-len(usual) // number)
    spaced = [tagged.problem for tagged, _ in usual[::nth]][:number]
    return spaced[::2] + spaced[1::2]


def _words(run: GenerationRun) -> list[ProblemWords]:
    """Return for each tagged shard its problems with their words to replace."""
    return [read_tagged(path, run.options.classes) for path in run.tagged(range(run.shards))]


def _occurrences(words: ProblemWords) -> int:
    """Return the number of occurrences of the words to replace, each of which a form masks."""
    replaced = chain.from_iterable(of_problem for _, of_problem in words)
    return sum(len(word.premise) + len(word.hypothesis) for word in replaced)


def _seconds(stage: RunStage, items: Iterable[int]) -> list[float]:
    """Do some items of a stage in this process, and return the seconds of each."""
    seconds = []
    for item in items:
        with Progress(quiet=True).stage(stage.name, unit=stage.unit) as shown:
            stage.work(TaskShare(item, stage.shards), shown)
        seconds.append(shown.seconds)
    return seconds


def extrapolate(seconds: Sequence[float], sizes: Sequence[float], size: float, workers: int = 1) -> float:
    """Return the seconds of a stage for a whole run, whose processes share all but what each does once.

    Args:
        seconds: Those of one or two shards, of which the first has what a process does once.
        sizes: The sizes of these shards.
        size: The size of the run.
        workers: The number of processes of the run.
    """
    per_unit = 0.0
    for of_shard, size_of_shard in zip(seconds, sizes, strict=False):
        if size_of_shard:
            per_unit = of_shard / size_of_shard
    once = max(0.0, seconds[0] - per_unit * sizes[0])
    return once + per_unit * size / workers


def _try_masked_lm(stage: RunStage, trial: GenerationRun, forms: Mapping[str, Form], scale: float) -> Step:
    """Answer the forms of a trial with a masked LM; its time grows with the tokens of the batches."""
    seconds = _seconds(stage, range(trial.shards))
    mlm = trial.loaded[stage.name]
    encoded = mlm.encode(forms, split_words=trial.options.split_words)
    lengths = dict(zip(encoded.keys, encoded.inputs.lengths.tolist(), strict=False))
    answered: set[str] = set()
    tokens = []
    for words in _words(trial):
        new = distinct_forms(words, trial.options.mask).keys() - answered
        tokens.append(_padded_tokens(mlm, [lengths[key] for key in new & lengths.keys()]))
        answered |= new
    files = trial.answer_keys[stage.name].folder(trial.work).glob("*.parquet")
    size = sum(file.stat().st_size for file in files) / len(answered)
    refused = len(forms) - len(lengths)
    return Step(
        name=stage.name,
        seconds=extrapolate(seconds, tokens, _padded_tokens(mlm, lengths.values(), scale)),
        forms=round(len(lengths) * scale),
        refused=round(refused * scale),
        tokens=fmean(lengths.values() or [0]),
        bytes=round(size * len(forms) * scale),
    )


def _padded_tokens(mlm: MaskedLM, lengths: Iterable[int], scale: float = 1.0) -> int:
    """Return the number of tokens in batches of `scale` times as many forms of each length, padding included."""
    tokens = 0
    for length, number in Counter(lengths).items():
        tokens += length * mlm.runner.shapes.computed(round(number * scale), length)
    return tokens


def _try_filters(stage: RunStage, trial: GenerationRun, size: float, samples: int) -> float:
    """Make the variants of a trial; return the seconds for a run with so many occurrences of words, and samples."""
    # A trial takes nearly as long as a sample to count each filter on its own, on a few forms per word class.
    *making, counting = _seconds(stage, [*range(1, stage.shards), 0])
    sizes = [_occurrences(words) for words in _words(trial)]
    return extrapolate(making, sizes, size, trial.workers) + counting * samples / trial.workers


def _try_writing(trial: GenerationRun, size: float) -> float:
    """Write the variants of a trial; return the seconds for a run with so many occurrences of words."""
    results = variant_shards(trial)
    if not any(read_shard(shard.variants, ["seed_id"]).num_rows for shard in results):
        return 0.0
    growth = size / sum(map(_occurrences, _words(trial)))
    copies = min(MAX_COPIES, max(1, round(growth)))
    counts = standalone_counts(trial)
    start = time.monotonic()
    write_output(trial, words_of(trial), results * copies, counts)
    return (time.monotonic() - start) * growth / copies
