"""A run that reproduces a paper: what it needs, and its steps in order."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from merge_snli.answers.data import ScoredData
from merge_snli.base import __version__
from merge_snli.base.errors import InputError, as_flags, say_once
from merge_snli.base.extras import install_command
from merge_snli.base.files import read_json
from merge_snli.base.stages import Executor
from merge_snli.dataset.out_folder import check_out
from merge_snli.models.finding import check_weights, find_model
from merge_snli.models.options import ModelOptions
from merge_snli.models.paper_models import paper_model
from merge_snli.paper.reproduction.verdict import Document, Ours, compare
from merge_snli.paper.reproduction.write import FIGURES, FILES, JSON_FILE, write_reproduction
from merge_snli.papers.numbers import Paper, PaperArtifact
from merge_snli.results.result import Result
from merge_snli.scoring.options import ScoreOptions
from merge_snli.scoring.score_models import data_and_source
from merge_snli.scoring.tasks import ScoringRun, score_run

logger = logging.getLogger(__name__)

# What numbers are computed from, as `needs` in the papers' TOML files names it: the tables of the plain data set, those
# of its suggestions, the scores on it, those on all sets of section 5.4, word counts, and sheets; Simple Pair and
# Extended Pair.
DATA, SUGGESTIONS, SCORES, FILTER_SETS, CORPUS, SHEETS = "data", "suggestions", "scores", "sets", "corpus", "sheets"
SIMPLE, EXTENDED = "simple", "extended"

# What a reproduction writes in its folder.
CONTENT = frozenset(
    ("data", "data.work", "results", "results.work", "report", "report.work", "sheets", FIGURES, *FILES)
)

# The name of a step, and what does it.
Step = tuple[str, Callable[[], None]]

# What a run is estimated to do: the data sets in words, the number of forms of each masked LM and of pairs of each NLI
# model, and the seconds of everything but the models.
Work = tuple[str, int, int, float]


def chosen_artifacts(paper: Paper, only: Sequence[str]) -> tuple[PaperArtifact, ...]:
    """Return the artifacts of a paper with some names; all if none is given.

    Raises:
        InputError: If a name is unknown.
    """
    for name in only:
        if name not in paper.artifacts:
            raise InputError(f"⟦only⟧ has {name!r}: choose from {', '.join(paper.artifacts)}")
    return tuple(artifact for name, artifact in paper.artifacts.items() if not only or name in only)


def needs_of(artifacts: Sequence[PaperArtifact]) -> frozenset[str]:
    """Return what our numbers of some tables and figures are computed from."""
    return frozenset(need for artifact in artifacts for need in artifact.needs)


@dataclass(frozen=True, kw_only=True)
class PaperRun(ABC):
    """A reproduction of a paper: what it makes, and from what.

    Attributes:
        out: The output folder.
        paper: The numbers of the paper.
        artifacts: The tables and figures to make.
        problems: The names of the NLI problems.
        models: The NLI models: Hub ids, folders or `demo:NAME`, by the name under which they are scored.
        masked_lms: The masked LMs.
        sets: The names of the data sets that the artifacts need.
        not_comparable: Why no number compares with the paper's; empty if they do.
        model_options: How to load the models.
        overwrite: Whether to replace data sets in the folder that were made with other options.
        executor: Runs the tasks of data sets and scores in other processes; None for this one.
        failed: Why a data set, model or step is missing, by its name; filled in while the steps run.
    """

    out: Path
    paper: Paper
    artifacts: tuple[PaperArtifact, ...]
    problems: tuple[str, ...]
    models: Mapping[str, str]
    masked_lms: tuple[str, ...] = ()
    sets: tuple[str, ...]
    not_comparable: str
    model_options: ModelOptions
    overwrite: bool = False
    executor: Executor | None = None
    failed: dict[str, str] = field(default_factory=dict)

    @abstractmethod
    def make_data(self, name: str) -> None:
        """Make a data set."""

    @abstractmethod
    def score_data(self, name: str) -> None:
        """Score the models on a data set."""

    @abstractmethod
    def report(self) -> None:
        """Compute all numbers, compare them with the paper's, and write the page."""

    @abstractmethod
    def work(self) -> Work:
        """Estimate the work, from a short trial if necessary.

        Raises:
            InputError: If the problems cannot be read.
        """

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order."""
        for name in self.sets:
            yield f"data set {name}", partial(self.make_data, name)
        if self.scored_models:
            for name in self.sets:
                yield f"scores on {name}", partial(self.score_data, name)
        yield "reproduction", self.report

    @property
    def needs(self) -> frozenset[str]:
        """What the numbers are computed from."""
        return needs_of(self.artifacts)

    def write(self, ours: Mapping[str, Ours], *, not_comparable: str) -> None:
        """Compare our numbers with the paper's, and write the page.

        Args:
            ours: Our numbers by name of the artifact.
            not_comparable: Why no number compares with the paper's; empty if they do.

        Raises:
            InputError: If a file cannot be written.
        """
        paper = {"title": self.paper.title, "source": self.paper.source, "note": self.paper.note}
        models = [model if name == model else f"{name}: {model}" for name, model in self.models.items()]
        document: Document = {
            "paper": paper,
            "version": __version__,
            "problems": ", ".join(self.problems),
            "masked_lms": list(self.masked_lms),
            "models": models,
            "not_comparable": not_comparable,
            "failed": self.failed,
            "artifacts": [compare(one, ours.get(one.name, Ours()), not_comparable) for one in self.artifacts],
        }
        write_reproduction(document, self.out)

    @property
    def scored_models(self) -> tuple[str, ...]:
        """The NLI models that the artifacts need."""
        return tuple(self.models.values()) if self.needs & {SCORES, FILTER_SETS, CORPUS} else ()

    def folder(self, name: str) -> Path:
        """Return the folder of a data set."""
        return self.out / "data" / name

    @contextmanager
    def going_on_without(self, name: str) -> Iterator[None]:
        """Note in `failed` why something cannot be made, so that the other steps go on."""
        try:
            yield
        except InputError as error:
            self.failed[name] = as_flags(error)

    def score(
        self, dataset: str, data: ScoredData, name: str, *, source: str | None = None, drawn: bool = False
    ) -> dict[str, Result]:
        """Score the models, and return the results of those that do not fail, by name.

        Args:
            dataset: The folder of the data set.
            data: All of its rows.
            name: The name of the data in `failed`.
            source: The source of the data set, as `read_source` takes it; None for none.
            drawn: Whether to predict only the rows that a subsample has.
        """
        options = ScoreOptions(**vars(self.model_options), config=data.config, source=source, drawn=drawn)
        run = ScoringRun(
            models=self.models,
            dataset=dataset,
            options=options,
            out=self.out / "results",
        )
        results, failed = score_run(run, *data_and_source(data, options), self.executor)
        self.failed.update({f"{model} on {name}": as_flags(reason) for model, reason in failed.items()})
        scored = [model for model in self.models if model not in failed]
        return dict(zip(scored, results, strict=True))


def reproduce(run: PaperRun) -> Document:
    """Make the artifacts of a reproduction; a run that was interrupted resumes.

    Args:
        run: What to make.

    Returns:
        The content of `reproduction.json`.

    Raises:
        InputError: If something is missing, the plain data set cannot be made, or the folder cannot be written.
    """
    check_out(run.out, "a reproduction", CONTENT)
    check_requirements(run)
    for name, do in run.steps():
        logger.info("%s", name)
        do()
    return dict(read_json(run.out / JSON_FILE))


def check_requirements(run: PaperRun) -> None:
    """Download the models, and check that nothing is missing.

    Packages are checked before the downloads.

    Raises:
        InputError: If something is missing; one sentence for each, with the option or command that mends it.
    """
    missing = missing_packages(run)
    if missing:
        raise InputError("; ".join(missing))
    allow_pickle = run.model_options.allow_pickle
    refused: dict[str, str] = {}
    for name in dict.fromkeys((*run.masked_lms, *run.scored_models)):
        try:
            check_weights(find_model(name, allow_pickle=allow_pickle, adapters=True), allow_pickle=allow_pickle)
        except InputError as error:
            refused[name] = error.message.marked
    if refused:
        raise InputError(say_once(refused))


def missing_packages(run: PaperRun) -> list[str]:
    """Return a sentence for each optional package that the run needs and that is not installed."""
    adapters = []
    for name in run.scored_models:
        known = paper_model(name)
        if known is not None and known.note is not None and "peft" in known.note:
            adapters.append(known.paper_name)
    needed = {}
    if adapters:
        needed["peft"] = f"{', '.join(adapters)}, an adapter, needs: {install_command('adapters')}"
    if SHEETS in run.needs:
        needed["openpyxl"] = f"the sheets for annotators need: {install_command('annotate')}"
    return [f"{package} is not installed, and {why}" for package, why in needed.items() if find_spec(package) is None]
