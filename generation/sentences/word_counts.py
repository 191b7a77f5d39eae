"""Count the problems that share a word of each class, and the words (the paper's Table 4)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from generation.sentences.tagging import TaggedProblem
from generation.sentences.words import LEFT_OUT, SharedWord
from merge_snli.dataset.record import WordCounts
from merge_snli.schema import WORD_CLASSES


def count_words(
    words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> dict[str, WordCounts]:
    """Count the problems that share a word of each class (the paper's Table 4).

    Args:
        words: Tagged problems with their shared words, including those that cannot be replaced.
        label_names: Label names in the order of their numbers.
    """
    return {name: _count_class(name, words, label_names) for name in WORD_CLASSES}


def add_word_counts(total: Mapping[str, WordCounts], more: Mapping[str, WordCounts]) -> dict[str, WordCounts]:
    """Return the sum of two results of `count_words`; `total` may be empty."""
    return {name: _sum(total[name], counts) if name in total else counts for name, counts in more.items()}


def _sum(first: WordCounts, second: WordCounts) -> WordCounts:
    """Add each number, and each number in a mapping; both have the same keys."""
    added: dict[str, Any] = {}
    for name, value in vars(first).items():
        more = getattr(second, name)
        if isinstance(value, dict):
            added[name] = {key: count + more[key] for key, count in value.items()}
        else:
            added[name] = value + more
    return WordCounts(**added)


def _count_class(
    name: str, words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> WordCounts:
    problems_after = 0
    labels: Counter[str] = Counter()
    reasons: Counter[str | None] = Counter()
    for tagged, of_problem in words:
        of_class = [word.left_out for word in of_problem if word.word_class == name]
        reasons.update(of_class)
        if of_class:
            labels[label_names[tagged.problem.label]] += 1
        if None in of_class:
            problems_after += 1
    return WordCounts(
        problems=labels.total(),
        labels={label: labels[label] for label in label_names},
        words=reasons.total(),
        left_out={reason: reasons[reason] for reason in LEFT_OUT},
        problems_after=problems_after,
        words_after=reasons[None],
    )
