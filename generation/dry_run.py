"""Dry run: estimate the forms, time and disk space that a run needs."""

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from generation.dry_run_trial import answer_trial, count_forms, extrapolate, sample_of, time_steps
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.masked_lm import MaskedLM
from generation.options import Options
from generation.run import plan_run, read_inputs
from generation.sentences.forms import Form
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, forms_of_shard, read_tagged
from generation.tasks import stages
from merge_snli.base.progress import Progress, format_duration
from merge_snli.base.stages import run_here
from merge_snli.base.table import Column, Table
from merge_snli.problems.problem import Problem

# About the number of problems from which the counts are extrapolated.
SAMPLED_PROBLEMS = 1_000

# Number of these problems, evenly spaced, on which the steps after the masked LMs are timed.
TRIAL_PROBLEMS = 20

# Number of form lengths, from the shortest to the longest, of which a full batch is timed.
LENGTHS_TIMED = 5

# Number of times that each batch is run. The fastest counts, since the first includes one-time setup.
TIMINGS_PER_LENGTH = 3

BYTES_PER_MB = 1_000_000


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
    """

    name: str
    forms: int
    refused: Mapping[str, int]
    forms_per_second: float
    seconds: float
    bytes: int


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """The estimated work of a run.

    Attributes:
        problems: Number of problems with a gold label; with `seeds_from`, the number of seeds.
        sampled: Number of problems in the sample.
        words: Number of shared words to replace.
        forms: Number of distinct forms of these words.
        device: Device of the masked LMs.
        loading: Seconds to load the libraries, the tagger and the masked LMs.
        reading: Seconds to read and tag the problems.
        masked_lms: The work of each masked LM.
        filters: Seconds to filter the fillers and combine them to variants.
        writing: Seconds to write the data set.
    """

    problems: int
    sampled: int
    words: int
    forms: int
    device: str
    loading: float
    reading: float
    masked_lms: tuple[MaskedLMEstimate, ...]
    filters: float
    writing: float

    @property
    def seconds(self) -> float:
        """Seconds for the whole run."""
        return self.loading + self.reading + sum(mlm.seconds for mlm in self.masked_lms) + self.filters + self.writing


def dry_run(options: Options, *, allow_pickle: bool = False) -> DryRun:
    """Estimate the work of a run from a sample of its problems, without writing files.

    The stages of the run are done for a sample of its problems in a temporary folder, those after tagging for a few of
    them; a few full batches of each masked LM are timed in addition.

    Args:
        options: The options of the run. Answers that are already in a work folder are not subtracted.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
    """
    seconds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "data"
        with _timed(seconds, "reading"):
            inputs = read_inputs(options, Progress(quiet=True), allow_pickle=allow_pickle)
        with _timed(seconds, "loading"):
            run = plan_run(inputs, out, allow_pickle=allow_pickle, problems_per_shard=PROBLEMS_PER_SHARD)
            _ = inputs.tagger.nlp
        with _timed(seconds, "reading"):
            sample = sample_of(run, of_every_premise(run.problems(), max(1, run.size // SAMPLED_PROBLEMS)))
        with _timed(seconds, "tagging"):
            run_here(stages(sample)[:1], Progress(quiet=True))
        shard = sample.tagged([0])[0]
        scale = run.size / sample.size
        words, forms = read_tagged(shard, options.classes), forms_of_shard(shard, options.classes, options.mask)
        trial_words = words[:: max(1, len(words) // TRIAL_PROBLEMS)][:TRIAL_PROBLEMS]
        trial = sample_of(run, (tagged.problem for tagged, _ in trial_words))
        mlms = []
        for model in inputs.masked_lms:
            with _timed(seconds, "loading"):
                mlm = run.load(model)
            stored = answer_trial(trial, mlm)
            mlms.append(_estimate(mlm, forms, stored, options, scale))
        groups = Counter({group: round(count * scale) for group, count in count_forms(words, options.mask).items()})
        filters = writing = 0.0
        if words:
            filters, writing = extrapolate(
                time_steps(trial), count_forms(trial_words, options.mask), groups, run.shards
            )
    return DryRun(
        problems=run.size,
        sampled=sample.size,
        words=round(sum(len(of_problem) for _, of_problem in words) * scale),
        forms=round(len(forms) * scale),
        device=run.device,
        loading=seconds["loading"],
        reading=seconds["reading"] + seconds["tagging"] * scale,
        masked_lms=tuple(mlms),
        filters=filters,
        writing=writing,
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
    for form in sample.values():
        encoded = mlm.encode(form, split_words=options.split_words)
        if isinstance(encoded, EncodedForm):
            by_length[len(encoded.ids)].append(encoded)
        else:
            refused[encoded] += 1
    encoded_forms = sum(map(len, by_length.values()))
    seconds_per_form = _time_batches(mlm, by_length, options) if encoded_forms else {}
    lengths = sorted(seconds_per_form)
    times = [seconds_per_form[length] for length in lengths]
    seconds = sum(len(forms) * float(np.interp(length, lengths, times)) for length, forms in by_length.items())
    scaled = {reason: round(count * scale) for reason, count in refused.items()}
    return MaskedLMEstimate(
        name=mlm.name,
        forms=round(len(sample) * scale) - sum(scaled.values()) if encoded_forms else 0,
        refused=scaled,
        forms_per_second=encoded_forms / seconds if seconds else 0.0,
        seconds=seconds * scale,
        bytes=round(bytes_per_answer * len(sample) * scale),
    )


def _time_batches(mlm: MaskedLM, by_length: Mapping[int, Sequence[EncodedForm]], options: Options) -> dict[int, float]:
    """Return the seconds per form by the number of its tokens."""
    lengths = sorted(by_length)
    timed = sorted({lengths[round(index)] for index in np.linspace(0, len(lengths) - 1, LENGTHS_TIMED)})
    seconds: dict[int, float] = {}
    for length in timed:
        size = mlm.batches.size(length)
        batch = list(islice(cycle(by_length[length]), size))
        times = []
        for _ in range(TIMINGS_PER_LENGTH):
            begin = time.perf_counter()
            mlm.fill(batch, options.top_k)
            times.append(time.perf_counter() - begin)
        seconds[length] = min(times) / size
    return seconds


def dry_run_text(run: DryRun) -> str:
    """Return the estimated number of forms, time and disk space, with a row per step and masked LM."""
    sampled = "" if run.sampled == run.problems else f" ({run.sampled:,} sampled)"
    size = sum(mlm.bytes for mlm in run.masked_lms)
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
            f"Total: about {format_duration(run.seconds)} on this machine ({run.device}) and "
            f"{size / BYTES_PER_MB:,.1f} MB of answers, if no answers are cached.",
            "Nothing was written.",
        ),
    )
    return table.text()


def _step(name: str, seconds: float) -> tuple[str | None, ...]:
    return (name, None, None, None, format_duration(seconds), None)
