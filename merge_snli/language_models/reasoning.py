"""Cut off what a model does not say to the user: reasoning, other channels, special tokens."""

import re
from collections.abc import Sequence

TAGS = r"think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad|seed:think"
OPENING = re.compile(
    rf"<(?:{TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|START_THINKING\|>|<unused94>", re.IGNORECASE
)
CLOSING = re.compile(
    rf"</(?:{TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|END_THINKING\|>|<unused95>", re.IGNORECASE
)
CHANNEL = "<|channel|>"
# The last channel of the harmony format, also when a server has removed its special tokens.
FINAL_CHANNEL = re.compile(
    r"<\|channel\|>\s*final\b(?:(?!<\|channel\|>\s*final\b).)*?<\|message\|>|\Aanalysis.*assistantfinal", re.DOTALL
)
# The start of the turn, all after its end, and special tokens.
TURN = (
    (r"\A\s*(?:<\|im_start\|>|<\|start_header_id\|>)?\s*assistant\b(?:<\|end_header_id\|>)?\s*", ""),
    (
        r"(?s:(?:<\|(?:im_end|im_start|eot_id|end_of_text|endoftext|end|return|END_RESPONSE|end_of_solution|eom_id|user)\|>"
        r"|</s>|<end_of_turn>|<eos>|<\uff5cend▁of▁sentence\uff5c>).*)",
        "",
    ),
    (r"<\|[^|<>]*\|>|\[/?INST\]|<s>|<bos>|<start_of_turn>(?:model)?", ""),
)


def without_reasoning(text: str) -> str:
    """Return what a model says to the user; empty if its reasoning does not end.

    The reasoning may lack its opening tag, because many chat templates end with that.

    Examples:
        >>> without_reasoning("It may be entailment.</think>neutral")
        'neutral'
        >>> without_reasoning("<think>It may be entailment.")
        ''
    """
    *reasoning, text = FINAL_CHANNEL.split(text)
    text = CLOSING.split(_without_closed(text))[-1]
    if OPENING.search(text) or (CHANNEL in text and not reasoning):
        return ""
    return replaced(text.strip(), TURN).strip()


def is_unfinished(text: str) -> bool:
    """Return whether a text without an answer is reasoning that does not end."""
    begins = OPENING.search(text) is not None or CHANNEL in text
    return begins and CLOSING.search(text) is None


def _without_closed(text: str) -> str:
    """Return a text with a line break in place of each reasoning that ends."""
    kept = []
    start = 0
    while (opening := OPENING.search(text, start)) and (closing := CLOSING.search(text, opening.end())):
        kept.append(text[start : opening.start()])
        start = closing.end()
    return "\n".join([*kept, text[start:]])


def replaced(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    """Return a text in which patterns are replaced, one after the other."""
    for pattern, replacement in patterns:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE | re.MULTILINE)
    return text
