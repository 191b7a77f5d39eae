"""Prompts: how a language model is asked for the label of a problem, as TOML in `prompts/` or a file of the user."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter

from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, read_toml
from merge_snli.dataset.record_file import valid

# What a prompt asks for. A letter alone is not an answer to a prompt that asks for a word.
AnswerForm: TypeAlias = Literal["word", "letter", "json"]

FOLDER = Path(__file__).parent / "prompts"
# The prompt for tasks other than NLI.
TASK_PROMPT = "task"
# The names of the prompts for NLI.
PROMPTS = ("word", "few_shot", "letter", "json", "reasons", "plain", "lm_eval")
ALL_PROMPTS = "all"
DEFAULT_PROMPT = PROMPTS[0]

# In which orders a prompt lists the labels: in those of a Latin square, with each label once at each position, or in
# all.
BALANCED, ALL_ORDERS = ORDERS = ("balanced", "all")
# A prompt with an order, such as `letter-2-3-1`.
ORDERED = re.compile(r"(?P<prompt>.+?)-(?P<order>\d+(?:-\d+)+)")

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt for problems with any labels.

    `system` and `question` are Jinja templates. They may use `words`, the words for the labels, `options`, the letter
    and the word of each label, and `first` and `second`, what the two texts are called. `question` may also use
    `premise` and `hypothesis`, the texts.

    Attributes:
        name: Name in results and tables.
        question: The text that asks about one problem.
        answer: What it asks for: a `word` for the label, its `letter`, or a `json` object `{"answer": WORD}`.
        system: The text before the problems: the system message of a chat, or the start of a text.
        words: The word for each label; the name of the label if it has none.
        shots: Number of problems that are shown with their answers before the question.
        reason_first: Whether the model may reason before it answers.
        summary: What the prompt does, in one sentence.
        order: The order of the labels in `words` and `options`, by their numbers in the data set from 1; empty for the
            order of the data set.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Annotated[str, Field(pattern=r"^\w[\w.-]*$")]
    question: str
    answer: AnswerForm
    system: str = ""
    words: dict[str, str] = field(default_factory=dict)
    shots: Annotated[int, Field(ge=0)] = 0
    reason_first: bool = False
    summary: str = ""
    order: tuple[int, ...] = ()

    def toml(self) -> str:
        """Return the prompt as a TOML file."""
        import tomli_w

        return tomli_w.dumps({name: value for name, value in asdict(self).items() if value}, multiline_strings=True)


PROMPT: TypeAdapter[Prompt] = TypeAdapter(Prompt)


def read_prompts(prompts: str | Sequence[str]) -> tuple[Prompt, ...]:
    """Read prompts.

    Args:
        prompts: Names of `PROMPTS`, `TASK_PROMPT` or paths of TOML files, as a list or separated by commas; or `all`
            for `PROMPTS`.
    """
    read: dict[str, Prompt] = {}
    for name in prompt_names(prompts):
        prompt = read_prompt(name)
        if prompt.name in read:
            raise InputError(f"⟦prompt⟧ has two prompts with the name {prompt.name}: remove or rename one")
        read[prompt.name] = prompt
    return tuple(read.values())


def prompt_names(prompts: str | Sequence[str]) -> list[str]:
    """Return the names and paths in a list of prompts, with those of `PROMPTS` in place of `all`."""
    names: list[str] = []
    for given in prompts.split(",") if isinstance(prompts, str) else prompts:
        name = given.strip()
        names += PROMPTS if name == ALL_PROMPTS else (name,)
    return names


def read_prompt(name: str | Path) -> Prompt:
    """Read one prompt.

    Args:
        name: One of `PROMPTS`, `TASK_PROMPT`, or the path of a TOML file; with `-2-3-1` after it, the prompt lists the
            labels in this order.
    """
    bundled = (*PROMPTS, TASK_PROMPT)
    path = FOLDER / f"{name}.toml" if name in bundled else Path(name)
    ordered = ORDERED.fullmatch(str(name))
    if ordered is not None and not path.is_file():
        return in_order(read_prompt(ordered["prompt"]), tuple(map(int, ordered["order"].split("-"))))
    if not path.is_file():
        choices = ", ".join((*bundled, ALL_PROMPTS))
        raise InputError(f"no prompt {str(name)!r}: give ⟦prompt⟧ one of {choices}, or the path of a TOML file")
    return parse_prompt(read_toml(path, "prompt"), str(path))


def parse_prompt(content: JsonObject, source: str) -> Prompt:
    """Return the prompt of the content of a TOML file.

    Args:
        content: The content.
        source: The file, for messages.
    """
    with valid(f"{source} is not a prompt: ⟦reason⟧"):
        prompt = PROMPT.validate_python(content)
    if prompt.reason_first and prompt.shots:
        raise InputError(
            f"{source} is not a prompt: shots is {prompt.shots}, but the answers that it shows have no reasons: "
            "remove it"
        )
    return prompt


def in_order(prompt: Prompt, order: tuple[int, ...]) -> Prompt:
    """Return a prompt that lists the labels in another order, which its name says."""
    return replace(prompt, name="-".join([prompt.name, *map(str, order)]), order=order)


def in_data_order(values: Iterable[Value], order: Sequence[int]) -> tuple[Value, ...]:
    """Return the values of labels, which are in the order of a prompt, in the order of the data set."""
    return tuple(value for _, value in sorted(zip(order, values, strict=True))) if order else tuple(values)
