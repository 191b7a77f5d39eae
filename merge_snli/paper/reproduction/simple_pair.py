"""Reproduce the tables of Luo et al. (2022): make Simple Pair and Extended Pair, score models, compare accuracies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from merge_snli.answers.opening import open_data
from merge_snli.base.errors import InputError
from merge_snli.embedded import NLI_MODELS, PREFIX, PROBLEMS
from merge_snli.models.options import ModelOptions
from merge_snli.pairs.extended_pair import make_extended_pair
from merge_snli.pairs.options import CONJUNCTION_SHARE, ExtendedPairOptions, SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.paper.reproduction.run import EXTENDED, SIMPLE, PaperRun, Work, chosen_artifacts, needs_of
from merge_snli.paper.reproduction.verdict import OurNumber, Ours
from merge_snli.papers.numbers import SIMPLE_PAIR, read_paper
from merge_snli.results.result import Result

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

BUNDLED = {PREFIX + name: PREFIX + name for name in NLI_MODELS}

DEMO_PREMISES = 32

# Measured on two busy CPU cores: Simple Pair from 4,000 premises in 22 s; Extended Pair of any size in 17 to 22 s.
SECONDS_PER_PREMISE, SECONDS_OF_EXTENDED = 0.005, 20


@dataclass(frozen=True, kw_only=True)
class SimplePairRun(PaperRun):
    """A reproduction of Luo et al.; its models are named by the rows of their tables, such as `BERT-b-SNLI`.

    Attributes:
        premises: Premises per kind or template of Simple Pair; Extended Pair has half as many, or its minimum.
        results: The scores on each config, with their row; filled in while the steps run.
    """

    premises: int
    results: list[tuple[str, Result]] = field(default_factory=list)

    def make_data(self, name: str) -> None:
        """Make a data set; without Extended Pair, the others go on."""
        if name == SIMPLE:
            make_simple_pair(self.folder(name), SimplePairOptions(premises=self.premises), overwrite=self.overwrite)
            return
        with self.going_on_without(f"data set {name}"):
            premises = max(CONJUNCTION_SHARE, self.premises // 2)
            extended = ExtendedPairOptions(problems=self.problems, premises=premises)
            make_extended_pair(self.folder(name), extended, overwrite=self.overwrite)

    def score_data(self, name: str) -> None:
        """Score the models on every test config of a data set."""
        if f"data set {name}" not in self.failed:
            for data in open_data(str(self.folder(name))):
                self.results.extend(self.score(str(self.folder(name)), data, str(data.config)).items())

    def report(self) -> None:
        """Compare all accuracies with the paper's, and write the page."""
        ours = {}
        for artifact in self.artifacts:
            cells = {}
            for row, result in self.results:
                for column in artifact.columns:
                    number = accuracy(result, column)
                    if number is not None:
                        cells[row, column] = number
            ours[artifact.name] = Ours(cells, NOT_GIVEN)
        self.write(ours, not_comparable=self.not_comparable)

    def work(self) -> Work:
        """Count the pairs, as in the tables of docs/simple_pair.md, and estimate the time of making them."""
        pairs = 0
        seconds = 0.0
        if SIMPLE in self.needs:
            pairs += 53 * self.premises
            seconds += SECONDS_PER_PREMISE * self.premises
        if EXTENDED in self.needs:
            pairs += 3 * self.premises
            seconds += SECONDS_OF_EXTENDED
        return "Simple Pair and Extended Pair", 0, pairs, seconds


def plan_simple_pair(
    out: Path,
    *,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    limit: int | None = None,
    demo: bool = False,
    model_options: ModelOptions | None = None,
    **run: Any,  # noqa: ANN401 - fields of PaperRun
) -> SimplePairRun:
    """Choose what a reproduction of Luo et al. makes.

    Args:
        out: The output folder.
        models: More models as `ROW=MODEL`, such as `BERT-b-aug-SNLI=models/augmented`.
        only: Names of artifacts, such as `table-4`; empty for all.
        limit: Premises per kind or template, for a trial.
        demo: Use the bundled problems and classifiers.
        model_options: How to load the models.
        run: `overwrite` and `executor`, see `PaperRun`.

    Raises:
        InputError: If an artifact or a row is unknown.
    """
    paper = read_paper(SIMPLE_PAIR)
    artifacts = chosen_artifacts(paper, only)
    given = dict(named.partition("=")[::2] for named in models)
    rows: dict[str, None] = {}
    for artifact in paper.artifacts.values():
        rows |= dict.fromkeys(artifact.rows)
    for row in given:
        if row not in rows:
            raise InputError(f"⟦models⟧ has {row!r}: write ROW=MODEL with a row of {', '.join(rows)}")
    problems: tuple[str, ...] = SOURCES
    why = ""
    known_models = paper.models
    premises = SimplePairOptions.premises
    if limit is not None:
        why = f"only {limit:,} premises per kind or template"
        premises = limit
    if demo:
        why = "bundled classifiers instead of the paper's models, and fewer pairs"
        problems = (PREFIX + PROBLEMS,)
        known_models = BUNDLED
        premises = DEMO_PREMISES if limit is None else limit
    return SimplePairRun(
        out=out,
        paper=paper,
        artifacts=artifacts,
        problems=problems,
        models={**known_models, **given},
        sets=tuple(name for name in (SIMPLE, EXTENDED) if name in needs_of(artifacts)),
        not_comparable=why,
        model_options=model_options or ModelOptions(),
        premises=premises,
        **run,
    )


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
    scored = [result.scores]
    if pattern != "*":
        by_value = result.parts["template+relevance" if config == "relevance" else "template"]
        scored = [scores for name, scores in by_value.items() if fnmatchcase(name, pattern)]
    rows = sum(scores.rows for scores in scored)
    correct = sum((scores.sample_accuracy.mean or 0.0) * scores.rows for scores in scored)
    interval = None
    if len(scored) == 1 and scored[0].intervals is not None:
        low, high = scored[0].intervals.sample_accuracy
        interval = 100 * low, 100 * high
    return OurNumber(100 * correct / rows, interval)


def template_of(column: str) -> str:
    """Return the name of the template that a column such as `N1 is A1. N2 is A2.` shows."""
    return column.lower().replace(".", "").replace(" ", "_")
