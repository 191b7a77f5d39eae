"""Prompts: how a language model is asked for the label of a problem, as TOML in `prompts/` or a file of the user."""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice, permutations
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from merge_snli.base.errors import REASON, InputError, explained, param
from merge_snli.base.files import read_toml, sha256_of_json
from merge_snli.dataset.label_spellings import TWO_WAY
from merge_snli.dataset.record import validation_errors
from merge_snli.dataset.texts import NLI_TEXTS, TextNames
from merge_snli.schema import NLI_LABELS

# What a prompt asks for. A letter alone is no answer to a prompt that asks for a word.
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

BETWEEN_PROBLEMS = "\n\n"
BEFORE_ANSWER = " "
# Output tokens: enough for short reasoning before one word, and for a prompt that asks for reasons.
MAX_TOKENS, MAX_TOKENS_WITH_REASONS = 1_024, 8_192

logger = logging.getLogger(__name__)

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
            raise InputError(f"{param('prompt')} has two prompts with the name {prompt.name}: remove or rename one")
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
        raise InputError(
            f"no prompt {str(name)!r}: give {param('prompt')} one of {choices}, or the path of a TOML file"
        )
    return parse_prompt(read_toml(path, "prompt"), str(path))


def parse_prompt(content: dict[str, Any], source: str) -> Prompt:
    """Return the prompt of the content of a TOML file.

    Args:
        content: The content.
        source: The file, for messages.
    """
    try:
        prompt = PROMPT.validate_python(content)
    except ValidationError as error:
        raise InputError(f"{source} is not a prompt: {': '.join(validation_errors(error)[0])}") from error
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


def in_orders(prompt: Prompt, labels: Sequence[str], orders: str | None) -> list[Prompt]:
    """Return a prompt in several orders of the labels, first in its own.

    Args:
        prompt: The prompt.
        labels: The labels of the data set.
        orders: One of `ORDERS`; None for its own order only.
    """
    if orders not in (None, *ORDERS):
        raise InputError(f"{param('orders')} is {orders!r}: choose one of {', '.join(ORDERS)}")
    numbers = tuple(range(1, len(labels) + 1))
    chosen: Iterable[tuple[int, ...]] = ()
    if orders == BALANCED:
        chosen = (numbers[start:] + numbers[:start] for start in numbers[:-1])
    elif orders == ALL_ORDERS:
        chosen = islice(permutations(numbers), 1, None)
    distinct: dict[str, Prompt] = {}
    for each in (prompt, *(in_order(prompt, order) for order in chosen)):
        distinct.setdefault(FilledPrompt(each, tuple(labels)).text("premise", "hypothesis"), each)
    if orders and len(distinct) == 1:
        logger.warning("the prompt %s does not list the labels, so it has only one order", prompt.name)
    return list(distinct.values())


@dataclass(frozen=True)
class Shot:
    """A problem that a prompt shows with its label."""

    premise: str
    hypothesis: str
    label: str


