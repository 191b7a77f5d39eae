"""The pipeline: generate a data set from problems. Its steps, in order, are the stages of `generation.tasks`."""

import logging
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generation.masked_lms.loading import check_masked_lm
from generation.options import Options, preset_options
from generation.output.dataset import find_finished
from generation.run import GenerationRun, check_workers, plan_run
from generation.run_inputs import read_inputs
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD
from generation.tasks import stages
from generation.work import read_description, work_folder
from merge_snli.base.errors import InputError, Message, nearest
from merge_snli.base.option import option_types
from merge_snli.base.progress import Progress
from merge_snli.base.stages import Executor, Notes, RunStage, run_here
from merge_snli.base.workers import started
from merge_snli.dataset.answered_forms import form_shares, has_few_fillers, shares_text
from merge_snli.dataset.out_folder import check_dataset_out
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.embedded import PREFIX
from merge_snli.models.finding import find_device

logger = logging.getLogger(__name__)


def generate(
    problems: object,
    options: Options | None = None,
    *,
    out: str | Path,
    preset: str | None = None,
    work: str | Path | None = None,
    overwrite: bool = False,
    allow_pickle: bool = False,
    quiet: bool = False,
    workers: int | None = None,
    **more: Any,  # noqa: ANN401 - values of any option
) -> MergeDataset:
    """Generate the variants of NLI problems and write them as a data set.

    An interrupted call resumes if it is repeated: the answers of the masked LMs are cached in the work folder.

    Args:
        problems: A file, several files, a pattern or folder, a Hub id, `demo:problems`, or a table; see
            `merge_snli.problems.inputs.Problems.of`.
        options: The options of the run; None if they are given by `preset` and `more`.
        out: The data set's folder.
        preset: One of `generation.options.PRESETS`.
        work: The work folder, which several data sets may share; None for `OUT.work/`.
        overwrite: Replace an existing data set with other options.
        allow_pickle: Load masked LMs with pickle weights, which can execute arbitrary code.
        quiet: Show no progress.
        workers: Number of processes that do the work beside the masked LMs; 1 for this process alone, None for as many
            as there are cores and enough problems for. The data set is the same.
        **more: Fields of `Options`, which override the preset.

    Returns:
        The data set. If `out` already holds it, it is returned as it is.

    Raises:
        InputError: If an option is unknown, `options` are given together with `preset` or `more`, or as `run_pipeline`.
    """
    if options is None:
        chosen = ({} if preset is None else preset_options(preset)) | more
        unknown = next((name for name in chosen if name not in option_types(Options)), None)
        if unknown is not None:
            raise InputError(f"unknown option {unknown}{nearest(unknown, option_types(Options))}")
        if "mlm" not in chosen:
            which = "" if preset is None else f" (the preset {preset!r} names none)"
            raise InputError(f"give masked LMs as ⟦mlm⟧, or a preset that names them, such as 'paper'{which}")
        options = Options(**chosen)
    elif preset is not None or more:
        raise InputError("give either ⟦options⟧, or ⟦preset⟧ and single options")
    named = replace(options, problems=problems)
    return run_pipeline(
        named, out, work=work, overwrite=overwrite, allow_pickle=allow_pickle, quiet=quiet, workers=workers
    )


def run_pipeline(
    options: Options,
    out: str | Path,
    *,
    work: str | Path | None = None,
    overwrite: bool = False,
    allow_pickle: bool = False,
    quiet: bool = False,
    progress: Progress | None = None,
    problems_per_shard: int = PROBLEMS_PER_SHARD,
    executor: Executor | None = None,
    workers: int | None = None,
) -> MergeDataset:
    """Generate a data set from the problems that the options name.

    Every stage works shard by shard and caches its results in the work folder, keyed by their inputs. An interrupted
    run resumes from the cache, and memory use does not grow with the number of problems.

    Args:
        options: The options of the run, with its problems.
        out: As for `generate`, like `work`, `overwrite`, `allow_pickle` and `quiet`.
        work: The work folder.
        overwrite: Whether to replace an existing data set.
        allow_pickle: Whether to load masked LMs with pickle weights.
        quiet: Whether to show no progress.
        progress: Receives the stages and their timings; None for a new one.
        problems_per_shard: Number of problems that are tagged and filtered together. If it does not divide
            `PROBLEMS_PER_SAMPLE`, the counts of each filter on its own, in the record, are of other samples; nothing
            else depends on it.
        executor: Runs the stages as tasks in other processes, as `merge_snli.runs.submit.Cluster` does; None
            for this machine. The data set is the same.
        workers: As for `generate`, without an executor.

    Returns:
        The data set. If `out` already holds it, it is returned as it is.

    Raises:
        InputError: If an input cannot be used, or a task of the executor fails. `out` is unchanged in that case.
    """
    check_workers(workers, executor)
    out = check_dataset_out(Path(out))
    progress = progress or Progress(quiet=quiet)
    if executor is None:
        find_device(options.device)
    inputs = read_inputs(options, progress, allow_pickle=allow_pickle)
    if (done := find_finished(out, inputs, overwrite=overwrite)) is not None:
        logger.info("nothing to do: %s has this data set already", out)
        return done
    run = plan_run(
        inputs,
        out,
        work=work,
        allow_pickle=allow_pickle,
        problems_per_shard=problems_per_shard,
        executor=executor,
        workers=workers,
    )
    if executor is None:
        _run_here(run, progress)
    else:
        executor.run(*submitted(run, executor), progress)
    logger.info("done:\n%s", progress)
    dataset = find_dataset(str(out))
    _say_unfilled(dataset)
    return dataset


def _say_unfilled(dataset: MergeDataset) -> None:
    """Say for each masked LM how many forms it saw only in part or could not fill, and warn if these are many."""
    for name, shares in form_shares(generation_of(dataset.record)).items():
        if has_few_fillers(shares) and not name.startswith(PREFIX):  # those of the demo have small vocabularies
            advice = "for more variants, use masked LMs with more words or positions, or ⟦split_words=True⟧"
            logger.warning(Message(f"masked LM %s: %s; {advice}"), name, shares_text(shares))
        else:
            logger.info("masked LM %s: %s", name, shares_text(shares))


def _run_here(run: GenerationRun, progress: Progress) -> None:
    """Run the stages on this machine, after a check of the masked LMs that have not answered yet."""
    if run.workers == 1:
        _ = run.inputs.tagger.nlp  # some libraries ignore Ctrl-C while they are imported
    with work_folder(run.out, run.work):
        for mlm in run.inputs.masked_lms:
            if "pieces" not in read_description(run.answer_keys[mlm.name].folder(run.work)):
                check_masked_lm(mlm)
        if run.workers == 1:
            run_here(stages(run), progress)
            return
        with TemporaryDirectory() as notes, started(run.workers) as processes:
            run_here(stages(replace(run, work=run.work.absolute(), notes=Notes(Path(notes)))), progress, processes)


def submitted(run: GenerationRun, executor: Executor) -> tuple[tuple[RunStage, ...], Path]:
    """Return the stages of a run for tasks in other processes, and the folder of what they leave for each other."""
    folder = executor.folder(run.out, run.key)
    return stages(replace(run, notes=Notes(folder), shared=True)), folder
