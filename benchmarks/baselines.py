"""Score simple baselines: the majority class, the hypothesis only, and word overlap.

    python -m benchmarks.baselines --train dev.jsonl --dataset merge_snli --out results/

The baselines are fitted on the problems of `--train`; do not use the problems that the data set was generated from.
Results are written to `--out` in the format of `merge-snli score`, so that they can be compared with those of models.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from merge_snli import score
from merge_snli.models.labels import Pair
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.scoring.result import Result
from merge_snli.scoring.score_table import score_table

Baseline = Callable[[Sequence["Pair"]], list[str]]
WORD = re.compile(r"\w+")
ITERATIONS = 1_000


def main() -> None:
    """Fit and score the baselines, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--train", required=True, metavar="FILE", help="training problems, in any form that merge-snli generate accepts"
    )
    parser.add_argument(
        "--dataset", required=True, metavar="DIR|ID", help="MERGE data set, Simple Pair or Extended Pair"
    )
    parser.add_argument("--config", default="all", help="config of the data set (default: %(default)s)")
    parser.add_argument(
        "--out", required=True, metavar="DIR", type=Path, help="results folder, one JSON file per baseline"
    )
    parser.add_argument("--source", metavar="FILE|ID|recorded", help="as for merge-snli score")
    arguments = parser.parse_args()
    pairs, labels = training_pairs(arguments.train)
    results: list[Result] = [
        score(
            baseline,
            arguments.dataset,
            config=arguments.config,
            source=arguments.source,
            out=arguments.out,
            name=name,
        )
        for name, baseline in baselines(pairs, labels).items()
    ]
    sys.stdout.write(score_table(results).text())


def training_pairs(problems: str) -> tuple[list[Pair], list[str]]:
    """Read the pairs and gold labels of a problem file."""
    read = read_problems(ProblemOptions(problems=problems))
    pairs = [(problem.premise, problem.hypothesis) for problem in read.problems]
    return pairs, [read.label_names[problem.label] for problem in read.problems]


def baselines(pairs: Sequence[Pair], labels: Sequence[str]) -> dict[str, Baseline]:
    """Fit the baselines.

    Args:
        pairs: Premises and hypotheses, [n].
        labels: Their gold labels, [n].

    Returns:
        Functions from pairs to labels, by name.
    """
    return {
        "majority class": majority_class(labels),
        "hypothesis only": hypothesis_only(pairs, labels),
        "word overlap": word_overlap(pairs, labels),
    }


def majority_class(labels: Sequence[str]) -> Baseline:
    """Return a function that always predicts the most common training label."""
    (most_common, _), *_ = Counter(labels).most_common(1)
    return lambda pairs: [most_common] * len(pairs)


def hypothesis_only(pairs: Sequence[Pair], labels: Sequence[str]) -> Baseline:
    """Fit logistic regression on the unigrams and bigrams of the hypothesis."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    classifier = make_pipeline(
        CountVectorizer(ngram_range=(1, 2), min_df=2, binary=True, token_pattern=r"\w+"),
        LogisticRegression(max_iter=ITERATIONS),
    )
    classifier.fit([hypothesis for _, hypothesis in pairs], labels)
    return lambda tested: list(map(str, classifier.predict([hypothesis for _, hypothesis in tested])))


def word_overlap(pairs: Sequence[Pair], labels: Sequence[str]) -> Baseline:
    """Fit logistic regression on the word overlap and the lengths of premise and hypothesis."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=ITERATIONS))
    classifier.fit(overlaps(pairs), labels)
    return lambda tested: list(map(str, classifier.predict(overlaps(tested))))


def overlaps(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return the share of each sentence's words that the other contains, and both numbers of words, [n, 4]."""
    return np.array([_overlap(*map(_words, pair)) for pair in pairs])


def _overlap(premise: frozenset[str], hypothesis: frozenset[str]) -> tuple[float, float, int, int]:
    shared = len(premise & hypothesis)
    return shared / max(1, len(hypothesis)), shared / max(1, len(premise)), len(premise), len(hypothesis)


def _words(sentence: str) -> frozenset[str]:
    return frozenset(WORD.findall(sentence.casefold()))


if __name__ == "__main__":
    main()
