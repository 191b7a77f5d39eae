"""Masked LMs with scripted suggestions, and small data sets generated with them and random options."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from merge_snli.base.errors import InputError
from merge_snli.embedded import FOLDER
from merge_snli.schema import WORD_CLASSES
from tests.oracles import read_jsonl, write_rows
from tests.reference import scripted

WORDS = tuple(
    """
    man woman child girl boy dog person lady baby women kid car crowd family cat worker building player house bird
    walking playing running standing looking jumping sitting going moving riding eating swimming climbing working
    white black large big blue small old yellow green red dark little hot long young brown tall quickly slowly
    """.split()  # noqa: SIM905 - words are easier to read than a list of strings
)
"""The suggestions of the masked LMs: nouns, verbs, adjectives and adverbs."""

UNUSUAL_PROBLEMS = (
    {"premise": "A dog chases the dog's ball.", "hypothesis": "The dog has a red ball", "label": "neutral"},
    {"premise": "Dogs and cats run; dogs bark.", "hypothesis": "Some dogs run.", "label": "entailment"},
    {
        "premise": "\u201cA BOY\u201d sings to a girl\u2026",
        "hypothesis": "A BOY sings \U0001f600",
        "label": "contradiction",
    },
    {"premise": "He slowly eats a café crème.", "hypothesis": "He eats slowly: a crème", "label": "entailment"},
)


def save_masked_lms(folder: Path, *, count: int = 4) -> list[Path]:
    """Save masked LMs with two kinds of tokenizer, each with a random ranking of `WORDS` and the problems' words."""
    return [_save_masked_lm(folder / f"scripted-{number}", random.Random(number)) for number in range(count)]


def _save_masked_lm(folder: Path, rng: random.Random) -> Path:
    texts = [f"{problem['premise']} {problem['hypothesis']}" for problem in (*embedded_problems(), *UNUSUAL_PROBLEMS)]
    originals = {word.strip(".,;:") for word in " ".join(texts).lower().split()}
    ranking = rng.sample(WORDS, len(WORDS))
    for word in sorted(originals.difference(WORDS)):
        ranking.insert(rng.randrange(10, len(ranking) + 1), word)
    if rng.random() < 0.5:
        tokenizer = scripted.wordpiece([*ranking, *"abcdefghijklmnopqrstuvwxyz.,;:'"], lowercase=True)
        return scripted.save(folder, tokenizer, ranking, step=0.01)
    spaced = [f" {word}" for word in ranking]
    return scripted.save(folder, scripted.byte_bpe([*spaced, *ranking]), spaced, step=0.01)


def embedded_problems() -> list[dict[str, str]]:
    return read_jsonl(FOLDER / "problems.jsonl")


def random_run(number: int, folder: Path, mlms: list[Path]) -> Path:
    """Generate a data set with random options, and fewer variants per seed if there are not enough.

    Args:
        number: The random seed.
        folder: An empty folder for the problems, the work folder and the data set.
        mlms: The result of `save_masked_lms`.

    Returns:
        The data set's folder.
    """
    rng = random.Random(number)
    problems = [*rng.sample(embedded_problems(), 5), *rng.sample(UNUSUAL_PROBLEMS, 2)]
    for index, problem in enumerate(problems):
        problem |= {"id": f"p{rng.randrange(1_000):03}-{index}", "genre": rng.choice(("fiction", "travel, 'odd'", ""))}
    path = write_rows(folder / "problems.jsonl", problems)
    options = Options(
        problems=str(path),
        mlm=tuple(map(str, rng.sample(mlms, rng.randint(1, 3)))),
        id_column=rng.choice((None, "id")),
        classes=tuple(rng.sample(WORD_CLASSES, rng.randint(2, 4))),
        top_k=rng.choice((15, 30)),
        subsamples=rng.randint(1, 4),
        random_seed=rng.randrange(1_000_000),
        **random_options(rng),
    )
    for inflation in (rng.randint(2, 8), 1):
        try:
            return run_pipeline(replace(options, inflation=inflation), folder / "merge_snli").folder
        except InputError as error:
            if "variants in a word class" not in str(error):
                raise
    return random_run(number + 100_000, folder, mlms)


def random_options(rng: random.Random) -> dict[str, Any]:
    """Return random options of the method; most keep their defaults."""
    others = {
        "sides": ("union",),
        "filters": (("prob",), ("pos",), ()),
        "scramble": (True,),
        "ignore_case": (True,),
        "keep_column": (("genre",), ("genre", "id")),
        "mask": ("all",),
        "split_words": (True,),
    }
    return {name: rng.choice(values) for name, values in others.items() if rng.random() < 0.3}


VALID_RUN = 2
"""Random seed of the run: two classes, two masked LMs, three subsamples, a kept column, the default filters."""


@pytest.fixture(scope="session")
def masked_lms(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return save_masked_lms(tmp_path_factory.mktemp("mlms"))


@pytest.fixture(scope="session")
def valid_set(masked_lms: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_run(VALID_RUN, tmp_path_factory.mktemp("valid"), masked_lms)
