"""Prompts with the labels of a data set and problems that they show: the texts and messages that ask a model."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, permutations

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.dataset.label_spellings import TWO_WAY, Labels
from merge_snli.dataset.texts import NLI_TEXTS, TextNames
from merge_snli.models.prompts import ALL_ORDERS, BALANCED, ORDERS, TASK_PROMPT, Prompt, in_order
from merge_snli.schema import NLI_LABELS

BETWEEN_PROBLEMS = "\n\n"
BEFORE_ANSWER = " "
# Output tokens: enough for short reasoning before one word, and for a prompt that asks for reasons.
MAX_TOKENS, MAX_TOKENS_WITH_REASONS = 1_024, 8_192

logger = logging.getLogger(__name__)


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
    data_labels: Labels
    shots: tuple[Shot, ...] = ()
    texts: TextNames = NLI_TEXTS

    def __post_init__(self) -> None:
        """Check the prompt with a problem."""
        self._check_order()
        self._check_question()
        self._check_words()

    def _check_order(self) -> None:
        name = f"the prompt {self.prompt.name}"
        order = self.prompt.order
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
            raise InputError(f"{name} asks for reasons, which the {len(self.shots)} shots do not have: give ⟦shots⟧ 0")

    def _check_words(self) -> None:
        name = f"the prompt {self.prompt.name}"
        labels = ", ".join(self.labels)
        asked = self.prompt.words
        if asked and asked.keys().isdisjoint(self.labels):
            raise InputError(
                f"{name} asks for {', '.join(asked.values())}, and the labels are {labels}: give ⟦prompt⟧ "
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
    def labels(self) -> Labels:
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
    def record(self) -> JsonObject:
        """What a log says about the prompt, for `merge-snli import`."""
        return {
            "prompt": self.prompt.name,
            "prompt_digest": self.digest,
            "prompt_toml": self.prompt.toml(),
            "shots": len(self.shots),
        }

    def markdown(self, premise: str, hypothesis: str) -> str:
        """Return the messages about a problem, and the right answers, as a Markdown section."""
        section = f"## {self.prompt.name}\n\n{self.prompt.summary}\n\n"
        for message in self.messages(premise, hypothesis):
            section += f"```text\n{message['role']}:\n\n{message['content']}\n```\n\n"
        answers = ", ".join(f"`{answer}`" for answer in self.answers)
        return f"{section}Answers for {', '.join(self.labels)}: {answers}.\n"

    @property
    def stop(self) -> tuple[str, ...]:
        """The texts with which a base model begins a problem of its own; empty if the prompt asks for reasons.

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
        with explained(errors, f"cannot render the prompt {self.prompt.name}: ⟦reason⟧"):
            return _compiled(template).render(values).strip()


@lru_cache
def _compiled(template: str) -> Template:
    return SandboxedEnvironment(undefined=StrictUndefined, autoescape=False).from_string(template)


def in_orders(prompt: Prompt, labels: Sequence[str], orders: str | None) -> list[Prompt]:
    """Return a prompt in several orders of the labels, first in its own.

    Args:
        prompt: The prompt.
        labels: The labels of the data set.
        orders: One of `ORDERS`; None for its own order only.
    """
    if orders not in (None, *ORDERS):
        raise InputError(f"⟦orders⟧ is {orders!r}: choose one of {', '.join(ORDERS)}")
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
