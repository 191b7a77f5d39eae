"""Estimate the calls and input tokens of asking a language model, before anything is spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, reason
from merge_snli.base.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.language_models.prompts import Prompt
    from merge_snli.language_models.questions import Question

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Estimate:
    """The cost of asking some questions with one prompt.

    Attributes:
        prompt: Name of the prompt.
        shots: Number of shots.
        calls: Number of calls.
        input_tokens: Number of input tokens over all calls.
        counted: Whether a tokenizer counted the tokens; otherwise they are characters / 4.
    """

    prompt: str
    shots: int
    calls: int
    input_tokens: int
    counted: bool


def estimate(questions: Sequence[Question], prompt: Prompt, tokenizer: str | None = None) -> Estimate:
    """Count the calls and the input tokens of some questions.

    Args:
        questions: The questions.
        prompt: The prompt.
        tokenizer: Folder or Hub id of a tokenizer; None to count a token per four characters.

    Raises:
        InputError: If the tokenizer cannot be loaded.
    """
    texts = [prompt.render(question.premise, question.hypothesis) for question in questions]
    if tokenizer is None:
        tokens = sum(-(-len(text) // CHARACTERS_PER_TOKEN) for text in texts)
    else:
        tokens = _count(texts, tokenizer)
    return Estimate(prompt.name, len(prompt.shots), len(texts), tokens, tokenizer is not None)


def estimate_table(estimates: Sequence[Estimate]) -> Table:
    """Return the estimates as a table, one row per prompt."""
    tokens = "input tokens" if estimates[0].counted else "input tokens (characters / 4)"
    columns = (Column("prompt", align="left"), Column("shots"), Column("calls"), Column(tokens))
    rows = tuple((each.prompt, each.shots, each.calls, each.input_tokens) for each in estimates)
    return Table(columns=columns, rows=rows)


def _count(texts: Sequence[str], tokenizer: str) -> int:
    from transformers import AutoTokenizer

    try:
        loaded = AutoTokenizer.from_pretrained(tokenizer)
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot load the tokenizer {tokenizer}: {reason(error)}; give its folder or Hub id"
        ) from error
    return sum(map(len, loaded(list(texts))["input_ids"]))
