"""A dry run: how many forms each masked LM would be asked, about how long that takes here, and how much disk."""

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
from generation.sentences.tagging import load_tagger, tag
from generation.sentences.words import shared_words
from merge_snli.problems.reading import stream_problems, survey_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generation.answers.answer import Answer
    from generation.masked_lms.masked_lm import MaskedLM
    from generation.options import Options
    from generation.sentences.tagging import TaggedProblem
    from merge_snli.inference.models import ResolvedModel

PROBLEMS_SAMPLED = 1_000
"""So many problems, evenly over the source, are tagged; what is counted of them is scaled up."""

LENGTHS_PROBED = 5
"""A full batch of forms, some of them twice where they are few, is asked of so many lengths from the shortest on."""

TIMES_PROBED = 3
"""The first batch of a length pays for what the libraries prepare for its shape; the fastest counts."""


@dataclass(frozen=True, kw_only=True)
class MaskedLMEstimate:
    """What one masked LM would have to do.

    Attributes:
        name: The masked LM.
        forms: About how many forms it would be asked.
        refused: About how many it could not be asked, by reason.
        forms_per_second: How many it answers a second on this machine, as measured on a few batches.
        seconds: About how long all of them take.
        bytes: About how large its stored answers are.
    """

    name: str
    forms: int
    refused: Mapping[str, int]
    forms_per_second: float
    seconds: float
    bytes: int


@dataclass(frozen=True, kw_only=True)
class DryRun:
    """What a run would have to do.

    Attributes:
        problems: Problems with a gold label; where the seeds are another data set's, these.
        sampled: How many of them were looked at.
        words: About how many shared words would be replaced.
        forms: About how many different forms these have.
        device: Where masked LMs run.
        masked_lms: What each would have to do.
    """

    problems: int
    sampled: int
    words: int
    forms: int
    device: str
    masked_lms: tuple[MaskedLMEstimate, ...]


def dry_run(options: Options, *, allow_pickle: bool = False) -> DryRun:
    """Estimate the work of a run from a sample of its problems and a short probe of each masked LM; write nothing.

    Args:
        options: The choices of the run. Answers that a work folder has already are not taken off.
        allow_pickle: As of `generate`.

    Raises:
        InputError: Where something that the user gave cannot be used.
    """
    sources = find_masked_lms(options.mlm, allow_pickle=allow_pickle)
    survey = survey_problems(options)
    every, number = stream_problems(options, survey), survey.with_label
    if options.seeds_from is not None:
        seeds = read_seeds(options.seeds_from, options.classes)
        every, number = seeds.only(every), len(seeds)
    step = max(1, number // PROBLEMS_SAMPLED)
    problems = list(islice(every, None, None, step))
    scale = number / len(problems)
    words, sample = _forms(tag(problems, load_tagger(options.tagger)), options)
    mlms = []
    device = ""
    for source in sources:
        mlm = load_masked_lm(source, device=options.device, dtype=options.dtype)
        device = mlm.device
        mlms.append(_estimate(mlm, source, sample, options, scale))
    return DryRun(
        problems=number,
        sampled=len(problems),
        words=round(words * scale),
        forms=round(len(sample) * scale),
        device=device,
        masked_lms=tuple(mlms),
    )


def _forms(tagged: Iterable[TaggedProblem], options: Options) -> tuple[int, dict[str, Form]]:
    """Return how many words are replaced, and their forms by key."""
    found: dict[str, Form] = {}
    words = 0
    for each in tagged:
        for word in replaced_words(shared_words(each, ignore_case=options.ignore_case), options.classes):
            words += 1
            found |= {form.key: form for _, _, form in forms_of_word(each, word, options.mask)}
    return words, found


def _estimate(
    mlm: MaskedLM, source: ResolvedModel, sample: Mapping[str, Form], options: Options, scale: float
) -> MaskedLMEstimate:
    """Time a few batches of a masked LM and scale up."""
    refused: Counter[str] = Counter()
    by_length: dict[int, dict[str, EncodedForm]] = defaultdict(dict)
    for key, form in sample.items():
        encoded = mlm.encode(form, split_words=options.split_words)
        if isinstance(encoded, EncodedForm):
            by_length[len(encoded.ids)][key] = encoded
        else:
            refused[encoded] += 1
    asked = sum(map(len, by_length.values()))
    seconds_a_form, bytes_a_form = _probe(mlm, source, by_length, options) if asked else ({}, 0.0)
    lengths = sorted(seconds_a_form)
    times = [seconds_a_form[length] for length in lengths]
    seconds = sum(len(of) * float(np.interp(length, lengths, times)) for length, of in by_length.items())
    return MaskedLMEstimate(
        name=mlm.name,
        forms=round(asked * scale),
        refused={reason: round(count * scale) for reason, count in refused.items()},
        forms_per_second=asked / seconds if seconds else 0.0,
        seconds=seconds * scale,
        bytes=round(bytes_a_form * len(sample) * scale),
    )


def _probe(
    mlm: MaskedLM, source: ResolvedModel, by_length: Mapping[int, Mapping[str, EncodedForm]], options: Options
) -> tuple[dict[int, float], float]:
    """Return the seconds that a form takes by its number of tokens, and the bytes that its stored answer takes."""
    lengths = sorted(by_length)
    probed = sorted({lengths[round(place)] for place in np.linspace(0, len(lengths) - 1, LENGTHS_PROBED)})
    seconds: dict[int, float] = {}
    answers: dict[str, Answer] = {}
    for length in probed:
        size = mlm.batches.size(length)
        keys, batch = zip(*islice(cycle(by_length[length].items()), size), strict=True)
        times = []
        for _ in range(TIMES_PROBED):
            begin = time.perf_counter()
            answers |= dict(zip(keys, mlm.fill(batch, options.top_k), strict=True))
            times.append(time.perf_counter() - begin)
        seconds[length] = min(times) / size
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder), cache_key_of(source, options, mlm.device)) as store,
    ):
        store.save(answers)
        stored = sum(path.stat().st_size for path in store.folder.glob("*.parquet"))
    return seconds, stored / len(answers)
