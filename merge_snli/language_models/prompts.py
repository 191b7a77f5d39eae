"""Render the prompts, Jinja templates in `prompts/` or of the user, and draw the problems that they show."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import asdict, dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import chain, islice, zip_longest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param, reason
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.label_spellings import canonical_names
from merge_snli.problems.inputs import split_of_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source, without_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jinja2 import Environment, Template

    from merge_snli.language_models.answers import AnswerForm
    from merge_snli.scoring.predictions.scored_data import ScoredData

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).parent / "prompts"
ZERO_SHOT, FEW_SHOT = "zero_shot", "few_shot"
# The names of the prompts of this package.
PROMPTS = (ZERO_SHOT, FEW_SHOT, "chain_of_thought")
# Those that ask for the label and nothing else.
ONE_WORD = (ZERO_SHOT, FEW_SHOT)
# The start of a problem that a base model invents after its answer. A blank line alone would cut reasoning off.
STOP = ("\n\nPremise:",)
# Output tokens: enough for short reasoning before one word, and for a prompt that asks for reasons.
MAX_TOKENS, MAX_TOKENS_WITH_REASONS = 1_024, 8_192
# One per label.
DEFAULT_SHOTS = 3


@dataclass(frozen=True)
class Shot:
    """A problem that a prompt shows with its label."""

    premise: str
    hypothesis: str
    label: str


@dataclass(frozen=True)
class Prompt:
    """A prompt for problems with some labels.

    A template may use `premise`, `hypothesis`, `labels` (their names) and `shots`, which have `premise`, `hypothesis`
    and `label`.

    Attributes:
        name: One of `PROMPTS`, or the path of a Jinja file.
        labels: The names of the labels that the model can answer.
        shots: Problems with their labels, which the prompt shows before the question.
    """

    name: str
    labels: tuple[str, ...]
    shots: tuple[Shot, ...] = ()

    def __post_init__(self) -> None:
        """Check the prompt with a problem.

        Raises:
            InputError: If there is no such template, it is not valid Jinja, or it hides the problem or the shots.
        """
        marks = self.render("first sentence", "second sentence")
        if "first sentence" not in marks or "second sentence" not in marks:
            raise InputError(
                f"the prompt {self.name} does not show the problem: use {{{{ premise }}}} and {{{{ hypothesis }}}}"
            )
        if any(shot.premise not in marks or shot.hypothesis not in marks for shot in self.shots):
            raise InputError(
                f"the prompt {self.name} does not show the {len(self.shots)} shots: use {FEW_SHOT}, or shots=0"
            )

    def render(self, premise: str, hypothesis: str) -> str:
        """Return the text that asks for the label of a problem.

        Raises:
            InputError: If the template uses an unknown variable, or computes what is not possible.
        """
        from jinja2 import TemplateError

        template = self._template
        values = {"premise": premise, "hypothesis": hypothesis, "labels": self.labels, "shots": self.shots}
        try:
            return template.render(values).strip()
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"cannot render the prompt {self.name}: {reason(error)}") from error

    @property
    def digest(self) -> str:
        """A digest of everything that the prompt shows besides the problem."""
        shots = [asdict(shot) for shot in self.shots]
        return sha256_of_json({"example": self.render("premise", "hypothesis"), "shots": shots})

    @property
    def stop(self) -> tuple[str, ...]:
        """Where the answer ends if the model goes on; empty if the prompt may ask for reasons."""
        return STOP if self.name in ONE_WORD else ()

    @property
    def max_tokens(self) -> int:
        """The largest number of output tokens."""
        return MAX_TOKENS if self.name in ONE_WORD else MAX_TOKENS_WITH_REASONS

    @cached_property
    def _template(self) -> Template:
        from jinja2 import TemplateError

        try:
            if self.name in PROMPTS:
                return _environment().get_template(f"{self.name}.jinja")
            return _environment().from_string(Path(self.name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            choices = ", ".join(PROMPTS)
            raise InputError(
                f"no prompt {self.name!r}: give one of {choices}, or a Jinja file that can be read"
            ) from error
        except TemplateError as error:
            raise InputError(f"{self.name} is not a valid Jinja template: {reason(error)}") from error


def answer_form(name: str) -> AnswerForm | None:
    """Return the form of answer that a prompt asks for; None for a template of the user.

    Args:
        name: One of `PROMPTS`, or the name of another template.
    """
    return "word" if name in PROMPTS else None


def instruction(labels: Sequence[str]) -> str:
    """Return the instruction before the problems in `zero_shot` and `few_shot`."""
    return _environment().get_template("instruction.jinja").render(labels=labels)


def problem_template() -> str:
    """Return the Jinja template of one problem in `zero_shot` and `few_shot`."""
    return (FOLDER / "problem.jinja").read_text(encoding="utf-8").rstrip("\n")


def _environment() -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    options: dict[str, Any] = {"undefined": StrictUndefined, "autoescape": False}
    return SandboxedEnvironment(loader=FileSystemLoader(FOLDER), **options)


def shots_for(
    data: ScoredData, source: str, count: int, *, random_seed: int = 0, at_least: int | None = None
) -> tuple[Shot, ...]:
    """Draw problems of another split or data set, the labels in turns, for the questions of a config.

    The draw takes the problems with the smallest digests of random seed and id, so it does not depend on their order.
    Problems whose premise is in the data are not drawn.

    Args:
        data: The config.
        source: File, folder or Hub id of problems; `ID:SPLIT` names a split.
        count: Number of problems.
        random_seed: Seed of the draw.
        at_least: Number of problems that suffice if there are not more, with a warning; None for `count`.

    Raises:
        InputError: If the problems cannot be read, have other labels, or are too few.
    """
    if count < 0:
        raise InputError(f"shots is {count}: give 0 or a larger number")
    if not count:
        return ()
    name, split = split_of_name(source)
    with without_options(param("shots_from")):
        opened = open_source(ProblemOptions(problems=name, split=split))
        survey = survey_problems(opened)
    names = canonical_names(survey.label_names)
    if names is None or {*names} != {*data.label_names}:
        raise InputError(
            f"the labels of {name} are {', '.join(survey.label_names)}, not {', '.join(data.label_names)}: "
            "draw the shots from another data set"
        )
    asked = {premise for premise, _ in data.pairs}
    drawn: dict[str, list[tuple[str, Shot]]] = {label: [] for label in data.label_names}
    for problem in stream_problems(opened, survey):
        if problem.premise in asked:
            continue
        key = hashlib.sha256(f"{random_seed}:{problem.id}".encode()).hexdigest()
        label = names[problem.label]
        # A few candidates per label suffice; sorting them at once would need all problems in memory.
        candidates = [*drawn[label], (key, Shot(problem.premise, problem.hypothesis, label))]
        drawn[label] = nsmallest(count, candidates, key=itemgetter(0))
    in_turns = chain.from_iterable(zip_longest(*drawn.values()))
    shots = tuple(shot for _, shot in islice(filter(None, in_turns), count))
    if len(shots) < (count if at_least is None else at_least):
        raise InputError(
            f"{name} has only {len(shots)} problems for {count} shots whose premises are not in the data "
            f"set: ask for fewer shots, or name more problems with {param('shots_from')}"
        )
    if len(shots) < count:
        logger.warning("%s has only %d of %d shots whose premises are not in the data set", name, len(shots), count)
    return shots