@dataclass(frozen=True)
class FilledPrompt:
    """A prompt with the labels of a data set and the problems that it shows, ready to ask.

    Attributes:
        prompt: The prompt.
        data_labels: The names of the labels in the order of the data set.
        shots: Problems with their labels, which are shown before the question.
        texts: What the two texts of a problem are called.
    """

    prompt: Prompt
    data_labels: tuple[str, ...]
    shots: tuple[Shot, ...] = ()
    texts: TextNames = NLI_TEXTS

    def __post_init__(self) -> None:
        """Check the prompt with a problem."""
        self._check_order()
        self._check_question()
        self._check_words()

    def _check_order(self) -> None:
        name, order = f"the prompt {self.prompt.name}", self.prompt.order
        if order and sorted(order) != [*range(1, len(self.data_labels) + 1)]:
            raise InputError(
                f"{name} has the order {'-'.join(map(str, order))}: give each number from 1 to "
                f"{len(self.data_labels)} once, for {', '.join(self.data_labels)}"
            )

    def _check_question(self) -> None:
        name = f"the prompt {self.prompt.name}"
        shown = self.question("first sentence", "second sentence")
        if "first sentence" not in shown or "second sentence" not in shown:
            raise InputError(f"{name} does not show the problem: use {{{{ premise }}}} and {{{{ hypothesis }}}}")
        if self.prompt.reason_first and self.shots:
            raise InputError(
                f"{name} asks for reasons, which the {len(self.shots)} shots do not have: give {param('shots')} 0"
            )

    def _check_words(self) -> None:
        name, labels = f"the prompt {self.prompt.name}", ", ".join(self.labels)
        asked = self.prompt.words
        if asked and asked.keys().isdisjoint(self.labels):
            raise InputError(
                f"{name} asks for {', '.join(asked.values())}, and the labels are {labels}: give {param('prompt')} "
                f"{TASK_PROMPT}, or a TOML file of this task"
            )
        unknown = asked.keys() - {*self.labels, *NLI_LABELS, *TWO_WAY}
        if unknown:
            raise InputError(f"{name} has a word for {min(unknown)!r}: the labels are {labels}")
        read = ["".join(filter(str.isalnum, word.casefold())) for word in self.words]
        letters = {letter.casefold(): word for (letter, _), word in zip(self.options, read, strict=True)}
        is_letter_of_another = any(letters.get(word, word) != word for word in read)
        if len(set(read)) < len(read) or "" in read or is_letter_of_another:
            raise InputError(
                f"the words of {name} for {labels} are {', '.join(map(repr, self.words))}: give each label a word of "
                "letters or digits that differs from the others in more than case, and is not the letter of another "
                "label"
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the labels in the order in which the prompt lists them, like what follows."""
        order = self.prompt.order
        return tuple(self.data_labels[number - 1] for number in order) if order else self.data_labels

    @property
    def words(self) -> tuple[str, ...]:
        """The word for each label."""
        return tuple(self.prompt.words.get(label, label) for label in self.labels)

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The letter and the word of each label."""
        return tuple((chr(ord("A") + number), word) for number, word in enumerate(self.words))

    @property
    def answers(self) -> tuple[str, ...]:
        """The right answer for each label, as the prompt asks for it: what ranked scoring compares."""
        forms = {"word": "{1}", "letter": "{0}", "json": '{{"answer": "{1}"}}'}
        return tuple(forms[self.prompt.answer].format(*option) for option in self.options)

    @property
    def continuations(self) -> tuple[str, ...]:
        """What follows `text` if a base model answers with each label."""
        return tuple(BEFORE_ANSWER + answer for answer in self.answers)

    def answer_for(self, label: str) -> str:
        """Return the right answer for a label."""
        return self.answers[self.labels.index(label)]

    @cached_property
    def system(self) -> str:
        """The text before the problems."""
        return self._render(self.prompt.system)

    @cached_property
    def shown(self) -> str:
        """The shots with their answers; they and `system` are the same before each question."""
        text = ""
        for shot in self.shots:
            text += self.question(shot.premise, shot.hypothesis)
            text += BEFORE_ANSWER + self.answer_for(shot.label) + BETWEEN_PROBLEMS
        return text

    def question(self, premise: str, hypothesis: str) -> str:
        """Return the text that asks about one problem, without `system` and shots."""
        return self._render(self.prompt.question, premise=premise, hypothesis=hypothesis)

    def messages(self, premise: str, hypothesis: str) -> list[dict[str, str]]:
        """Return the messages of a chat that ask about a problem: `system`, if there is one, and one of the user."""
        messages = [{"role": "user", "content": self.shown + self.question(premise, hypothesis)}]
        if self.system:
            messages.insert(0, {"role": "system", "content": self.system})
        return messages

    def text(self, premise: str, hypothesis: str) -> str:
        """Return the text that asks a base model, which goes on with `BEFORE_ANSWER` and the answer."""
        return BETWEEN_PROBLEMS.join(message["content"] for message in self.messages(premise, hypothesis))

    @property
    def digest(self) -> str:
        """A digest of everything that the prompt shows besides the problem, and of the answers that it asks for."""
        return sha256_of_json([self.messages("premise", "hypothesis"), self.answers])

    @property
    def record(self) -> dict[str, Any]:
        """What a log says about the prompt, for `merge-snli import`."""
        return {
            "prompt": self.prompt.name,
            "prompt_digest": self.digest,
            "prompt_toml": self.prompt.toml(),
            "shots": len(self.shots),
        }

    def markdown(self, premise: str, hypothesis: str) -> str:
        """Return everything that a model is asked about a problem, and the right answers, as a Markdown section."""
        section = f"## {self.prompt.name}\n\n{self.prompt.summary}\n\n"
        for message in self.messages(premise, hypothesis):
            section += f"```text\n{message['role']}:\n\n{message['content']}\n```\n\n"
        answers = ", ".join(f"`{answer}`" for answer in self.answers)
        return f"{section}Answers for {', '.join(self.labels)}: {answers}.\n"

    @property
    def stop(self) -> tuple[str, ...]:
        """Where a base model goes on with a problem of its own; empty if the prompt asks for reasons, or unknown.

        A blank line alone would cut off reasoning.
        """
        if self.prompt.reason_first:
            return ()
        lines = self.question("{", "{").splitlines()
        for number, line in enumerate(lines):
            start = line.partition("{")[0].strip()
            if start:
                return (f"\n\n{start}" if number == 0 else f"\n{start}",)
        return ()

    @property
    def max_tokens(self) -> int:
        """The largest number of output tokens."""
        return MAX_TOKENS_WITH_REASONS if self.prompt.reason_first else MAX_TOKENS

    def _render(self, template: str, **problem: str) -> str:
        values = {"words": self.words, "options": self.options, **self.texts._asdict(), **problem}
        errors = (TemplateError, ArithmeticError, LookupError, TypeError, ValueError)
        with explained(errors, f"cannot render the prompt {self.prompt.name}: {REASON}"):
            return _compiled(template).render(values).strip()


@lru_cache
def _compiled(template: str) -> Template:
    return SandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(template)
