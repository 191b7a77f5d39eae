"""Dry run: estimate the forms, time and disk space that a run needs."""

from __future__ import annotations

import tempfile
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from generation.answers.answer import Answer
from generation.answers.cache_key import cache_key_of
from generation.answers.store import Store
from generation.dry_run_trial import count_forms, time_steps
from generation.filters.relations import load_wordnet
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.replacements.finding import MaskedLMAnswers
from generation.seeds_from import read_seeds
from generation.sentences.forms import Form, forms_of_word
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, replaced_words
from generation.sentences.tagging import tag
from generation.sentences.tags_in_place import InPlaceTagger
from generation.sentences.words import shared_words
from generation.variants.variant_shards import Method
from merge_snli.inference.tagger import find_tagger
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from generation.masked_lms.masked_lm import MaskedLM
    from generation.options import Options
    from generation.sentences.tagged_shards import ProblemWords
    from generation.sentences.tagging import TaggedProblem
    from merge_snli.inference.models import ResolvedModel

T = TypeVar("T")

SAMPLED_PROBLEMS = 1_000
"""Number of problems, evenly spaced over the source, from which the counts are extrapolated."""

TRIAL_PROBLEMS = 20
"""Number of these problems, evenly spaced, on which the steps after the masked LMs are timed."""

LENGTHS_TIMED = 5
"""Number of form lengths, from the shortest to the longest, of which a full batch is timed."""

TIMINGS_PER_LENGTH = 3
"""Number of times that each batch is run. The fastest counts, since the first includes one-time setup."""


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

    A few batches of each masked LM are timed, and the steps after them on a few problems.

    Args:
        options: The options of the run. Answers that are already in a work folder are not subtracted.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.

    Raises:
        InputError: If an input cannot be used.
    """
    seconds: Counter[str] = Counter()
    models = find_masked_lms(options.mlm, allow_pickle=allow_pickle)
    with _timed(seconds, "reading"):
        source = open_source(options)
        survey = survey_problems(source)
        seeds = None if options.seeds_from is None else read_seeds(options.seeds_from, options.classes)
        problems, number = stream_problems(source, survey), survey.with_label
        if seeds is not None:
            problems, number = seeds.select(problems), len(seeds)
        sampled = list(islice(problems, None, None, max(1, number // SAMPLED_PROBLEMS)))
    scale = number / len(sampled)
    with _timed(seconds, "loading"):
        tagger = find_tagger(options.tagger)
        wordnet = load_wordnet() if options.no_relations else None
        _ = tagger.nlp
    with _timed(seconds, "tagging"):
        words = _words(tag(sampled, tagger), options)
    sample, trial = _forms(words, options), _evenly_spaced(words, TRIAL_PROBLEMS)
    mlms, answers, device = [], {}, ""
    for model in models:
        with _timed(seconds, "loading"):
            mlm = load_masked_lm(model, device=options.device, dtype=options.dtype)
        device = mlm.device
        answers[model.name] = MaskedLMAnswers(_answers(mlm, trial, options), mlm.vocabulary)
        mlms.append(_estimate(mlm, model, sample, answers[model.name].answers, options, scale))
    method = Method(
        options,
        survey.label_names,
        stores={},
        vocabularies={},
        tagger=InPlaceTagger(tagger),
        wordnet=wordnet,
        seeds=seeds,
    )
    groups = Counter({group: round(count * scale) for group, count in count_forms(words, options.mask).items()})
    times = time_steps(trial, answers, method) if trial else None
    return DryRun(
        problems=number,
        sampled=len(sampled),
        words=round(sum(len(of_problem) for _, of_problem in words) * scale),
        forms=round(len(sample) * scale),
        device=device,
        loading=seconds["loading"],
        reading=seconds["reading"] + seconds["tagging"] * scale,
        masked_lms=tuple(mlms),
        filters=times.filter_seconds(groups, ceil(number / PROBLEMS_PER_SHARD)) if times else 0.0,
        writing=times.writing_seconds(groups) if times else 0.0,
    )


@contextmanager
def _timed(seconds: Counter[str], stage: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    seconds[stage] += time.monotonic() - start  # type: ignore[assignment]


def _words(tagged: Iterable[TaggedProblem], options: Options) -> ProblemWords:
    """Return the problems that have a word to replace, with these words."""
    words = (
        (each, replaced_words(shared_words(each, ignore_case=options.ignore_case), options.classes)) for each in tagged
    )
    return [(problem, of_problem) for problem, of_problem in words if of_problem]


def _evenly_spaced(items: Sequence[T], number: int) -> list[T]:
    return list(items[:: max(1, len(items) // number)][:number])


def _forms(words: ProblemWords, options: Options) -> dict[str, Form]:
    """Return the distinct forms of words, by key."""
    return {
        form.key: form
        for problem, of_problem in words
        for word in of_problem
        for _, _, form in forms_of_word(problem, word, options.mask)
    }


def _answers(mlm: MaskedLM, words: ProblemWords, options: Options) -> dict[str, Answer]:
    """Return the answers of a masked LM to the forms of a few words, by key."""
    answers: dict[str, Answer] = {}
    for batch in mlm.answers(_forms(words, options), options.top_k, split_words=options.split_words):
        answers |= batch
    return answers


def _estimate(
    mlm: MaskedLM,
    model: ResolvedModel,
    sample: Mapping[str, Form],
    answers: Mapping[str, Answer],
    options: Options,
    scale: float,
) -> MaskedLMEstimate:
    """Time a few batches of a masked LM, store a few answers, and extrapolate."""
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
    stored_bytes = _stored_bytes(mlm, model, answers, options) / len(answers) if answers else 0.0
    return MaskedLMEstimate(
        name=mlm.name,
        forms=round(encoded_forms * scale),
        refused={reason: round(count * scale) for reason, count in refused.items()},
        forms_per_second=encoded_forms / seconds if seconds else 0.0,
        seconds=seconds * scale,
        bytes=round(stored_bytes * len(sample) * scale),
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


def _stored_bytes(mlm: MaskedLM, model: ResolvedModel, answers: Mapping[str, Answer], options: Options) -> int:
    """Return the size of answers on disk."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder), cache_key_of(model, options, mlm.device)) as store,
    ):
        store.save(answers)
        return sum(path.stat().st_size for path in store.folder.glob("*.parquet"))
