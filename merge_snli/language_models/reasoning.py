"""Cut reasoning, special tokens and further problems off a language model's answer."""

from __future__ import annotations

import re
from itertools import pairwise

TAGS = r"think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
OPENING = re.compile(
    rf"<(?:{TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<unused94>", re.IGNORECASE
)
CLOSING = re.compile(
    rf"</(?:{TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<unused95>", re.IGNORECASE
)
REASONING = re.compile(rf"(?:{OPENING.pattern}).*?(?:{CLOSING.pattern})", re.DOTALL | re.IGNORECASE)
CHANNEL = "<|channel|>"
FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\b.*?<\|message\|>|\Aanalysis.*assistantfinal", re.DOTALL)
"""The last channel of the harmony format, also when a server has removed its special tokens."""
START_OF_TURN = re.compile(
    r"\A\s*(?:<\|im_start\|>|<\|start_header_id\|>)?\s*assistant\b(?:<\|end_header_id\|>)?\s*", re.I
)
END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|return|END_RESPONSE|end_of_solution|eom_id|user)\|>"
    r"|</s>|<end_of_turn>|<eos>|<\uff5cend▁of▁sentence\uff5c>"
)
TOKEN = re.compile(r"<\|[^|<>]*\|>|<s>|<bos>|<start_of_turn>(?:model)?")
HYPOTHESIS = re.compile(r"[#*_\s]*hypothesis", re.IGNORECASE)
NEW_PROBLEM = re.compile(
    r"^[#*_\s]*(?:\d+[.)]\s*)?(?:premise|hypothesis|question|q|problem|example|instruction|input|human|user)(?:\s*\d+)?[*_]*\s*:"
    r"|^how does the hypothesis relate\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Where a base model goes on with a problem of its own, or a chat model repeats the one that it was given."""


def without_reasoning(text: str) -> str:
    """Return what a model says to the user; empty if its reasoning does not end.

    The reasoning may lack its opening tag, because many chat templates end with that.

    Examples:
        >>> without_reasoning("It may be entailment.</think>neutral")
        'neutral'
        >>> without_reasoning("<think>It may be entailment.")
        ''
    """
    final = [*FINAL_CHANNEL.finditer(text)]
    if final:
        text = text[final[-1].end() :]
    elif CHANNEL in text:
        return ""
    text = REASONING.sub("\n", text)
    closing = [*CLOSING.finditer(text)]
    if closing:
        text = text[closing[-1].end() :]
    if OPENING.search(text):
        return ""
    text = END_OF_TURN.split(START_OF_TURN.sub("", text), maxsplit=1)[0]
    return TOKEN.sub("", text).strip()


def parts_by_problem(text: str) -> list[str]:
    r"""Split a text before each problem that it shows, so that no answer is read from a later, invented problem.

    A problem without a premise or a hypothesis has no answer and is left out.

    Examples:
        >>> parts_by_problem("neutral\n\nPremise: A dog.\nHypothesis: A cat.\nAnswer: entailment")
        ['neutral', 'Premise: A dog.\nHypothesis: A cat.\nAnswer: entailment']
    """
    starts = [0, *(match.start() for match in NEW_PROBLEM.finditer(text)), len(text)]
    parts: list[str] = []
    for start, end in pairwise(starts):
        part = text[start:end]
        if parts and HYPOTHESIS.match(part) and "premise" in parts[-1].lower():
            parts[-1] += part  # of the same problem
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip() and (not NEW_PROBLEM.match(part) or _is_whole(part))]


def _is_whole(problem: str) -> bool:
    return all(word in problem.lower() for word in ("premise", "hypothesis"))
