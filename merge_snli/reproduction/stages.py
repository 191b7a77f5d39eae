"""The stages of a reproduction in their order; each calls the functions that the commands call."""

import json
import logging
from contextlib import nullcontext
from functools import partial
from typing import Any

from generation.pipeline import run_pipeline
from generation.report.tables import is_papers_run
from merge_snli.analysis.report.analyze import analyze
from merge_snli.analysis.report.report import Report
from merge_snli.annotation.sample import draw_sample
from merge_snli.annotation.sheets import write_sheets
from merge_snli.base.errors import as_flags
from merge_snli.base.progress import Progress, Stage
from merge_snli.base.stages import EVALUATE, WRITE, RunStage, TaskShare, run_here
from merge_snli.dataset.folders import check_out
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.models.scored_model import name_models
from merge_snli.reproduction.plan import CORPUS, PLAIN, SCORES, SETS, SHEETS, Reproduction
from merge_snli.reproduction.requirements import check_requirements
from merge_snli.reproduction.scores import score_numbers
from merge_snli.reproduction.simple_pair import SimplePairRun, simple_pair_stages
from merge_snli.reproduction.tables import FIGURES, data_numbers
from merge_snli.reproduction.write import FILES, JSON_FILE, write_reproduction
from merge_snli.schema import ALL
from merge_snli.scoring.predictions.opening import open_config
from merge_snli.scoring.predictions.scored_data import part_of_data
from merge_snli.scoring.predictions.source import RECORDED, read_source
from merge_snli.scoring.results.files import read_results
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.tasks import ScoringRun, score_run

logger = logging.getLogger(__name__)

# The names of the sheets, of which the paper had two.
ANNOTATORS = ("annotator-1", "annotator-2")

# The size of the paper's sample for Figure 10.
SAMPLED_VARIANTS = 100


# What a reproduction writes in its folder.
CONTENT = frozenset(
    (*("data", "data.work", "results", "results.work", "report", "report.work", "sheets", FIGURES), *FILES)
)


def reproduce(run: Reproduction | SimplePairRun) -> dict[str, Any]:
    """Make the exhibits of a reproduction; a run that was interrupted resumes.

    Args:
        run: What to make.

    Returns:
        The content of `reproduction.json`.

    Raises:
        InputError: If something is missing, the plain data set cannot be made, or the folder cannot be written.
    """
    check_out(run.out, "a reproduction", lambda out: min({path.name for path in out.iterdir()} - CONTENT, default=None))
    check_requirements(run)
    for stage in simple_pair_stages(run) if isinstance(run, SimplePairRun) else stages(run):
        logger.info("%s", stage.name)
        run_here([stage], Progress(quiet=True))  # what it calls shows its own progress
    document: dict[str, Any] = json.loads((run.out / JSON_FILE).read_text(encoding="utf-8"))
    return document


def stages(run: Reproduction) -> tuple[RunStage, ...]:
    """Return the stages of a reproduction, in order."""
    scored = run.sets if run.needs(SCORES, SETS, CORPUS) else ()
    made = [
        RunStage(name=f"data set {name}", kind=WRITE, unit="data set", work=partial(make_data, run, name), step=0)
        for name in run.sets
    ]
    made += [
        RunStage(name=f"scores on {name}", kind=EVALUATE, unit="models", work=partial(score_data, run, name), step=1)
        for name in scored
    ]
    if run.needs(SHEETS):
        made.append(RunStage(name="sheets", kind=WRITE, unit="variants", work=partial(make_sheets, run), step=1))
    last = RunStage(name="reproduction", kind=WRITE, unit="exhibits", work=partial(report, run), step=2)
    return (*made, last)


def make_data(run: Reproduction, name: str, _: TaskShare, stage: Stage) -> None:
    """Generate a data set; without one of section 5.4, the others go on.

    Raises:
        InputError: If it is the plain data set and cannot be generated.
    """
    with nullcontext() if name == PLAIN else run.going_on_without(f"data set {name}"):
        run_pipeline(
            run.set_options(name),
            run.folder(name),
            work=run.work,
            overwrite=run.overwrite,
            allow_pickle=run.model_options.allow_pickle,
            executor=run.executor,
        )
        stage.advance(1)


def score_data(run: Reproduction, name: str, _: TaskShare, stage: Stage) -> None:
    """Score the models on a data set: on the plain one and its source all rows, on the others the drawn ones."""
    if f"data set {name}" in run.failed:
        return
    plain = name == PLAIN
    dataset = str(run.folder(name))
    data = part_of_data(open_config(dataset, ALL), drawn=not plain)
    source = read_source(RECORDED, data) if plain else None
    results, failed = score_run(
        ScoringRun(
            models=name_models(run.models),
            options=run.model_options,
            out=run.out / "results",
            dataset=dataset,
            config=data.config,
            source=RECORDED if plain else None,
            drawn=not plain,
            opened=(data, source),
        ),
        run.executor,
    )
    stage.advance(len(results))
    run.failed.update({f"{model} on {name}": as_flags(reason) for model, reason in failed.items()})


def make_sheets(run: Reproduction, _: TaskShare, stage: Stage) -> None:
    """Write the sheets for annotators, unless they are there and may be filled in."""
    out = run.out / "sheets"
    if out.exists():
        return
    with run.going_on_without("sheets"):
        dataset = find_dataset(str(run.folder(PLAIN)))
        sample = draw_sample([dataset], sizes=[SAMPLED_VARIANTS], annotators=ANNOTATORS, per="all")
        write_sheets(sample, out)
        stage.advance(len(sample.variant_ids))


def report(run: Reproduction, _: TaskShare, stage: Stage) -> None:
    """Compute all numbers, compare them with the paper's, and write the page."""
    ours = data_numbers(run)
    if run.needs(SCORES, SETS, CORPUS):
        ours |= score_numbers(*_analyze(run), run.out)
    is_comparable = is_papers_run(find_dataset(str(run.folder(PLAIN))))
    why = run.not_comparable or ("" if is_comparable else "other problems than those of SNLI test")
    write_reproduction(run, ours, not_comparable=why)
    stage.advance(len(run.exhibits))


def _analyze(run: Reproduction) -> tuple[Report, list[Result]]:
    """Write the report of section 5 on the data sets that have results; of equal ones, on the first."""
    datasets: dict[str, MergeDataset] = {}
    for name in run.sets:
        if f"data set {name}" not in run.failed:
            dataset = find_dataset(str(run.folder(name)))
            if datasets.setdefault(dataset.digest, dataset) is not dataset:
                run.failed[f"data set {name}"] = f"it has the same variants as {datasets[dataset.digest].folder.name}"
    results = [result for result in read_results(run.out / "results") if result.dataset.digest in datasets]
    scored = {result.dataset.digest for result in results}
    known = [dataset for digest, dataset in datasets.items() if digest in scored]
    corpus = run.corpus if run.needs(CORPUS) else None
    return analyze(results, known, kin=run.kin, corpus=corpus, out=run.out / "report", progress=Progress()), results
