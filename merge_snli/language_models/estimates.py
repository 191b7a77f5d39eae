"""Estimate what it takes to ask a language model: calls, tokens and their cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from merge_snli.answers.data import ID_COLUMNS
from merge_snli.base.errors import explained
from merge_snli.base.files import JsonObject
from merge_snli.base.table import Column, Table
from merge_snli.language_models.questions import Question
from merge_snli.models.filled_prompt import FilledPrompt
from merge_snli.statistics import proportion_interval

CHARACTERS_PER_TOKEN = 4
# Per call, if a prompt asks for reasons and the user does not say how many.
REASONING_TOKENS = 200
# The values of PA for which an estimate shows the expected interval.
ASSUMED_ACCURACIES = (0.5, 0.9)


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What an estimate assumes.

    Attributes:
        tokenizer: Folder or Hub id of a tokenizer, whose chat template is counted, too; None to count a token per four
            characters.
        reasoning_tokens: Output tokens of reasoning per call; None for 200 if a prompt asks for reasons, otherwise 0.
        input_price: Price of a million input tokens; None if unknown, like the next one.
        output_price: Price of a million output tokens, of which reasoning is a part.
    """

    tokenizer: str | None = None
    reasoning_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None

    @cached_property
    def loaded(self) -> Any:  # noqa: ANN401 - its methods are untyped
        """The tokenizer; None if there is none."""
        if self.tokenizer is None:
            return None
        from transformers import AutoTokenizer

        message = f"cannot load the tokenizer {self.tokenizer}: ⟦reason⟧; give its folder or Hub id"
        with explained((OSError, ValueError), message):
            return AutoTokenizer.from_pretrained(self.tokenizer)

    def tokens(self, texts: Sequence[str], *, special: bool = True) -> int:
        """Count the tokens of all texts.

        Args:
            texts: The texts.
            special: Whether the tokenizer adds its special tokens.
        """
        if self.loaded is None:
            return sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
        return sum(map(len, self.loaded(list(texts), add_special_tokens=special)["input_ids"]))

    def calls_and_cost(self, calls: int, input_tokens: int, output_tokens: int, reasoning: int = 0) -> JsonObject:
        """Return the number of calls, their tokens of each kind, and their cost, or None without both prices.

        Args:
            calls: The number of calls.
            input_tokens: Tokens of all questions.
            output_tokens: Tokens of all answers.
            reasoning: Tokens of reasoning per call if the user does not say how many.
        """
        reasoning_tokens = calls * (reasoning if self.reasoning_tokens is None else self.reasoning_tokens)
        cost = None
        if self.input_price is not None and self.output_price is not None:
            written = output_tokens + reasoning_tokens
            cost = (self.input_price * input_tokens + self.output_price * written) / 1_000_000
        return {
            "calls": calls,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "reasoning_tokens": reasoning_tokens,
            "cost": cost,
        }


def estimate(questions: Sequence[Question], prompt: FilledPrompt, assumed: Assumptions) -> JsonObject:
    """Estimate what it takes to ask some questions.

    Args:
        questions: The questions.
        prompt: The prompt.
        assumed: What the estimate assumes.

    Returns:
        The name of the prompt, its number of shots, the number of calls, those of input, output and reasoning tokens
        over all calls, and the cost, or None without both prices.
    """
    pairs = [(question.premise, question.hypothesis) for question in questions]
    if assumed.loaded is None:
        texts = [prompt.text(*pair) for pair in pairs]
        tokens = assumed.tokens(texts)
    else:
        from merge_snli.models.runner.causal_lm import shown_text

        texts = [shown_text(prompt, pair, assumed.loaded) for pair in pairs]
        tokens = assumed.tokens(texts, special=not assumed.loaded.chat_template)  # which writes them
    answers = -(-len(pairs) * assumed.tokens(prompt.answers) // len(prompt.answers))
    reasoning = REASONING_TOKENS if prompt.prompt.reason_first else 0
    taken = assumed.calls_and_cost(len(pairs), tokens, answers, reasoning)
    return {"prompt": prompt.prompt.name, "shots": len(prompt.shots), **taken}


def half_widths(questions: Sequence[Question]) -> JsonObject:
    """Return the number of seeds or groups with rows among some questions, and what their number says about PA.

    Returns:
        `seeds`, and `half_widths`: half the width of the 95% Wilson score interval of PA over so many seeds, by PA.
    """
    groups = set()
    for question in questions:
        for use in question.uses:
            if not use.keys().isdisjoint(ID_COLUMNS):
                groups.add(use.get("seed_id", use.get("group_id")))
    widths = {}
    if groups:
        for accuracy in ASSUMED_ACCURACIES:
            interval = proportion_interval(round(accuracy * len(groups)), len(groups))
            widths[str(accuracy)] = (interval.high - interval.low) / 2
    return {"seeds": len(groups), "half_widths": widths}


def estimate_table(estimates: Sequence[JsonObject], expected: JsonObject, tokenizer: str | None) -> Table:
    """Return the estimates as a table, one row per prompt.

    Args:
        estimates: At least one estimate.
        expected: The result of `half_widths`; empty for other questions than those on labels.
        tokenizer: What counted the tokens, as in `Assumptions`.
    """
    counted = "" if tokenizer else f" (a token per {CHARACTERS_PER_TOKEN} characters)"
    fields = list(estimates[0])
    if estimates[0]["cost"] is None:
        fields.remove("cost")
    columns = [Column(name.replace("_", " "), format=",.2f" if name == "cost" else None) for name in fields]
    columns[0] = replace(columns[0], align="left")
    rows = [tuple(row[field] for field in fields) for row in estimates]
    notes = [f"Output tokens: those of the answers{counted}; reasoning tokens are assumed, not counted."]
    widths = ", ".join(f"±{100 * width:.1f} points at {at}" for at, width in expected.get("half_widths", {}).items())
    if widths:
        notes.append(f"Expected 95% interval of PA with {expected['seeds']:,} seeds: {widths}.")
    return Table(columns=columns, rows=rows, notes=notes)
