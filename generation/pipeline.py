"""The pipeline: the steps of MERGE in their order, from problems to a data set on disk, shard by shard."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from generation.answers.asking import count_missing, suggest
from generation.answers.store import open_stores
from generation.masked_lms.loading import find_masked_lms
from generation.output.checks import require_seeds, require_words
from generation.output.folder import finished, usable_out, write_output
from generation.output.record import Run, RunInputs, add_word_counts, count_words
from generation.replacements.finding import FilterCounts, add_counts
from generation.replacements.relations import load_wordnet
from generation.seeds_from import read_seeds, require_every_seed
from generation.sentences.tagged_shards import forms_of_shard, read_words, tag_shard
from generation.sentences.tagging import load_tagger
from generation.sentences.tags_in_place import InPlaceTagger
from generation.variants.variant_shards import Method, make_result, read_filters, read_standalone
from generation.work.folder import work_folder
from generation.work.inventory import note_needs
from merge_snli.inference.models import find_device
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.answers.store import Stores
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.sentences.forms import Form
    from generation.variants.variant_shards import Result
    from merge_snli.dataset import MergeDataset
    from merge_snli.problems.reading import Survey
    from merge_snli.record import WordCounts

logger = logging.getLogger(__name__)

PROBLEMS_PER_SHARD = 1_000


def generate(
    options: Options,
    out: str | Path,
    *,
    work: str | Path | None = None,
    overwrite: bool = False,
    allow_pickle: bool = False,
    quiet: bool = False,
) -> MergeDataset:
    """Make the variants of NLI problems and write them as a data set.

    Every stage goes over shards of problems and keeps what it made in the work folder under a key of its content: a
    run that was killed goes on where it was, and memory does not grow with the number of problems.

    Args:
        options: Every choice of the run.
        out: The data set's folder.
        work: Where shards and the masked LMs' answers are kept, for several data sets if wished; None for `OUT.work/`.
        overwrite: Replace the data set of a run with other choices.
        allow_pickle: Take masked LMs whose weights are pickles, which can run code of whoever made them.
        quiet: Draw no progress.

    Returns:
        The data set. Where `out` holds it already, nothing is done.

    Raises:
        InputError: Where something that the user gave cannot be used; `out` is as it was then.
    """
    out = usable_out(Path(out))
    progress = Progress(quiet=quiet)
    with progress.stage("reading", unit="rows") as stage:
        survey = survey_problems(options, stage)
    sources = _sources(options, survey, allow_pickle=allow_pickle)
    if (done := finished(out, sources, overwrite=overwrite)) is not None:
        return done
    device = find_device(options.device).partition(":")[0]
    with work_folder(out, work) as folder, ExitStack() as stack:
        stores = open_stores(folder, sources.masked_lms, options, device, stack)
        shards, words = _tag(sources, folder, progress)
        require_words(words, options)
        vocabularies = _suggest(shards, sources, stores, progress)
        results = _make_results(shards, sources, stores, vocabularies, folder, progress)
        _require_enough(results, sources)
        note_needs(folder, sources, shards, results)
        with progress.stage("writing", total=1, unit="data set") as stage:
            dataset = write_output(out, results, _run(sources, device, words, results))
            stage.advance(1)
    logger.info("done:\n%s", progress)
    return dataset


def _sources(options: Options, survey: Survey, *, allow_pickle: bool) -> RunInputs:
    """Find all that the rows depend on, so that what cannot be used is said before any work is spent."""
    return RunInputs(
        options,
        survey,
        find_masked_lms(options.mlm, allow_pickle=allow_pickle),
        load_tagger(options.tagger),
        None if options.seeds_from is None else read_seeds(options.seeds_from, options.classes),
        load_wordnet() if options.no_relations else None,
    )


def _tag(sources: RunInputs, folder: Path, progress: Progress) -> tuple[list[Path], dict[str, WordCounts]]:
    """Read and tag the problems, find their shared words and count these."""
    problems, number = stream_problems(sources.options, sources.problems), sources.problems.with_label
    if sources.seeds is not None:
        problems, number = sources.seeds.only(problems), len(sources.seeds)
    shards: list[Path] = []
    counts: dict[str, WordCounts] = {}
    with progress.stage("shared words", total=number, unit="problems") as stage:
        while part := list(islice(problems, PROBLEMS_PER_SHARD)):
            shards.append(tag_shard(part, sources.tagger, folder, ignore_case=sources.options.ignore_case))
            counts = add_word_counts(counts, count_words(read_words(shards[-1]), sources.problems.label_names))
            stage.advance(len(part))
    return shards, counts


def _suggest(shards: Sequence[Path], sources: RunInputs, stores: Stores, progress: Progress) -> dict[str, Vocabulary]:
    """Ask one masked LM after the other for the fillers of every form, so that no two are in memory at once."""
    options = sources.options
    vocabularies = {}
    missing = count_missing(_forms(shards, options), stores)
    for source in sources.masked_lms:
        with progress.stage(source.name, total=missing[source.name], unit="forms") as stage:
            vocabularies[source.name] = suggest(_forms(shards, options), source, stores[source.name], options, stage)
    return vocabularies


def _forms(shards: Sequence[Path], options: Options) -> Iterator[dict[str, Form]]:
    return (forms_of_shard(shard, options) for shard in shards)


def _make_results(
    shards: Sequence[Path],
    sources: RunInputs,
    stores: Stores,
    vocabularies: dict[str, Vocabulary],
    folder: Path,
    progress: Progress,
) -> list[Result]:
    """Filter the answers, combine them, and draw the variants, shard by shard."""
    tagger = InPlaceTagger(sources.tagger)
    label_names = sources.problems.label_names
    method = Method(sources.options, label_names, stores, vocabularies, tagger, sources.wordnet, sources.seeds)
    results: list[Result] = []
    with progress.stage("filters and sets", total=len(shards), unit="shards") as stage:
        for shard in shards:
            results.append(make_result(shard, method, folder))
            stage.advance(1)
    return results


def _require_enough(results: Sequence[Result], sources: RunInputs) -> None:
    if sources.seeds is not None:
        of_seeds = {pair: count for result in results for pair, count in result.of_seeds.items()}
        require_every_seed(sources.seeds, of_seeds, sources.options.inflation)
    require_seeds(results, sources.options)


def _run(sources: RunInputs, device: str, words: dict[str, WordCounts], results: Sequence[Result]) -> Run:
    """Sum what was counted of each shard."""
    filters: FilterCounts = {}
    standalone: FilterCounts = {}
    for result in results:
        add_counts(filters, read_filters(result.seeds))
        add_counts(standalone, read_standalone(result.standalone))
    return Run(sources, device, words, filters, standalone)
