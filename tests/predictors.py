"""What models predict for pairs, and predictors that compute logits from the texts of a pair."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from merge_snli.base.arrays import Floats32, Ints
from merge_snli.models.labels import ModelFacts, Pair
from merge_snli.models.runner.encoded import Encoded, Predictor, Shard
from merge_snli.scoring.predict import predict_pairs
from tests.oracles import known

PAIR, PAIRS_PER_SHARD = "pair", 7


def logits_of(predictor: Predictor, pairs: Sequence[Pair]) -> Floats32:
    """Return the logits of pairs, [n, n_outputs]."""
    predictions, _ = predict_pairs(lambda: predictor, pairs, None)
    return known(predictions.logits)


def tokens_of(predictor: Predictor, pairs: Sequence[Pair]) -> list[int]:
    """Return the number of tokens of each pair."""
    encoded = predictor.encode(pairs)
    return [int(length) + encoded.added for length in encoded.lengths]


class Rule(Predictor):
    """Computes logits from the texts of a pair, in shards of seven pairs; the words of the premise are its tokens."""

    def __init__(self, rule: Callable[[Pair], Sequence[float]], n_outputs: int, max_length: int | None = None) -> None:
        """Start without predicted pairs.

        Args:
            rule: Returns the logits of a pair.
            n_outputs: Their number.
            max_length: Maximum number of words of a premise.
        """
        self.facts = ModelFacts("Rule", 0, max_length=max_length)
        self.n_outputs = n_outputs
        self.predicted: Counter[Pair] = Counter()
        self._rule = rule

    def encode(self, pairs: Sequence[Pair]) -> Encoded:
        """Count the words of premises."""
        lengths = np.array([len(premise.split()) for premise, _ in pairs], np.int64)
        column = np.empty(len(pairs), object)
        column[:] = pairs
        return Encoded({}, lengths.cumsum() - lengths, lengths, columns={PAIR: column})

    def run(self, encoded: Encoded, rows: Ints) -> Iterator[Shard]:
        """Apply the rule."""
        for start in range(0, len(rows), PAIRS_PER_SHARD):
            some = rows[start : start + PAIRS_PER_SHARD]
            pairs = encoded.columns[PAIR][some].tolist()
            self.predicted.update(pairs)
            yield some, [np.array([self._rule(pair) for pair in pairs], np.float32)]
