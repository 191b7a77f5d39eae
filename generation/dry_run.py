"""Dry run: estimate the forms, time and disk space that a run needs, from a trial on a few problems."""

import tempfile
import time
import timeit
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.masked_lm import MaskedLM
from generation.options import PRESETS, Options
from generation.output.dataset import write_output
from generation.replacements.finding import CLASS_FORMS, count_standalone, counts_table
from generation.run import GenerationRun, check_workers, plan_run, read_inputs
from generation.sentences.forms import Form
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, ProblemWords, forms_of_shard, read_tagged
from generation.sentences.words import forms_of_word
from generation.tasks import open_method, stages, words_of
from generation.variant_shards import ROWS, STANDALONE, VariantShard, make_rows, read_answered
from generation.work import read_shard, write_shard
from merge_snli.base.hub_ids import is_cached
from merge_snli.base.progress import Progress, format_duration
from merge_snli.base.stages import TAG, Notes, run_here
from merge_snli.base.table import Column, Table, count
from merge_snli.embedded import embedded_path
from merge_snli.models.shapes import BYTES_PER_PARAMETER, GB, operations_of, operations_per_second, shapes
from merge_snli.problems.problem import Problem

# Number of times that the variants are written, to tell the time per variant from the time per file.
COPIES = 8

# Number of forms by word class and side.
Groups = Counter[tuple[str, str]]

# About the number of problems from which the counts are extrapolated.
SAMPLED_PROBLEMS = 1_000

# Number of these problems, evenly spaced, on which the steps after the masked LMs are timed.
TRIAL_PROBLEMS = 60

# Number of their forms, per word class and side, on which each filter is counted on its own.
TRIAL_FORMS = 8

# A problem with more forms is in no trial, unless all have more.
MAX_FORMS = 500

# In a small data set, only one of this many problems is tried, so that this takes less time than the run.
PROBLEMS_PER_TRIAL = 6

# Number of form lengths, from the shortest to the longest, of which a full batch is timed.
LENGTHS_TIMED = 5

# Number of times that each batch is run. The fastest counts, since the first includes one-time setup.
TIMINGS_PER_LENGTH = 3

BYTES_PER_MB = 1_000_000


