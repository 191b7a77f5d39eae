"""Problems by the million, made of the words of the embedded problems: every seed the same file, no two lines alike."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from typing import TYPE_CHECKING

from generation.sentences.tagging import load_tagger, tag
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import NLI_LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PREMISES, HYPOTHESES = 40, 25
"""Of so many premises and hypotheses every pair is a problem; the next problems have others."""


def write_problems(path: Path, count: int) -> None:
    """Write problems as JSON lines.

    Args:
        path: The file.
        count: How many problems.
    """
    words = _words_by_class()
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, count, PREMISES * HYPOTHESES):
            draws = random.Random(first)
            for line in list(_pairs(words, draws))[: count - first]:
                file.write(line)


def _pairs(words: dict[str, list[str]], draws: random.Random) -> Iterator[str]:
    """Yield the lines of one group of pairs, which share a noun so that there is something to replace."""
    noun = draws.choice(words["noun"])
    premises = dict.fromkeys(_premise(noun, words, draws) for _ in range(2 * PREMISES))
    hypotheses = dict.fromkeys(_hypothesis(noun, words, draws) for _ in range(2 * HYPOTHESES))
    for premise in list(premises)[:PREMISES]:
        for hypothesis in list(hypotheses)[:HYPOTHESES]:
            problem = {"premise": premise, "hypothesis": hypothesis, "label": draws.choice(NLI_LABELS)}
            yield json.dumps(problem, ensure_ascii=False) + "\n"


def _premise(noun: str, words: dict[str, list[str]], draws: random.Random) -> str:
    one, other = draws.sample(words["adj"], 2)
    place, thing = draws.sample(words["noun"], 2)
    return f"The {one} {noun} {draws.choice(words['verb'])} near the {other} {place} with a {thing}."


def _hypothesis(noun: str, words: dict[str, list[str]], draws: random.Random) -> str:
    return (
        f"The {noun} {draws.choice(words['verb'])} beside a {draws.choice(words['adj'])} {draws.choice(words['noun'])}."
    )


def _words_by_class() -> dict[str, list[str]]:
    problems = read_problems(ProblemOptions(problems="demo:problems", id_column="id")).problems
    found: dict[str, set[str]] = defaultdict(set)
    for tagged in tag(problems, load_tagger()):
        for sentence in (tagged.premise, tagged.hypothesis):
            for token in sentence.tokens:
                if token.tag in {"NN", "VBZ", "JJ"} and token.word_class is not None:
                    found[token.word_class].add(token.text.lower())
    return {name: sorted(of_class) for name, of_class in found.items()}
