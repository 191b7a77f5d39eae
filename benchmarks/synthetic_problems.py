"""Write any number of distinct synthetic problems made from the words of the bundled problems."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from generation.sentences.tagging import tag
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS

PREMISES, HYPOTHESES = 40, 25
"""Premises and hypotheses of a group; every pair of them is a problem."""


def write_problems(path: Path, count: int) -> None:
    """Write problems as JSON lines. The result depends on `count` only.

    Args:
        path: The file to write.
        count: The number of problems.
    """
    words = _words_by_class()
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, count, PREMISES * HYPOTHESES):
            rng = random.Random(first)
            for line in list(_pairs(words, rng))[: count - first]:
                file.write(line)


def _pairs(words: dict[str, list[str]], rng: random.Random) -> Iterator[str]:
    """Yield the lines of one group of pairs; all pairs share a noun that can be replaced."""
    noun = rng.choice(words["noun"])
    premises = dict.fromkeys(_premise(noun, words, rng) for _ in range(2 * PREMISES))
    hypotheses = dict.fromkeys(_hypothesis(noun, words, rng) for _ in range(2 * HYPOTHESES))
    for premise in list(premises)[:PREMISES]:
        for hypothesis in list(hypotheses)[:HYPOTHESES]:
            problem = {"premise": premise, "hypothesis": hypothesis, "label": rng.choice(NLI_LABELS)}
            yield json.dumps(problem, ensure_ascii=False) + "\n"


def _premise(noun: str, words: dict[str, list[str]], rng: random.Random) -> str:
    one, other = rng.sample(words["adj"], 2)
    site, thing = rng.sample(words["noun"], 2)
    return f"The {one} {noun} {rng.choice(words['verb'])} near the {other} {site} with a {thing}."


def _hypothesis(noun: str, words: dict[str, list[str]], rng: random.Random) -> str:
    return f"The {noun} {rng.choice(words['verb'])} beside a {rng.choice(words['adj'])} {rng.choice(words['noun'])}."


def _words_by_class() -> dict[str, list[str]]:
    problems = read_problems(ProblemOptions(problems="demo:problems", id_column="id")).problems
    by_class: dict[str, set[str]] = defaultdict(set)
    for tagged in tag(problems, find_tagger()):
        for sentence in (tagged.premise, tagged.hypothesis):
            for token in sentence.tokens:
                if token.tag in {"NN", "VBZ", "JJ"} and token.word_class is not None:
                    by_class[token.word_class].add(token.text.lower())
    return {name: sorted(words) for name, words in by_class.items()}