def extrapolate(
    seconds: Mapping[str, float], trial: Groups, run: Groups, samples: int, workers: int = 1
) -> tuple[float, float]:
    """Return the seconds of the filters, and of writing the data set, in a run.

    Args:
        seconds: Those of the steps of a trial: `setup` (what a process does once), `filters`, `standalone` (each filter
            on its own, on at most `TRIAL_FORMS` forms per word class and side, and on `all forms` those that need no
            tagger), `writing`, and `copies` (writing `COPIES` times the variants).
        trial: The forms of the trial.
        run: The forms of the run.
        samples: The number of samples of its problems.
        workers: The number of processes.
    """
    growth = run.total() / trial.total()
    per_sample = Counter({group: -(-count // samples) for group, count in run.items()})
    tagging = max(0.0, seconds["standalone"] - seconds["all forms"])
    standalone = tagging * samples * _counted_alone(per_sample, CLASS_FORMS) / _counted_alone(trial, TRIAL_FORMS)
    per_copy = max(0.0, seconds["copies"] - seconds["writing"]) / (COPIES - 1)
    growing = (seconds["filters"] + seconds["all forms"]) * growth + standalone
    return seconds["setup"] + growing / workers, seconds["writing"] + per_copy * max(0.0, growth - 1)


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


def time_steps(trial: GenerationRun) -> tuple[dict[str, float], Groups]:
    """Time the steps after the masked LMs on a few problems, for `extrapolate`.

    The steps are done twice. The first time includes what a process does once, such as to verify the fast tagging.

    Args:
        trial: A run on problems with words to replace, whose forms have all been answered.

    Returns:
        The seconds of the steps, and the forms of the trial.
    """
    seconds: Counter[str] = Counter()
    mask = trial.options.mask
    with ExitStack() as stack:
        with _timed(seconds, "setup"):
            method = open_method(trial, stack)
            problems, answers = read_answered(trial.tagged([0]), method)
            alone = partial(count_standalone, problems, answers, method.tagger, mask=mask)
            alone(class_forms=TRIAL_FORMS)
            make_rows(problems, answers, method)
        with _timed(seconds, "all forms"):
            alone(class_forms=0)
        with _timed(seconds, "standalone"):
            counts = counts_table(alone(class_forms=TRIAL_FORMS))
        with _timed(seconds, "filters"):
            rows = make_rows(problems, answers, method)
    once = max(0.0, seconds["setup"] - seconds["standalone"] - seconds["filters"])
    made = [write_shard(trial.work / name, "trial", table) for name, table in zip(ROWS, rows, strict=True)]
    counted = write_shard(trial.work / STANDALONE, "trial", counts)
    for name, copies in (("writing", 1), ("copies", COPIES)):
        with _timed(seconds, name):
            _write(trial, [VariantShard(*made)] * copies, counted)
    return seconds | {"setup": once}, count_forms(problems, mask)


def _write(trial: GenerationRun, results: Sequence[VariantShard], counts: Path) -> None:
    """Write a data set if there are variants, without the check that there are enough of them."""
    if read_shard(results[0].variants, ["seed_id"]).num_rows:
        device = trial.device.partition(":")[0]
        write_output(trial.out, trial.inputs, device, words_of(trial), results, [counts], threads=trial.workers)


def count_forms(problems: ProblemWords, mask: str) -> Groups:
    """Count the forms of problems by word class and side."""
    return Counter(
        (word.word_class, side)
        for tagged, words in problems
        for word in words
        for side, _ in forms_of_word(tagged, word, mask)
    )


def _counted_alone(groups: Groups, class_forms: int) -> int:
    """Return the number of forms on which each filter is counted on its own, at most so many of each group."""
    return sum(min(count, class_forms) for count in groups.values())


@dataclass(frozen=True, kw_only=True)
class MaskedLMEstimate:
    """The estimated work of one masked LM.

    Attributes:
        name: The masked LM.
        forms: Number of forms that it predicts fillers for.
        refused: Number of forms that it cannot encode, by reason.
        forms_per_second: Throughput on this machine, measured on a few batches.
        seconds: Time for all forms, without loading.
        bytes: Size of its cached answers.
        tokens: Mean number of tokens of a form that is not refused.
    """

    name: str
    forms: int
    refused: Mapping[str, int]
    forms_per_second: float
    seconds: float
    bytes: int
    tokens: float


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """The estimated work of a run.

    Attributes:
        problems: Number of problems with a gold label; with `seeds_from`, the number of seeds.
        sampled: Number of problems in the sample.
        words: Number of shared words to replace.
        forms: Number of distinct forms of these words.
        device: Device of the masked LMs.
        workers: Number of processes for the other steps.
        loading: Seconds to load the libraries, the tagger and the masked LMs.
        reading: Seconds to read and tag the problems.
        masked_lms: The work of each masked LM.
        filters: Seconds to filter the fillers and combine them to variants.
        writing: Seconds to write the data set.
        not_downloaded: The masked LMs whose times follow from their shapes.
    """

    problems: int
    sampled: int
    words: int
    forms: int
    device: str
    workers: int
    loading: float
    reading: float
    masked_lms: tuple[MaskedLMEstimate, ...]
    filters: float
    writing: float
    not_downloaded: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """Seconds for the whole run."""
        return self.loading + self.reading + sum(mlm.seconds for mlm in self.masked_lms) + self.filters + self.writing


def dry_run(options: Options, *, allow_pickle: bool = False, workers: int | None = None) -> DryRun:
    """Estimate the work of a run from a sample of its problems, without writing files.

    The stages of the run are done for a sample of its problems in a temporary folder, those after tagging for a few of
    them; a few full batches of each masked LM are timed in addition.

    Args:
        options: The options of the run. Answers that are already in a work folder are not subtracted. Known masked LMs
            that are not in the Hub's cache are not downloaded: their times follow from their shapes.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
        workers: The number of processes of the run, as for `generation.generate`. The dry run itself is one process.
    """
    check_workers(workers, None)
    by_shape = tuple(name for name in options.mlm if _is_not_downloaded(name))
    if by_shape:
        return _with_shapes(options, by_shape, allow_pickle=allow_pickle, workers=workers)
    seconds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "data"
        with _timed(seconds, "reading"):
            inputs = read_inputs(options, Progress(quiet=True), allow_pickle=allow_pickle)
        with _timed(seconds, "loading"):
            run = plan_run(
                inputs, out, allow_pickle=allow_pickle, problems_per_shard=PROBLEMS_PER_SHARD, workers=workers
            )
            _ = inputs.tagger.nlp
        with _timed(seconds, "reading"):
            sample = sample_of(run, of_every_premise(run.problems(), max(1, run.size // SAMPLED_PROBLEMS)))
        with _timed(seconds, "tagging"):
            run_here(stages(sample)[:1], Progress(quiet=True))
        shard = sample.tagged([0])[0]
        scale = run.size / sample.size
        words, forms = read_tagged(shard, options.classes), forms_of_shard(shard, options.classes, options.mask)
        counts = [count_forms([each], options.mask) for each in words]
        tried = _tried([of_problem.total() for of_problem in counts])
        trial = sample_of(run, (words[number][0].problem for number in tried))
        mlms = []
        for model in inputs.masked_lms:
            with _timed(seconds, "loading"):
                mlm = run.load(model)
            mlms.append(_estimate(mlm, forms, answer_trial(trial, mlm), options, scale))
        groups = Counter({group: round(count * scale) for group, count in sum(counts, Counter()).items()})
        filters = writing = 0.0
        if words:
            filters, writing = extrapolate(*time_steps(trial), groups, run.samples, run.workers)
    return DryRun(
        problems=run.size,
        sampled=sample.size,
        words=round(sum(len(of_problem) for _, of_problem in words) * scale),
        forms=round(len(forms) * scale),
        device=run.device,
        workers=run.workers,
        loading=seconds["loading"],
        reading=seconds["reading"] + seconds["tagging"] * scale / run.workers,
        masked_lms=tuple(mlms),
        filters=filters,
        writing=writing,
    )


def _tried(forms: Sequence[int]) -> list[int]:
    """Return which problems of a sample are in the trial, from the number of forms of each."""
    number = min(TRIAL_PROBLEMS, max(3, len(forms) // PROBLEMS_PER_TRIAL))
    usual = [index for index, count in enumerate(forms) if count <= MAX_FORMS] or [*range(len(forms))][:3]
    return usual[:: max(1, len(usual) // number)][:number]


def _is_not_downloaded(name: str) -> bool:
    """Return whether only the shape of a masked LM is here."""
    return name in shapes() and not (embedded_path(name) or Path(name).is_dir() or is_cached(name, "config.json"))


def _with_shapes(options: Options, by_shape: tuple[str, ...], *, allow_pickle: bool, workers: int | None) -> DryRun:
    """Estimate a run of which some masked LMs are not here, with those that are, or else with the bundled ones."""
    tried = tuple(name for name in options.mlm if name not in by_shape) or PRESETS["demo"]["mlm"]
    trial = dry_run(replace(options, mlm=tried), allow_pickle=allow_pickle, workers=workers)
    speed = operations_per_second(trial.device)
    longest, measured = max(trial.masked_lms, key=lambda mlm: mlm.tokens), iter(trial.masked_lms)

    def of_shape(name: str) -> MaskedLMEstimate:
        rate = speed / operations_of(name, longest.tokens, masked_lm=True)
        seconds = trial.forms / rate
        return replace(longest, name=name, forms=trial.forms, refused={}, forms_per_second=rate, seconds=seconds)

    return replace(
        trial,
        masked_lms=tuple(of_shape(name) if name in by_shape else next(measured) for name in options.mlm),
        filters=trial.filters * len(options.mlm) / len(tried),
        not_downloaded=by_shape,
    )


def of_every_premise(problems: Iterable[Problem], nth: int) -> Iterator[Problem]:
    """Yield all problems of every n-th premise.

    Most data sets have several hypotheses for a premise, and so forms in common. A sample of single problems has few of
    these, wherever the problems of a premise are, so a number of distinct forms does not scale with its size.

    Args:
        problems: The problems.
        nth: The first of this many different premises is taken.
    """
    numbers: dict[str, int] = {}
    for problem in problems:
        if numbers.setdefault(problem.premise, len(numbers)) % nth == 0:
            yield problem


@contextmanager
def _timed(seconds: Counter[str], stage: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[stage] += time.monotonic() - start  # type: ignore[assignment]


def _estimate(
    mlm: MaskedLM, sample: Mapping[str, Form], bytes_per_answer: float, options: Options, scale: float
) -> MaskedLMEstimate:
    """Time a few batches of a masked LM, and extrapolate."""
    refused: Counter[str] = Counter()
    by_length: dict[int, list[EncodedForm]] = defaultdict(list)
    for encoded in mlm.encode_all([*sample.values()], split_words=options.split_words):
        if isinstance(encoded, EncodedForm):
            by_length[len(encoded.ids)].append(encoded)
        else:
            refused[encoded] += 1
    encoded_forms = sum(map(len, by_length.values()))
    seconds = _seconds_of_forms(mlm, by_length, options, scale)
    scaled = {reason: round(count * scale) for reason, count in refused.items()}
    return MaskedLMEstimate(
        name=mlm.name,
        forms=round(len(sample) * scale) - sum(scaled.values()) if encoded_forms else 0,
        refused=scaled,
        forms_per_second=encoded_forms * scale / seconds if seconds else 0.0,
        seconds=seconds,
        bytes=round(bytes_per_answer * len(sample) * scale),
        tokens=sum(length * len(forms) for length, forms in by_length.items()) / max(1, encoded_forms),
    )


def _seconds_of_forms(
    mlm: MaskedLM, by_length: Mapping[int, Sequence[EncodedForm]], options: Options, scale: float
) -> float:
    """Return the seconds of all forms of a run, from those of a sample by the number of their tokens; 0 without any."""
    if not by_length:
        return 0.0
    of_length = np.array([len(forms) * scale for forms in by_length.values()])
    # Smaller batches for few forms, which fill no large ones: the forms that are timed are at most half of the run's.
    timed = _time_batches(
        mlm, by_length, options, most=max(1, int(of_length.sum()) // (2 * LENGTHS_TIMED * TIMINGS_PER_LENGTH))
    )
    per_batch, per_form = (np.interp([*by_length], [*timed], column) for column in zip(*timed.values(), strict=True))
    batches = np.ceil(of_length / [mlm.batches.size(length) for length in by_length])
    return float(batches @ per_batch + of_length @ per_form)


def _time_batches(
    mlm: MaskedLM, by_length: Mapping[int, Sequence[EncodedForm]], options: Options, most: int
) -> dict[int, tuple[float, float]]:
    """Return the seconds per batch and per form by the number of its tokens, from batches of one and `most` forms."""
    lengths = sorted(by_length)
    timed = sorted({lengths[round(index)] for index in np.linspace(0, len(lengths) - 1, LENGTHS_TIMED)})

    def fastest(length: int, size: int) -> float:
        run = partial(mlm.fill, [*islice(cycle(by_length[length]), size)], options.top_k)
        return min(timeit.repeat(run, timer=time.perf_counter, number=1, repeat=TIMINGS_PER_LENGTH))

    seconds: dict[int, tuple[float, float]] = {}
    for length in timed:
        size = min(most, mlm.batches.size(length))
        one, full = fastest(length, 1), fastest(length, size)
        per_form = max(0.0, full - one) / (size - 1) if size > 1 else one
        seconds[length] = max(0.0, full - per_form * size), per_form
    return seconds


def dry_run_text(run: DryRun) -> str:
    """Return the estimated number of forms, time and disk space, with a row per step and masked LM."""
    sampled = "" if run.sampled == run.problems else f" ({run.sampled:,} sampled)"
    size = sum(mlm.bytes for mlm in run.masked_lms)
    processes = "" if run.workers == 1 else f", {run.workers} processes"
    table = Table(
        title=f"{run.problems:,} problems with a gold label{sampled}: about {run.words:,} words to replace in "
        f"{run.forms:,} forms",
        columns=(
            Column("step", "left"),
            Column("forms"),
            Column("refused"),
            Column("forms/s", format=",.0f"),
            Column("time"),
            Column("MB"),
        ),
        rows=(
            _step("loading", run.loading),
            _step("reading and tagging", run.reading),
            *(
                (
                    mlm.name,
                    mlm.forms,
                    sum(mlm.refused.values()),
                    mlm.forms_per_second,
                    format_duration(mlm.seconds),
                    mlm.bytes / BYTES_PER_MB,
                )
                for mlm in run.masked_lms
            ),
            _step("filters and sets", run.filters),
            _step("writing", run.writing),
        ),
        notes=(
            f"Total: about {format_duration(run.seconds)} on this machine ({run.device}{processes}) and "
            f"{size / BYTES_PER_MB:,.1f} MB of answers, if no answers are cached.",
            *_of_shapes(run),
            "Nothing was written.",
        ),
    )
    return table.text()


def _of_shapes(run: DryRun) -> Iterator[str]:
    """Yield what is not measured of masked LMs that are not here."""
    size = sum(shapes()[name]["parameters"] * BYTES_PER_PARAMETER / GB for name in run.not_downloaded)
    if size:
        models = count(len(run.not_downloaded), "masked LM")
        yield (
            f"Not downloaded: {models} of {size:,.1f} GB. Their times follow from their shapes, and their forms are an "
            "upper bound: words that a tokenizer splits have none."
        )


def _step(name: str, seconds: float) -> tuple[str | None, ...]:
    return (name, None, None, None, format_duration(seconds), None)
