"""Reproduce the tables of Luo et al. (2022): make Simple Pair and Extended Pair, score models, compare accuracies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from merge_snli.base.errors import InputError, as_flags, param
from merge_snli.base.progress import Stage
from merge_snli.base.stages import EVALUATE, WRITE, Executor, RunStage, TaskShare
from merge_snli.embedded import NLI_MODELS, PREFIX, PROBLEMS
from merge_snli.models.loading import ModelOptions
from merge_snli.pairs.extended_pair import make_extended_pair
from merge_snli.pairs.options import ExtendedPairOptions, SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.papers.numbers import SIMPLE_PAIR, read_paper
from merge_snli.reproduction.plan import PaperRun, chosen_exhibits
from merge_snli.reproduction.tables import Ours
from merge_snli.reproduction.verdict import OurNumber
from merge_snli.reproduction.write import write_reproduction
from merge_snli.scoring.predictions.opening import open_data
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.tasks import ScoringRun, score_run

SIMPLE, EXTENDED = "simple", "extended"

# Half of the sentences from SNLI, a quarter from each part of MultiNLI (section 2.2.2).
SOURCES = (
    "stanfordnlp/snli[:4912]",
    "stanfordnlp/snli[4912:]",
    "nyu-mll/multi_nli",
    "nyu-mll/multi_nli:validation_mismatched",
)

# The config of a column of the paper's tables, and the template or template and relevance of its pairs; the columns
# that are not here are templates of config `conjunction`.
COLUMNS: Mapping[str, tuple[str, str]] = {
    "simple N-is-A": ("simple", "n_is_a"),
    "simple SVO": ("simple", "svo"),
    "N-is-A relevant": ("relevance", "n_is_a + relevant"),
    "N-is-A irrelevant": ("relevance", "n_is_a + irrelevant"),
    "SVO relevant": ("relevance", "svo + relevant"),
    "SVO irrelevant": ("relevance", "svo + irrelevant"),
    "conjunction N-is-A": ("conjunction", "n*"),
    "conjunction SVO": ("conjunction", "s*"),
    "extended-simple": ("extended_simple", "*"),
    "extended-conjunction": ("extended_conjunction", "*"),
}

NOT_GIVEN = (
    "no model was given for this row: train one with python -m training.finetune (--augment "
    "data/simple/augmentation for aug), and pass --models ROW=FOLDER"
)

DEMO_PREMISES = 32


@dataclass(frozen=True, kw_only=True)
class SimplePairRun(PaperRun):
    """What a reproduction of Luo et al. makes, and from what.

    Attributes:
        rows: The model of each row, such as `BERT-b-SNLI`.
        premises: Premises per kind or template of Simple Pair; Extended Pair has half as many.
        results: The scores on each config, with their row; filled in while the stages run.
    """

    rows: Mapping[str, str]
    premises: int
    results: list[tuple[str, Result]] = field(default_factory=list)

    @property
    def pairs(self) -> int:
        """Number of pairs that each model scores, as in the tables of docs/simple_pair.md."""
        return (53 * self.needs(SIMPLE) + 3 * self.needs(EXTENDED)) * self.premises


def plan_simple_pair(
    out: Path,
    *,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    limit: int | None = None,
    demo: bool = False,
    device: str | None = None,
    allow_pickle: bool = False,
    overwrite: bool = False,
    executor: Executor | None = None,
) -> SimplePairRun:
    """Choose what to make.

    Args:
        out: The output folder.
        models: More models as `ROW=MODEL`, such as `BERT-b-aug-SNLI=models/augmented`.
        only: Names of exhibits, such as `table-4`; empty for all.
        limit: Premises per kind or template, for a trial.
        demo: Use the bundled problems and classifiers.
        device: The torch device; None for a GPU if available.
        allow_pickle: Load pickle weights, which can execute arbitrary code.
        overwrite: Replace data sets in `out` that were made with other options.
        executor: Runs tasks in other processes.

    Raises:
        InputError: If an exhibit or a row is unknown, or there are too few premises.
    """
    paper = read_paper(SIMPLE_PAIR)
    given = dict(each.partition("=")[::2] for each in models)
    known = dict.fromkeys(row for exhibit in paper.exhibits.values() for row in exhibit.rows)
    unknown = next((row for row in given if row not in known), None)
    if unknown is not None:
        raise InputError(f"{param('models')} has {unknown!r}: write ROW=MODEL with a row of {', '.join(known)}")
    bundled = {PREFIX + name: PREFIX + name for name in NLI_MODELS}
    rows = {**(bundled if demo else paper.models), **given}
    why = "bundled classifiers instead of the paper's models, and fewer pairs" if demo else ""
    premises = SimplePairOptions.premises if limit is None else limit
    return SimplePairRun(
        out=out,
        paper=paper,
        models=tuple(rows.values()),
        rows=rows,
        problems=(PREFIX + PROBLEMS,) if demo else SOURCES,
        premises=DEMO_PREMISES if demo and limit is None else premises,
        model_options=ModelOptions(device=device, allow_pickle=allow_pickle),
        exhibits=chosen_exhibits(paper, only),
        not_comparable=why or ("" if limit is None else f"only {limit:,} premises per kind or template"),
        overwrite=overwrite,
        executor=executor,
    )


def simple_pair_stages(run: SimplePairRun) -> tuple[RunStage, ...]:
    """Return the stages of a reproduction, in order."""
    names = [name for name in (SIMPLE, EXTENDED) if run.needs(name)]
    made = [
        RunStage(name=f"data set {name}", kind=WRITE, unit="pairs", work=partial(_make, run, name), step=0)
        for name in names
    ]
    made += [
        RunStage(name=f"scores on {name}", kind=EVALUATE, unit="models", work=partial(_score, run, name), step=1)
        for name in names
    ]
    return (*made, RunStage(name="reproduction", kind=WRITE, unit="exhibits", work=partial(_report, run), step=2))


def _make(run: SimplePairRun, name: str, _: TaskShare, stage: Stage) -> None:
    """Make a data set; without Extended Pair, the others go on."""
    folder = run.out / "data" / name
    if name == SIMPLE:
        make_simple_pair(folder, SimplePairOptions(premises=run.premises), overwrite=run.overwrite)
        stage.advance(1)
        return
    with run.going_on_without(f"data set {name}"):
        options = ExtendedPairOptions(problems=run.problems, premises=run.premises // 2)
        make_extended_pair(folder, options, overwrite=run.overwrite)
        stage.advance(1)


def _score(run: SimplePairRun, name: str, _: TaskShare, stage: Stage) -> None:
    """Score the models on every test config of a data set."""
    if f"data set {name}" in run.failed:
        return
    folder = str(run.out / "data" / name)
    for data in open_data(folder):
        scoring = ScoringRun(
            models=run.rows,
            options=run.model_options,
            out=run.out / "results",
            dataset=folder,
            config=data.config,
            opened=(data, None),
        )
        results, failed = score_run(scoring, run.executor)
        scored = [row for row in run.rows if row not in failed]
        run.results.extend(zip(scored, results, strict=True))
        run.failed.update({f"{row} on {data.config}": as_flags(why) for row, why in failed.items()})
        stage.advance(len(results))


def _report(run: SimplePairRun, _: TaskShare, stage: Stage) -> None:
    """Compare all accuracies with the paper's, and write the page."""
    ours = {
        exhibit.name: Ours(
            cells={
                (row, column): number
                for row, result in run.results
                for column in exhibit.columns
                if (number := accuracy(result, column)) is not None
            },
            reason=NOT_GIVEN,
        )
        for exhibit in run.exhibits
    }
    write_reproduction(run, ours, not_comparable=run.not_comparable)
    stage.advance(len(run.exhibits))


def accuracy(result: Result, column: str) -> OurNumber | None:
    """Return the accuracy of a column of the paper's tables in percent; None if it is of another config.

    A column of several templates has no interval.

    Args:
        result: The scores of a model on a config.
        column: A column.
    """
    config, pattern = COLUMNS.get(column, ("conjunction", template_of(column)))
    if config != result.dataset.config:
        return None
    parts = result.parts["template+relevance" if config == "relevance" else "template"]
    found = [result.scores] if pattern == "*" else [of for name, of in parts.items() if fnmatchcase(name, pattern)]
    correct = sum((of.sample_accuracy.mean or 0.0) * of.rows for of in found)
    intervals = found[0].intervals if len(found) == 1 else None
    low, high = (0.0, 0.0) if intervals is None else intervals.sample_accuracy
    return OurNumber(
        value=100 * correct / sum(of.rows for of in found),
        interval=None if intervals is None else (100 * low, 100 * high),
    )


def template_of(column: str) -> str:
    """Return the name of the template that a column such as `N1 is A1. N2 is A2.` shows."""
    return column.lower().replace(".", "").replace(" ", "_")
