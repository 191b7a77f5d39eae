"""Make pairs of several length profiles from a file of problems."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from merge_snli.models.labels import Pair

LONG_PREMISE = (250, 600)
"""Smallest and largest number of characters of a long premise, as in ANLI."""

VARIANTS_PER_PAIR = 20


def read_pairs(path: Path, limit: int) -> list[Pair]:
    """Return up to `limit` distinct pairs of a JSON lines file, at regular intervals."""
    lines = path.read_text(encoding="utf-8").splitlines()
    problems = [json.loads(line) for line in lines[:: max(1, len(lines) // limit)][:limit]]
    return list(dict.fromkeys((problem["premise"], problem["hypothesis"]) for problem in problems))


def long_premises(pairs: Sequence[Pair]) -> list[Pair]:
    """Join premises until they have a random number of characters in `LONG_PREMISE`; hypotheses stay."""
    rng = random.Random(0)
    premises = [premise for premise, _ in pairs]
    long: list[Pair] = []
    for index, (_, hypothesis) in enumerate(pairs):
        length = rng.randint(*LONG_PREMISE)
        text = ""
        while len(text) < length:
            text = f"{text} {premises[index % len(premises)]}".strip()
            index += 1
        long.append((text[:length].rpartition(" ")[0], hypothesis))
    return long


def variants_of(pairs: Sequence[Pair]) -> list[Pair]:
    """Return as many pairs: the first ones with one random word of the premise replaced `VARIANTS_PER_PAIR` times."""
    rng = random.Random(0)
    words = [word for premise, _ in pairs for word in premise.split() if word.isalpha() and word.islower()]
    variants: list[Pair] = []
    for premise, hypothesis in pairs[: max(1, len(pairs) // VARIANTS_PER_PAIR)]:
        tokens = premise.split()
        index = rng.randrange(len(tokens))
        for word in rng.choices(words, k=VARIANTS_PER_PAIR):
            variants.append((" ".join([*tokens[:index], word, *tokens[index + 1 :]]), hypothesis))
    return list(dict.fromkeys(variants))
