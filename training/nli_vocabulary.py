"""Select the vocabulary of a classifier."""

from __future__ import annotations

from pathlib import Path

from training.base import Base
from training.data import MNLI_DEV, SNLI_DEV, training_problems, unique_sentences
from training.vocabulary import count_pieces, cut_vocabulary

SNLI_WEIGHT = 3.0


def classifier_pieces(base: Base, data: Path, size: int) -> list[str]:
    """Return the most frequent pieces of the training text; SNLI sentences count three times."""
    sentences = dict.fromkeys(unique_sentences(training_problems(data, MNLI_DEV)), 1.0)
    sentences |= dict.fromkeys(unique_sentences(training_problems(data, SNLI_DEV)), SNLI_WEIGHT)
    return cut_vocabulary(base.tokenizer.get_vocab(), count_pieces(base, sentences), size)
