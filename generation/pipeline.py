"""The pipeline: the steps of MERGE in order, from problems to a data set on disk."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from generation.answers.store import open_stores
from generation.answers.suggest import count_missing, suggest
from generation.filters.relations import load_wordnet
from generation.masked_lms.loading import find_masked_lms
from generation.options import with_absolute_paths
from generation.output.checks import require_seeds, require_words
from generation.output.folder import find_finished, write_output
from generation.output.record import Run, RunInputs, add_word_counts, count_words
from generation.seeds_from import read_seeds, require_every_seed
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD, forms_of_shard, read_words, tag_shard
from generation.sentences.tags_in_place import InPlaceTagger
from generation.variants.variant_shards import (
    Method,
    make_variant_shard,
    most_variants,
    read_filter_counts,
    variants_of_seeds,
)
from generation.work.folder import work_folder
from generation.work.inventory import note_needs
from merge_snli.folders import check_dataset_out
from merge_snli.inference.models import find_device
from merge_snli.inference.tagger import find_tagger
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source
from merge_snli.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.answers.store import Stores
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.sentences.forms import Form
    from generation.variants.variant_shards import VariantShard
    from merge_snli.dataset import MergeDataset
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.problems.reading import Problem, Survey
    from merge_snli.problems.source import ProblemSource
    from merge_snli.record import WordCounts

logger = logging.getLogger(__name__)


def generate(
    options: Options,
    out: str | Path,
    *,
    work: str | Path | None = None,
    overwrite: bool = False,
    allow_pickle: bool = False,
    quiet: bool = False,
    progress: Progress | None = None,
    problems_per_shard: int = PROBLEMS_PER_SHARD,
) -> MergeDataset:
    """Generate the variants of NLI problems and write them as a data set.

    Every stage works shard by shard and caches its results in the work folder, keyed by their inputs. An interrupted
    run resumes from the cache, and memory use does not grow with the number of problems.

    Args:
        options: The options of the run.
        out: The data set's folder.
        work: The work folder, which several data sets may share; None for `OUT.work/`.
        overwrite: Replace an existing data set with other options.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
        quiet: Show no progress.
        progress: Receives the stages and their timings; None for a new one.
        problems_per_shard: Number of problems that are tagged and filtered together. The counts of each filter on its
            own, in the record, are of a sample per shard; nothing else depends on it.

    Returns:
        The data set. If `out` already holds it, it is returned as it is.

    Raises:
        InputError: If an input cannot be used. `out` is unchanged in that case.
    """
    out = check_dataset_out(out)
    progress = progress or Progress(quiet=quiet)
    source, inputs = read_inputs(options, progress, allow_pickle=allow_pickle)
    options = inputs.options
    if (done := find_finished(out, inputs, overwrite=overwrite)) is not None:
        logger.info("nothing to do: %s has this data set already", out)
        return done
    _ = inputs.tagger.nlp  # before any work: it may fail, and some libraries ignore Ctrl-C while they are imported
    device = find_device(options.device).partition(":")[0]
    with work_folder(out, work) as folder, ExitStack() as stack:
        stores = open_stores(folder, inputs.masked_lms, options, device, stack)
        problems = stream_problems(source, inputs.problems)
        shards, words = _tag(problems, inputs, folder, progress, problems_per_shard)
        require_words(words, options)
        vocabularies = _suggest(shards, inputs, stores, progress)
        results = _make_results(shards, inputs, stores, vocabularies, folder, progress)
        answers = [store.folder for store in stores.values()]
        dataset = finish(out, folder, shards, answers, results, run_of(inputs, device, words, results), progress)
    logger.info("done:\n%s", progress)
    return dataset


def read_inputs(options: Options, progress: Progress, *, allow_pickle: bool) -> tuple[ProblemSource, RunInputs]:
    """Check the problems, and find everything else that the data set depends on, before any work is done.

    Raises:
        InputError: If an input cannot be used.
    """
    with progress.stage("reading", unit="rows") as stage:
        source = open_source(options)
        survey = survey_problems(source, stage)
    options = replace(with_absolute_paths(options), **source.columns)
    return source, find_inputs(options, survey, find_masked_lms(options.mlm, allow_pickle=allow_pickle))


def find_inputs(options: Options, survey: Survey, masked_lms: tuple[ResolvedModel, ...]) -> RunInputs:
    """Find the inputs other than problems and masked LMs.

    Raises:
        InputError: If the tagger, the seeds or WordNet cannot be used.
    """
    return RunInputs(
        options,
        survey,
        masked_lms,
        find_tagger(options.tagger),
        None if options.seeds_from is None else read_seeds(options.seeds_from, options.classes),
        load_wordnet() if options.no_relations else None,
    )


def _tag(
    problems: Iterator[Problem], inputs: RunInputs, folder: Path, progress: Progress, problems_per_shard: int
) -> tuple[list[Path], dict[str, WordCounts]]:
    """Tag the problems, and find and count their shared words."""
    number = inputs.problems.with_label
    if inputs.seeds is not None:
        problems, number = inputs.seeds.select(problems), len(inputs.seeds)
    shards: list[Path] = []
    counts: dict[str, WordCounts] = {}
    with progress.stage("shared words", total=number, unit="problems") as stage:
        while part := list(islice(problems, problems_per_shard)):
            shards.append(tag_shard(part, inputs.tagger, folder, ignore_case=inputs.options.ignore_case))
            counts = add_word_counts(counts, count_words(read_words(shards[-1]), inputs.problems.label_names))
            stage.advance(len(part))
    return shards, counts


def _suggest(shards: Sequence[Path], inputs: RunInputs, stores: Stores, progress: Progress) -> dict[str, Vocabulary]:
    """Predict the fillers of every form, one masked LM after the other, so that only one is in memory."""
    options = inputs.options
    vocabularies = {}
    missing = count_missing(_forms(shards, options), stores)
    for mlm in inputs.masked_lms:
        with progress.stage(mlm.name, total=missing[mlm.name], unit="forms") as stage:
            vocabularies[mlm.name] = suggest(_forms(shards, options), mlm, stores[mlm.name], options, stage)
    return vocabularies


def _forms(shards: Sequence[Path], options: Options) -> Iterator[dict[str, Form]]:
    return (forms_of_shard(shard, options) for shard in shards)


def _make_results(
    shards: Sequence[Path],
    inputs: RunInputs,
    stores: Stores,
    vocabularies: dict[str, Vocabulary],
    folder: Path,
    progress: Progress,
) -> list[VariantShard]:
    """Filter and combine the fillers, and draw the variants."""
    tagger = InPlaceTagger(inputs.tagger)
    label_names = inputs.problems.label_names
    method = Method(inputs.options, label_names, stores, vocabularies, tagger, inputs.wordnet, inputs.seeds)
    results: list[VariantShard] = []
    with progress.stage("filters and sets", total=len(shards), unit="shards") as stage:
        for shard in shards:
            results.append(make_variant_shard(shard, method, folder))
            stage.advance(1)
    return results


def finish(
    out: Path,
    folder: Path,
    shards: Sequence[Path],
    answers: Sequence[Path],
    results: Sequence[VariantShard],
    run: Run,
    progress: Progress,
) -> MergeDataset:
    """Merge the results of all shards, and write the data set.

    Args:
        out: The data set's folder.
        folder: The work folder.
        shards: The shards of tagged problems.
        answers: The folders of the masked LMs' answers.
        results: What was made of each shard.
        run: The run, for the record.
        progress: Receives the stage.

    Raises:
        InputError: If a seed of `seeds_from` or all problems have too few variants, or `out` cannot be written.
    """
    _require_enough(results, run.inputs)
    note_needs(folder, run.inputs.to_record(), shards, [path for result in results for path in result], answers)
    with progress.stage("writing", total=1, unit="data set") as stage:
        dataset = write_output(out, results, run)
        stage.advance(1)
    return dataset


def _require_enough(results: Sequence[VariantShard], inputs: RunInputs) -> None:
    if inputs.seeds is not None:
        require_every_seed(inputs.seeds, variants_of_seeds(results, inputs.seeds), inputs.options.inflation)
    require_seeds(most_variants(results), inputs.options)


def run_of(inputs: RunInputs, device: str, words: dict[str, WordCounts], results: Sequence[VariantShard]) -> Run:
    """Add up the counts of all shards."""
    filters = read_filter_counts(result.filter_counts for result in results)
    standalone = read_filter_counts(result.standalone_counts for result in results)
    return Run(inputs, device, words, filters, standalone)
