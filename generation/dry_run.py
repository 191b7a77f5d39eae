"""Dry run: estimate the forms, time and disk space of a run by doing its steps on a few of its problems."""

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.masked_lm import MaskedLM
from generation.options import PRESETS, Options
from generation.output.dataset import require_words, write_output
from generation.report.estimate import Estimate, Step, is_not_here, steps_by_shape
from generation.run import GenerationRun, check_workers, plan_run, read_inputs
from generation.sentences.forms import Form
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, ProblemWords, distinct_forms, read_tagged
from generation.tasks import stages, standalone_counts, variant_shards, words_of
from generation.work import read_shard
from merge_snli.base.progress import Progress
from merge_snli.base.stages import Notes, RunStage, TaskShare
from merge_snli.problems.problem import Problem

# About the number of problems whose forms are counted.
SAMPLED_PROBLEMS = 1_000

# The fewest and the most problems that the steps are done for, and of how many it is one in between, so that a dry run
# takes less time than the run.
MIN_TRIAL, MAX_TRIAL, PROBLEMS_PER_TRIAL = 12, 60, 6

# A problem with more forms is not tried, unless all have more.
MAX_FORMS = 500

# The most copies of the variants of a trial that are written.
MAX_COPIES = 8


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
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        inputs = read_inputs(replace(options, mlm=here), Progress(quiet=True), allow_pickle=allow_pickle)
        out, shard = Path(folder) / "data", PROBLEMS_PER_SHARD
        run = plan_run(inputs, out, allow_pickle=allow_pickle, problems_per_shard=shard, workers=workers)
        sample = in_two_shards(run, of_every_premise(run.problems(), max(1, run.size // SAMPLED_PROBLEMS)))
        reading = time.monotonic() - start
        _ = inputs.tagger.nlp
        loading = time.monotonic() - start - reading
        tagging = _seconds(stages(sample)[0], range(sample.shards))
        sizes = [sample.problems_per_shard, sample.size - sample.problems_per_shard]
        reading += extrapolate(tagging, sizes, run.size, run.workers)
        require_words(words_of(sample), options)
        words = [*chain.from_iterable(_words(sample))]
        forms = distinct_forms(words, options.mask)
        scale = run.size / sample.size
        trial = in_two_shards(run, tried_problems(words))
        tag, *answer, filters, write = stages(trial)
        _seconds(tag, range(trial.shards))
        masked_lms = {}
        for name, model, stage in zip(here, inputs.masked_lms, answer, strict=True):
            start = time.monotonic()
            trial.loaded[model.name] = run.load(model)
            loading += time.monotonic() - start
            masked_lms[name] = _try_masked_lm(stage, trial, forms, scale)
            trial.loaded.clear()
        sizes = [_occurrences(of_shard) for of_shard in _words(trial)]
        size = _occurrences(words) * scale
        *making, counting = _seconds(filters, [*range(1, filters.shards), 0])
        filtering = extrapolate(making, sizes, size, run.workers) + counting * run.samples / run.workers
        writing = _try_writing(trial, size / sum(sizes))
    missing = [name for name in options.mlm if name not in masked_lms]
    if missing:
        masked_lms |= steps_by_shape(missing, round(len(forms) * scale), masked_lms.values(), run.device)
    steps = [Step(name=tag.name, seconds=reading), *(masked_lms[name] for name in options.mlm)]
    steps.append(Step(name=filters.name, seconds=filtering * len(options.mlm) / len(here)))
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


def in_two_shards(run: GenerationRun, problems: Iterable[Problem]) -> GenerationRun:
    """Return a run on some problems, in two shards: what a process does once takes time in the first of them only."""
    sample = tuple(problems)
    per_shard = -(-len(sample) // 2)
    return replace(
        run, sample=sample, size=len(sample), problems_per_shard=per_shard, notes=Notes(), loaded={}, vocabularies={}
    )


def of_every_premise(problems: Iterable[Problem], nth: int) -> Iterator[Problem]:
    """Yield all problems of every n-th premise.

    The problems of a premise have forms in common. A sample of single problems has few of these, so its number of
    distinct forms does not scale with its size.
    """
    numbers: dict[str, int] = {}
    for problem in problems:
        if numbers.setdefault(problem.premise, len(numbers)) % nth == 0:
            yield problem


def tried_problems(words: ProblemWords) -> list[Problem]:
    """Return a few problems, evenly spaced among those of a sample; every other one is in the first half."""
    usual = [each for each in words if _occurrences([each]) <= MAX_FORMS] or words[:2]
    number = min(MAX_TRIAL, max(MIN_TRIAL, len(words) // PROBLEMS_PER_TRIAL))
    spaced = [tagged.problem for tagged, _ in usual[:: max(1, len(usual) // number)][:number]]
    return spaced[::2] + spaced[1::2]


def _words(run: GenerationRun) -> list[ProblemWords]:
    """Return for each tagged shard its problems with their words to replace."""
    return [read_tagged(path, run.options.classes) for path in run.tagged(range(run.shards))]


def _occurrences(words: ProblemWords) -> int:
    """Return the number of occurrences of the words to replace, which a form masks each."""
    return sum(len(word.premise) + len(word.hypothesis) for _, of_problem in words for word in of_problem)


def _seconds(stage: RunStage, items: Iterable[int]) -> list[float]:
    """Do some items of a stage in this process, and return the seconds of each."""
    seconds = []
    for item in items:
        with Progress(quiet=True).stage(stage.name, unit=stage.unit) as shown:
            stage.work(TaskShare(item, stage.shards), shown)
        seconds.append(shown.seconds)
    return seconds


def extrapolate(seconds: Sequence[float], sizes: Sequence[float], size: float, workers: int = 1) -> float:
    """Return the seconds of a stage in a run from those of its first shards.

    Args:
        seconds: Those of one or two shards; the first includes what a process does once.
        sizes: The sizes of these shards.
        size: That of the run.
        workers: The number of processes, which share all but what each does once.
    """
    per_unit = seconds[-1] / max(1, sizes[len(seconds) - 1])
    once = max(0.0, seconds[0] - per_unit * sizes[0])
    return once + per_unit * size / workers


def _try_masked_lm(stage: RunStage, trial: GenerationRun, forms: Mapping[str, Form], scale: float) -> Step:
    """Answer the forms of a trial with a masked LM; in a run, its time grows with the tokens of the batches."""
    seconds = _seconds(stage, range(trial.shards))
    mlm, options = trial.loaded[stage.name], trial.options
    encoded = mlm.encode_all([*forms.values()], split_words=options.split_words)
    lengths = {key: len(form.ids) for key, form in zip(forms, encoded, strict=True) if isinstance(form, EncodedForm)}
    answered: set[str] = set()
    tokens = []
    for words in _words(trial):
        new = distinct_forms(words, options.mask).keys() - answered
        tokens.append(_padded_tokens(mlm, [lengths[key] for key in new & lengths.keys()]))
        answered |= new
    files = trial.answer_keys[mlm.name].folder(trial.work).glob("*.parquet")
    bytes_per_form = sum(file.stat().st_size for file in files) / len(answered)
    return Step(
        name=stage.name,
        seconds=extrapolate(seconds, tokens, _padded_tokens(mlm, lengths.values(), scale)),
        forms=round(len(lengths) * scale),
        refused=round((len(forms) - len(lengths)) * scale),
        tokens=sum(lengths.values()) / max(1, len(lengths)),
        bytes=round(bytes_per_form * len(forms) * scale),
    )


def _padded_tokens(mlm: MaskedLM, lengths: Iterable[int], scale: float = 1.0) -> int:
    """Return the number of tokens in batches of `scale` times as many forms of each length, padding included."""
    forms = Counter(lengths).items()
    return sum(length * mlm.batches.rows(round(number * scale), length) for length, number in forms)


def _try_writing(trial: GenerationRun, growth: float) -> float:
    """Write the variants of a trial, and return the seconds for `growth` times as many; 0 if there are none."""
    results = variant_shards(trial)
    if not any(read_shard(shard.variants, ["seed_id"]).num_rows for shard in results):
        return 0.0
    copies = min(MAX_COPIES, max(1, round(growth)))
    counts, device = standalone_counts(trial), trial.device.partition(":")[0]
    start = time.monotonic()
    write_output(trial.out, trial.inputs, device, words_of(trial), results * copies, counts, threads=trial.workers)
    return (time.monotonic() - start) * growth / copies
