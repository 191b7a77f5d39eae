"""Write a data set of any size with made-up sentences, and results of models with made-up answers.

The variants go through the writer of `generation` and the answers through `score`, so the files are those of
`generate` and `score`. A seed has one shared noun, and a few hard seeds have fewer right answers than the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from generation.options import Options
from generation.output.write_data import write_data
from generation.replacements.combine import Replacement
from generation.sentences.words import SharedWord
from generation.variants import Variant, subsample_all, variant_rows
from merge_snli import score
from merge_snli.card.dataset_folder import card_and_record, data_record
from merge_snli.dataset.record_file import read_record
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.embedded import FOLDER
from merge_snli.models.labels import Pair
from merge_snli.problems.problem import Problem
from merge_snli.schema import ALL, NLI_LABELS, SEED, TEST, data_file, features

WORD, WORD_CLASS = "thing", "noun"
BEFORE = "The "

INFLATION = 20

SEEDS_PER_PART = 500


def write_dataset(folder: Path, *, seeds: int, variants: int) -> None:
    """Write a data set.

    Args:
        folder: The folder to create.
        seeds: The number of seeds.
        variants: The number of variants of each seed, at least `INFLATION`.
    """
    record = read_record(FOLDER.parent / RUN_FILE)
    mlm = tuple(record.options["mlm"])
    options = Options(
        problems="demo:problems", id_column="id", mlm=mlm, classes=(WORD_CLASS,), inflation=INFLATION, filters=("prob",)
    )
    variant_files: list[Path] = []
    seed_files: list[Path] = []
    folder.mkdir(parents=True)
    with TemporaryDirectory() as parts:
        for first in range(0, seeds, SEEDS_PER_PART):
            problems = [_problem(number) for number in range(first, min(seeds, first + SEEDS_PER_PART))]
            variant_files.append(Path(parts, f"variants-{first}.parquet"))
            seed_files.append(Path(parts, f"seeds-{first}.parquet"))
            made = [variant for problem in problems for variant in _variants(problem, variants, options.mlm)]
            pq.write_table(variant_rows(subsample_all(made, options), options, NLI_LABELS), variant_files[-1])
            pq.write_table(_seed_rows(problems, variants, options), seed_files[-1])
        configs = write_data(folder, variant_files, seed_files, options, NLI_LABELS)
    data = data_record(folder, configs)
    record = replace(record, title="made-up data", options=options.as_dict(), configs=configs, data=data)
    for name, content in card_and_record(record, folder).items():
        (folder / name).write_bytes(content)


def _problem(number: int) -> Problem:
    ending = "is here, and it is" + " very" * (number % 8) + " old"
    premise = f"{BEFORE}{WORD} of problem {number} {ending}."
    hypothesis = f"{BEFORE}{WORD} of case {number} is not far."
    return Problem(f"seed-{number:06}", premise, hypothesis, number % len(NLI_LABELS))


def _variants(problem: Problem, count: int, masked_lms: tuple[str, ...]) -> Iterator[Variant]:
    starts = (len(BEFORE),)
    word = SharedWord(WORD, WORD_CLASS, starts, starts)
    for rank, syllables in enumerate(islice(product("bdfgklmnprst", "aeiou", "lmnrst", "aeiou"), count)):
        replacement = Replacement("".join(syllables), masked_lms, masked_lms, 1 - rank / count)
        yield Variant(problem, word, replacement)


def _seed_rows(problems: Sequence[Problem], variants: int, options: Options) -> pa.Table:
    rows = []
    for problem in problems:
        row = {"seed_id": problem.id, "premise": problem.premise, "hypothesis": problem.hypothesis}
        rows.append(row | {"label": problem.label, "noun_words": [WORD], "noun_variants": [variants]})
    return pa.Table.from_pylist(rows, features(SEED, NLI_LABELS, options.classes).arrow_schema)


def write_results(dataset: Path, out: Path, models: Sequence[int]) -> None:
    """Write the results of models, of which each answers fewer pairs right than the one before.

    Args:
        dataset: The folder of the data set.
        out: The folder of the result files.
        models: The numbers of the models.
    """
    tables = []
    for config in (SEED, ALL):
        columns = ["seed_id", "premise", "hypothesis", "label"]
        tables.append(pq.read_table(dataset / data_file(config, TEST), columns=columns, partitioning=None))
    rows = pa.concat_tables(tables)
    pairs = list(zip(rows["premise"].to_pylist(), rows["hypothesis"].to_pylist(), strict=True))
    labels = rows["label"].to_numpy()
    seeds = rows["seed_id"].combine_chunks().dictionary_encode().indices.to_numpy()
    difficulty = np.random.default_rng(0).normal(2, 1.5, len(np.unique(seeds)))
    for number in models:
        rng = np.random.default_rng(number + 1)
        odds = np.exp(difficulty[seeds] - number / 8)
        wrong = rng.random(len(pairs)) > odds / (1 + odds)
        answers = (labels + wrong * rng.integers(1, len(NLI_LABELS), len(pairs))) % len(NLI_LABELS)
        by_pair = dict(zip(pairs, answers.tolist(), strict=True))
        score(partial(_answers, by_pair), dataset, name=f"m{number}", out=out)


def _answers(by_pair: Mapping[Pair, int], pairs: Sequence[Pair]) -> list[int]:
    return [by_pair[pair] for pair in pairs]
