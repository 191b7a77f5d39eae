"""What a language model replied to a question, once or several times, and the label that counts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# Why no label is read in a reply: it was cut at the limit of output tokens, it is a refusal, or neither.
CUT, REFUSED, UNREADABLE = UNREAD_KINDS = ("cut", "refused", "unreadable")


@dataclass(frozen=True)
class Reply:
    """What a language model replied to a question.

    Attributes:
        label: The label; None if none can be read.
        text: What it wrote; empty if it ranked the labels.
        kind: Why no label is read, one of `UNREAD_KINDS`; None if one is.
        log_likelihoods: The log-likelihood of the answer for each label of the data; empty if it wrote an answer.
    """

    label: str | None
    text: str = ""
    kind: str | None = None
    log_likelihoods: tuple[float, ...] = ()


def majority(replies: Sequence[Reply]) -> str | None:
    """Return the most frequent label of several replies, the one given first of a tie; None if none has a label."""
    labels = Counter(reply.label for reply in replies if reply.label is not None)
    return max(labels, key=labels.__getitem__, default=None)


def agreement(replies: Sequence[Reply]) -> float:
    """Return the share of replies with the label of the majority; 0 if none has a label."""
    label = majority(replies)
    return sum(label is not None and reply.label == label for reply in replies) / len(replies)
