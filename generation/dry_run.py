"""Dry run: estimate the forms, time and disk space that each masked LM needs."""

from __future__ import annotations

import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from generation.answers.cache_key import cache_key_of
from generation.answers.store import Store
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import find_masked_lms, load_masked_lm
from generation.seeds_from import read_seeds
from generation.sentences.forms import Form, forms_of_word
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.inference.tagger import find_tagger
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generation.answers.answer import Answer
    from generation.masked_lms.masked_lm import MaskedLM
    from generation.options import Options
    from generation.sentences.tagging import TaggedProblem
    from merge_snli.inference.models import ResolvedModel

SAMPLED_PROBLEMS = 1_000
"""Number of problems, evenly spaced over the source, from which the counts are extrapolated."""

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
        seconds: Time for all forms.
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
        masked_lms: The work of each masked LM.
    """

    problems: int
    sampled: int
    words: int
    forms: int
    device: str
    masked_lms: tuple[MaskedLMEstimate, ...]


def dry_run(options: Options, *, allow_pickle: bool = False) -> DryRun:
    """Estimate the work of a run from a sample of its problems and a few batches per masked LM, without writing files.

    Args:
        options: The options of the run. Answers that are already in a work folder are not subtracted.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.

    Raises:
        InputError: If an input cannot be used.
    """
    models = find_masked_lms(options.mlm, allow_pickle=allow_pickle)
    source = open_source(options)
    survey = survey_problems(source)
    problems, number = stream_problems(source, survey), survey.with_label
    if options.seeds_from is not None:
        seeds = read_seeds(options.seeds_from, options.classes)
        problems, number = seeds.select(problems), len(seeds)
    sampled = list(islice(problems, None, None, max(1, number // SAMPLED_PROBLEMS)))
    scale = number / len(sampled)
    words, sample = _forms(tag(sampled, find_tagger(options.tagger)), options)
    mlms = []
    device = ""
    for model in models:
        mlm = load_masked_lm(model, device=options.device, dtype=options.dtype)
        device = mlm.device
        mlms.append(_estimate(mlm, model, sample, options, scale))
    return DryRun(
        problems=number,
        sampled=len(sampled),
        words=round(words * scale),
        forms=round(len(sample) * scale),
        device=device,
        masked_lms=tuple(mlms),
    )


def _forms(tagged: Iterable[TaggedProblem], options: Options) -> tuple[int, dict[str, Form]]:
    """Return the number of words to replace, and their forms by key."""
    found: dict[str, Form] = {}
    words = 0
    for problem in tagged:
        for word in replaced_words(shared_words(problem, ignore_case=options.ignore_case), options.classes):
            words += 1
            found |= {form.key: form for _, _, form in forms_of_word(problem, word, options.mask)}
    return words, found


def _estimate(
    mlm: MaskedLM, model: ResolvedModel, sample: Mapping[str, Form], options: Options, scale: float
) -> MaskedLMEstimate:
    """Time a few batches of a masked LM and extrapolate."""
    refused: Counter[str] = Counter()
    by_length: dict[int, dict[str, EncodedForm]] = defaultdict(dict)
    for key, form in sample.items():
        encoded = mlm.encode(form, split_words=options.split_words)
        if isinstance(encoded, EncodedForm):
            by_length[len(encoded.ids)][key] = encoded
        else:
            refused[encoded] += 1
    encoded_forms = sum(map(len, by_length.values()))
    seconds_per_form, bytes_per_form = _time_batches(mlm, model, by_length, options) if encoded_forms else ({}, 0.0)
    lengths = sorted(seconds_per_form)
    times = [seconds_per_form[length] for length in lengths]
    seconds = sum(len(forms) * float(np.interp(length, lengths, times)) for length, forms in by_length.items())
    return MaskedLMEstimate(
        name=mlm.name,
        forms=round(encoded_forms * scale),
        refused={reason: round(count * scale) for reason, count in refused.items()},
        forms_per_second=encoded_forms / seconds if seconds else 0.0,
        seconds=seconds * scale,
        bytes=round(bytes_per_form * len(sample) * scale),
    )


def _time_batches(
    mlm: MaskedLM, model: ResolvedModel, by_length: Mapping[int, Mapping[str, EncodedForm]], options: Options
) -> tuple[dict[int, float], float]:
    """Return the seconds per form by the number of its tokens, and the bytes per cached answer."""
    lengths = sorted(by_length)
    timed = sorted({lengths[round(index)] for index in np.linspace(0, len(lengths) - 1, LENGTHS_TIMED)})
    seconds: dict[int, float] = {}
    answers: dict[str, Answer] = {}
    for length in timed:
        size = mlm.batches.size(length)
        keys, batch = zip(*islice(cycle(by_length[length].items()), size), strict=True)
        times = []
        for _ in range(TIMINGS_PER_LENGTH):
            begin = time.perf_counter()
            answers |= dict(zip(keys, mlm.fill(batch, options.top_k), strict=True))
            times.append(time.perf_counter() - begin)
        seconds[length] = min(times) / size
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder), cache_key_of(model, options, mlm.device)) as store,
    ):
        store.save(answers)
        stored = sum(path.stat().st_size for path in store.folder.glob("*.parquet"))
    return seconds, stored / len(answers)
