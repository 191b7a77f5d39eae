"""Reproduce the MERGE paper: its data sets, scores, analyses, tables and figures."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from generation.dry_run import dry_run
from generation.options import Options, preset_options
from generation.pipeline import run_pipeline
from generation.report.compared import PROBLEMS as PAPER_PROBLEMS
from generation.report.compared import is_papers_run
from merge_snli.annotation.sample import draw_sample
from merge_snli.annotation.sheets import write_sheets
from merge_snli.answers.opening import open_config
from merge_snli.answers.source import RECORDED
from merge_snli.base.errors import InputError
from merge_snli.base.progress import Progress
from merge_snli.base.table import count
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.dataset.variants import ANNOTATOR_LABELS
from merge_snli.embedded import MASKED_LMS, NLI_MODELS, PREFIX, PROBLEMS
from merge_snli.models.finding import find_model
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import PAPER_MODELS
from merge_snli.paper.report.analyze import analyze
from merge_snli.paper.report.report import Report
from merge_snli.paper.reproduction.numbers import data_numbers, score_numbers
from merge_snli.paper.reproduction.run import (
    CORPUS,
    FILTER_SETS,
    SHEETS,
    SUGGESTIONS,
    PaperRun,
    Work,
    chosen_artifacts,
    needs_of,
)
from merge_snli.paper.reproduction.verdict import Ours
from merge_snli.papers.numbers import MERGE, read_paper
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.source import open_source
from merge_snli.results.result import Result
from merge_snli.results.store import read_results
from merge_snli.schema import ALL

SNLI = "stanfordnlp/snli"

# The plain data set, and the work folder that all data sets share.
PLAIN, WORK = "plain", "data.work"

# Problems of a demo without a limit: enough for seeds of each word class.
DEMO_PROBLEMS = 60

DEMO_MODELS, DEMO_MASKED_LMS = (tuple(PREFIX + name for name in names) for names in (NLI_MODELS, MASKED_LMS))

# The other data sets of section 5.4, by the options in which they differ from the plain one.
OTHER_SETS: Mapping[str, Mapping[str, Any]] = {
    "union": {"sides": "union"},
    "pos": {"filters": ("pos",)},
    "prob": {"filters": ("prob",)},
    "none": {"filters": ()},
    "scrambled": {"scramble": True},
}

# The name in the paper's Figure 8, which gives the number of variants, if it is another one.
FIGURE_8 = {"union": "P∪H"}

# The names of the sheets and the number of variants: those of Figure 10.
ANNOTATORS, SAMPLED_VARIANTS = ("annotator-1", "annotator-2"), 100


@dataclass(frozen=True, kw_only=True)
class Reproduction(PaperRun):
    """A reproduction of the MERGE paper.

    Attributes:
        options: The options of the plain data set.
        corpus: Training data in which words are counted.
        fine_tuned_from: The masked LM of the architecture and size of each model, besides the paper's.
    """

    options: Options
    corpus: str
    fine_tuned_from: Mapping[str, str]

    def set_options(self, name: str) -> Options:
        """Return the options of a data set."""
        if name == PLAIN:
            return self.options
        return replace(self.options, **OTHER_SETS[name], seeds_from=str(self.folder(PLAIN)))

    def make_data(self, name: str) -> None:
        """Generate a data set; without one of section 5.4, the others go on.

        Raises:
            InputError: If it is the plain data set and cannot be generated.
        """
        with nullcontext() if name == PLAIN else self.going_on_without(f"data set {name}"):
            run_pipeline(
                self.set_options(name),
                self.folder(name),
                work=self.out / WORK,
                overwrite=self.overwrite,
                allow_pickle=self.model_options.allow_pickle,
                executor=self.executor,
            )

    def score_data(self, name: str) -> None:
        """Score the models on a data set: on the plain one and its source all rows, on the others the drawn ones."""
        if f"data set {name}" not in self.failed:
            plain = name == PLAIN
            dataset = str(self.folder(name))
            self.score(dataset, open_config(dataset, ALL), name, source=RECORDED if plain else None, drawn=not plain)

    def report(self) -> None:
        """Compute all numbers, compare them with the paper's, and write the page."""
        ours: dict[str, Ours] = {}
        why = self.not_comparable
        if self.sets:
            dataset = find_dataset(str(self.folder(PLAIN)))
            if not why and not is_papers_run(dataset):
                why = "other problems than those of SNLI test"
            models = [find_model(name, allow_pickle=self.model_options.allow_pickle) for name in self.masked_lms]
            ours = data_numbers(dataset, self.out / WORK, models, self.out, suggestions=SUGGESTIONS in self.needs)
        if SHEETS in self.needs and not (self.out / "sheets").exists():  # else they may be filled in
            with self.going_on_without("sheets"):
                sample = draw_sample([dataset], sizes=[SAMPLED_VARIANTS], annotators=ANNOTATORS, per="all")
                write_sheets(sample, self.out / "sheets")
        if self.scored_models:
            ours |= score_numbers(*self._analyze(), self.out)
        self.write(ours, not_comparable=why)

    def _analyze(self) -> tuple[Report, list[Result]]:
        """Write the report of section 5 on the data sets that have results; of equal ones, on the first."""
        datasets: dict[str, MergeDataset] = {}
        for name in self.sets:
            if f"data set {name}" not in self.failed:
                dataset = find_dataset(str(self.folder(name)))
                same = datasets.setdefault(dataset.digest, dataset)
                if same is not dataset:
                    self.failed[f"data set {name}"] = f"it has the same variants as {same.folder.name}"
        results = [result for result in read_results(self.out / "results") if result.dataset.digest in datasets]
        scored = {result.dataset.digest for result in results}
        report = analyze(
            results,
            [dataset for digest, dataset in datasets.items() if digest in scored],
            fine_tuned_from=self.fine_tuned_from,
            corpus=self.corpus if CORPUS in self.needs else None,
            out=self.out / "report",
            progress=Progress(),
        )
        return report, results

    def work(self) -> Work:
        """Estimate the forms and the time of all but the models from a sample of the problems."""
        if not self.sets:
            return "no data set", 0, 0, 0.0
        trial = dry_run(replace(self.options, mlm=DEMO_MASKED_LMS))
        seconds = {name: step.seconds for name, step in trial.steps.items()}
        filters = seconds["filters and sets"] * len(self.masked_lms) / len(DEMO_MASKED_LMS)
        others = seconds["read and tag"] + len(self.sets) * (filters + seconds["write"])
        sets = count(len(self.sets), "data set")
        return f"{trial.problems:,} problems, {sets}", trial.forms, self.pairs(trial.problems), others

    def pairs(self, problems: int) -> int:
        """Return how many pairs each model answers: as many as in the paper, in proportion to the problems.

        Args:
            problems: The number of problems.
        """
        artifacts = self.paper.artifacts
        seeds, average, *_ = map(float, artifacts["table-2"].rows["all"])
        pairs = seeds * average + PAPER_PROBLEMS
        for name in self.sets:
            if name != PLAIN:
                (drawn,) = artifacts["figure-8"].rows[FIGURE_8.get(name, name)]
                pairs += float(drawn)
        return round(pairs * problems / PAPER_PROBLEMS)


