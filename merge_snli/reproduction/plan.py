"""Choose what a reproduction makes: its exhibits, and the problems, masked LMs and classifiers that they need."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generation.options import Options
from generation.presets import preset_options
from merge_snli.base.errors import InputError, as_flags, param
from merge_snli.base.stages import Executor
from merge_snli.dataset.annotators import COLUMN
from merge_snli.embedded import MASKED_LMS, NLI_MODELS, PREFIX, PROBLEMS
from merge_snli.models.loading import ModelOptions
from merge_snli.models.paper_models import PAPER_MODELS
from merge_snli.papers.numbers import MERGE, Paper, PaperExhibit, read_paper
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.source import open_source

SNLI = "stanfordnlp/snli"

# What the numbers of exhibits are computed from, as `needs` in the paper's TOML file names it: the tables of the plain
# data set, those of its suggestions, the scores on it, those on all sets of section 5.4, word counts, and sheets.
DATA, SUGGESTIONS, SCORES, SETS, CORPUS, SHEETS = "data", "suggestions", "scores", "sets", "corpus", "sheets"

PLAIN = "plain"

# Problems of a demo without a limit: enough for seeds of each word class.
DEMO_PROBLEMS = 60

# The other data sets of section 5.4, by the options in which they differ from the plain one.
OTHER_SETS: Mapping[str, Mapping[str, Any]] = {
    "union": {"sides": "union"},
    "pos": {"filters": ("pos",)},
    "prob": {"filters": ("prob",)},
    "none": {"filters": ()},
    "scrambled": {"scramble": True},
}


@dataclass(frozen=True, kw_only=True)
class PaperRun:
    """What a reproduction of a paper makes, and from what.

    Attributes:
        out: The output folder.
        paper: The numbers of the paper.
        problems: The names of the NLI problems.
        models: The NLI models: Hub ids or `demo:NAME`.
        model_options: How to load them.
        exhibits: The tables and figures to make.
        not_comparable: Why no number compares with the paper's; empty if they do.
        overwrite: Whether to replace data sets in the folder that were made with other options.
        executor: Runs the tasks of data sets and scores in other processes; None for this one.
        failed: Why a data set, model or step is missing, by its name; filled in while the stages run.
    """

    out: Path
    paper: Paper
    problems: tuple[str, ...]
    models: tuple[str, ...]
    model_options: ModelOptions
    exhibits: tuple[PaperExhibit, ...]
    not_comparable: str
    overwrite: bool = False
    executor: Executor | None = None
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def masked_lms(self) -> tuple[str, ...]:
        """The masked LMs of the run."""
        return ()

    def needs(self, *needs: str) -> bool:
        """Return whether an exhibit needs one of some things."""
        return any(need in exhibit.needs for exhibit in self.exhibits for need in needs)

    @contextmanager
    def going_on_without(self, name: str) -> Iterator[None]:
        """Note in `failed` why something cannot be made, so that the other stages go on."""
        try:
            yield
        except InputError as error:
            self.failed[name] = as_flags(error)


@dataclass(frozen=True, kw_only=True)
class Reproduction(PaperRun):
    """A reproduction of the MERGE paper.

    Attributes:
        options: The options of the plain data set.
        kin: The masked LM of the architecture and size of each model, besides the paper's.
        corpus: Training data in which words are counted.
    """

    options: Options
    kin: Mapping[str, str]
    corpus: str

    @property
    def masked_lms(self) -> tuple[str, ...]:
        """The masked LMs of the run."""
        return self.options.mlm

    @property
    def work(self) -> Path:
        """The work folder that all data sets share."""
        return self.out / "data.work"

    @property
    def sets(self) -> tuple[str, ...]:
        """The names of the data sets that the exhibits need."""
        return (PLAIN, *(OTHER_SETS if self.needs(SETS) else ()))

    def folder(self, name: str) -> Path:
        """Return the folder of a data set."""
        return self.out / "data" / name

    def set_options(self, name: str) -> Options:
        """Return the options of a data set."""
        if name == PLAIN:
            return self.options
        return replace(self.options, **OTHER_SETS[name], seeds_from=str(self.folder(PLAIN)))


def plan_reproduction(
    out: Path,
    *,
    problems: str | None = None,
    corpus: str | None = None,
    only: Sequence[str] = (),
    limit: int | None = None,
    demo: bool = False,
    device: str | None = None,
    allow_pickle: bool = False,
    overwrite: bool = False,
    executor: Executor | None = None,
) -> Reproduction:
    """Choose what to make.

    Args:
        out: The output folder.
        problems: SNLI test, as a file or Hub id; None for the Hub's, which does not have the annotators' labels.
        corpus: SNLI train, likewise; None for the Hub's.
        only: Names of exhibits, such as `table-3`; empty for all.
        limit: Use the first problems only.
        demo: Use the bundled problems, masked LMs and classifiers.
        device: The torch device; None for a GPU if available.
        allow_pickle: Load pickle weights, which can execute arbitrary code.
        overwrite: Replace data sets in `out` that were made with other options.
        executor: Runs tasks in other processes.

    Raises:
        InputError: If an exhibit is unknown, an option does not apply, or the problems cannot be read.
    """
    paper = read_paper(MERGE)
    exhibits = chosen_exhibits(paper, only)
    if demo and (problems, corpus) != (None, None):
        raise InputError(f"{param('demo')} has its own problems: remove {param('problems' if problems else 'corpus')}")
    if demo:
        models, masked_lms = (tuple(PREFIX + name for name in names) for names in (NLI_MODELS, MASKED_LMS))
        given: dict[str, Any] = {"mlm": masked_lms, "problems": PREFIX + PROBLEMS, "id_column": "id"}
        limit, kin = limit or DEMO_PROBLEMS, dict(zip(models, masked_lms, strict=True))
    else:
        given = {**preset_options("paper"), "problems": problems or SNLI, **_kept_columns(problems)}
        models, kin = tuple(model.name for model in PAPER_MODELS), {}
    return Reproduction(
        out=out,
        paper=paper,
        problems=(str(given["problems"]),),
        options=Options(**given, limit=limit, device=device),
        models=models,
        model_options=ModelOptions(device=device, allow_pickle=allow_pickle),
        kin=kin,
        corpus=corpus or (PREFIX + PROBLEMS if demo else SNLI),
        exhibits=exhibits,
        not_comparable=_not_comparable(demo=demo, limit=limit),
        overwrite=overwrite,
        executor=executor,
    )


def chosen_exhibits(paper: Paper, only: Sequence[str]) -> tuple[PaperExhibit, ...]:
    """Return the exhibits of a paper with some names; all if none is given.

    Raises:
        InputError: If a name is unknown.
    """
    unknown = next((name for name in only if name not in paper.exhibits), None)
    if unknown is not None:
        raise InputError(f"{param('only')} has {unknown!r}: choose from {', '.join(paper.exhibits)}")
    return tuple(exhibit for name, exhibit in paper.exhibits.items() if not only or name in only)


def _kept_columns(problems: str | None) -> dict[str, Any]:
    """Return the option that keeps the annotators' labels, if the problems have them."""
    if problems is None:
        return {}
    row = next(open_source(ProblemOptions(problems=problems)).read(), None)
    return {"keep_column": (COLUMN,)} if row is not None and COLUMN in row.values else {}


def _not_comparable(*, demo: bool, limit: int | None) -> str:
    if demo:
        return "bundled problems, masked LMs and classifiers instead of the paper's"
    return "" if limit is None else f"only the first {limit:,} problems"