def plan_reproduction(
    out: Path,
    *,
    problems: str | None = None,
    corpus: str | None = None,
    only: Sequence[str] = (),
    limit: int | None = None,
    demo: bool = False,
    model_options: ModelOptions | None = None,
    **run: Any,  # noqa: ANN401 - fields of PaperRun
) -> Reproduction:
    """Choose what a reproduction of the MERGE paper makes.

    Args:
        out: The output folder.
        problems: SNLI test, as a file or Hub id; None for the Hub's, which does not have the annotators' labels.
        corpus: SNLI train, likewise; None for the Hub's.
        only: Names of artifacts, such as `table-3`; empty for all.
        limit: Use the first problems only.
        demo: Use the bundled problems, masked LMs and classifiers.
        model_options: How to load the models.
        run: `overwrite` and `executor`, see `PaperRun`.

    Raises:
        InputError: If an artifact is unknown, an option does not apply, or the problems cannot be read.
    """
    paper = read_paper(MERGE)
    artifacts = chosen_artifacts(paper, only)
    loading = model_options or ModelOptions()
    for name, value in (("problems", problems), ("corpus", corpus)):
        if demo and value is not None:
            raise InputError(f"⟦demo⟧ has its own problems: remove ⟦{name}⟧")
    counterparts = {}
    why = ""
    if demo:
        models = DEMO_MODELS
        why = "bundled problems, masked LMs and classifiers instead of the paper's"
        counterparts = dict(zip(DEMO_MODELS, DEMO_MASKED_LMS, strict=True))
        corpus = PREFIX + PROBLEMS
        given: dict[str, Any] = {"mlm": DEMO_MASKED_LMS, "problems": PREFIX + PROBLEMS, "id_column": "id"}
        limit = DEMO_PROBLEMS if limit is None else limit
    else:
        models = tuple(model.name for model in PAPER_MODELS)
        given = {**preset_options("paper"), "problems": problems or SNLI, **_kept_columns(problems)}
        if limit is not None:
            why = f"only the first {limit:,} problems"
    needs = needs_of(artifacts)
    sets = []
    if needs:
        sets.append(PLAIN)
    if FILTER_SETS in needs:
        sets += OTHER_SETS
    return Reproduction(
        out=out,
        paper=paper,
        artifacts=artifacts,
        problems=(str(given["problems"]),),
        models={name: name for name in models},
        masked_lms=given["mlm"] if sets else (),
        sets=tuple(sets),
        not_comparable=why,
        model_options=loading,
        options=Options(**given, limit=limit, device=loading.device),
        corpus=corpus or SNLI,
        fine_tuned_from=counterparts,
        **run,
    )


def _kept_columns(problems: str | None) -> dict[str, Any]:
    """Return the option that keeps the annotators' labels, if the problems have them."""
    if problems is None:
        return {}
    first = next(iter(open_source(ProblemOptions(problems=problems))), None)
    if first is None or ANNOTATOR_LABELS not in first.row.values:
        return {}
    return {"keep_column": (ANNOTATOR_LABELS,)}
