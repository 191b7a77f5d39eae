"""Write data sets of the paper's size with made-up words, and result files of the paper's models with made-up answers.

The rows go through the writer of `generation` and the answers through `scoring`, so the files are as after `generate`
and `score`, without what the analyses do not read: the card, the splits of the subsamples but one, and the scores on
parts of the variants in the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from generation.options import Options, with_defaults
from generation.output.write_data import write_data
from merge_snli.base.arrays import Floats, Ints
from merge_snli.card.dataset_folder import data_record
from merge_snli.dataset.record import MaskedLMRecord, encode_record, generation_of, read_record, seal
from merge_snli.dataset.stored import RUN_FILE, find_dataset
from merge_snli.embedded import FOLDER
from merge_snli.models.paper_models import PAPER_MLMS, PAPER_MODELS, PaperModel
from merge_snli.schema import ALL, NLI_LABELS, SEED, features
from merge_snli.scoring.answers import Predicted, align
from merge_snli.scoring.calibration import as_stored
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.measure import consistency, scores
from merge_snli.scoring.reading import read_config
from merge_snli.scoring.result import Result
from merge_snli.scoring.score import score
from merge_snli.scoring.store import write_result

CLASSES = {"noun": range(1808), "verb": range(1606, 2112), "adj": (*range(130), *range(2093, 2222))}
"""Seeds of each word class, as many as in the paper's Table 2: 2,222 in all, 202 with nouns and verbs, 130 with nouns
and adjectives."""

N_SEEDS, N_SUBSAMPLES, INFLATION = 2222, 10, 20
WORDS = tuple(
    f"{first}{second}{third}" for first in "bdfgklmnprst" for second in "aeiou" for third in map(str, range(60))
)
"""The words of all rows; the first are the most frequent in `corpus_counts`."""


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"filters": ["prob"]},
    {"scramble": True},
    {"sides": "union"},
    {"filters": ["pos"]},
    {"filters": []},
)
"""Options of the six data sets of section 5.4, which name them in Figure 8."""


def corpus_counts() -> dict[str, int]:
    """Return how often each word occurs in made-up training data, by Zipf's law."""
    return {word: 100_000 // rank for rank, word in enumerate(WORDS, start=1)}


def write_dataset(folder: Path, *, variants: int, number: int) -> None:
    """Write a data set. Data sets of every number have the same seeds.

    Args:
        folder: The folder to create.
        variants: Approximate number of variants.
        number: Index in `OPTIONS`, and random seed of replacements, masked LMs and subsamples.
    """
    record = read_record(FOLDER.parent / RUN_FILE)
    options = Options(**with_defaults(record.options | {"mlm": list(PAPER_MLMS)} | OPTIONS[number]))
    tables = {ALL: _variants(variants, number), SEED: _seeds(options)}
    folder.mkdir(parents=True)
    parts = {config: folder.with_name(f"{folder.name}-{config}.parquet") for config in tables}
    for config, columns in tables.items():
        schema = features(config, NLI_LABELS, options.classes).arrow_schema
        pq.write_table(
            pa.table([columns[name] for name in schema.names], names=schema.names).cast(schema), parts[config]
        )
    configs = write_data(folder, [parts[ALL]], [parts[SEED]], replace(options, subsamples=1), NLI_LABELS)
    for path in parts.values():
        path.unlink()
    masked_lms = tuple(MaskedLMRecord(name, None, "0" * 64) for name in PAPER_MLMS)
    changed = replace(
        record,
        title=f"made-up data set {number}",
        options=options.as_dict(),
        draws=1,
        configs=configs,
        generation=replace(generation_of(record), masked_lms=masked_lms),
        data=data_record(folder, configs),
    )
    (folder / RUN_FILE).write_bytes(encode_record(seal(changed, b"")))


def write_results(dataset: Path, out: Path) -> None:
    """Write a result file of each of the paper's models.

    Args:
        dataset: The folder of the data set.
        out: The folder of the result files.
    """
    data = read_config(find_dataset(str(dataset)), ALL)
    rng = np.random.default_rng(0)
    difficulty = rng.normal(1.8, 1.5, len(data.group_ids))
    blank = score(_first_label, dataset, name="first label")
    for model in PAPER_MODELS:
        answers = _answers(data, difficulty + rng.normal(0, 0.3), rng)
        write_result(_result(model, data, answers, blank), out)


def _first_label(pairs: Sequence[object]) -> list[int]:
    return [0] * len(pairs)


def _result(model: PaperModel, data: ScoredData, answers: Ints, blank: Result) -> Result:
    """Return a result with the scores of answers to all pairs, and nothing about parts of the variants."""
    predicted = align(data, Predicted(answers, _probabilities(answers)), NLI_LABELS)
    return replace(
        blank,
        model=replace(blank.model, name=model.name, training_data=model.trained_on),
        scores=scores(predicted),
        consistency=consistency(predicted),
        answers=predicted,
        parts={},
    )


def _answers(data: ScoredData, log_odds: NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Return the predicted label of each pair, right with the log-odds of its seed."""
    seed = np.zeros(len(data.pairs), dtype=np.int64)
    seeds = data.seeds
    assert seeds is not None
    seed[seeds.pairs] = np.arange(len(data.group_ids))
    seed[data.row_pairs] = data.row_groups
    right = rng.random(len(seed)) < 1 / (1 + np.exp(-log_odds[seed]))
    wrong = rng.integers(1, len(NLI_LABELS), len(seed))
    answers: Ints = (seeds.labels[seed] + np.where(right, 0, wrong)) % len(NLI_LABELS)
    return answers


def _probabilities(answers: Ints) -> Floats:
    """Return random probabilities of the labels of each pair, of which the predicted label has the largest."""
    shares = np.sort(np.random.default_rng(0).dirichlet(np.full(len(NLI_LABELS), 0.3), len(answers)))[:, ::-1]
    by_label = (np.arange(len(NLI_LABELS)) - answers[:, np.newaxis]) % len(NLI_LABELS)
    return as_stored(np.take_along_axis(shares, by_label, axis=1))


def _labels() -> Ints:
    return np.random.default_rng(0).choice(3, N_SEEDS, p=[0.495, 0.31, 0.195])


def _sentences(seeds: Ints) -> tuple[list[str], list[str]]:
    """Return what premises and hypotheses have after the replaced word; the length depends on the seed."""
    premise = [f"in problem {seed} is" + " really" * (seed % 11) + " here." for seed in seeds.tolist()]
    return premise, [f"of problem {seed} is here." for seed in seeds.tolist()]


def _variants(count: int, number: int) -> dict[str, Any]:
    """Return the columns of config `all`, sorted by seed."""
    rng = np.random.default_rng(number)
    cells = sorted((seed, name) for name, members in CLASSES.items() for seed in members)
    size = round(count / len(cells))
    # The original word of a seed is the same in all data sets, and none of its replacements.
    shifts = np.stack([rng.choice(np.arange(1, len(WORDS)), size, replace=False) for _ in cells])
    words, originals = np.array(WORDS), np.arange(len(cells))
    original = words[np.repeat(originals, size) % len(WORDS)].tolist()
    replacement = words[(originals[:, np.newaxis] + shifts).ravel() % len(WORDS)].tolist()
    seed = np.repeat([seed for seed, _ in cells], size)
    word_class = np.repeat([name for _, name in cells], size).tolist()
    seed_id = [f"seed-{each:04}" for each in seed.tolist()]
    of_premise, of_hypothesis = _sentences(seed)
    in_seed = _first(original, seed)
    names = zip(seed_id, word_class, original, replacement, strict=True)
    return {
        "variant_id": [":".join(parts) for parts in names],
        "seed_id": seed_id,
        "premise": [f"The {word} {rest}" for word, rest in zip(replacement, of_premise, strict=True)],
        "hypothesis": [f"A {word} {rest}" for word, rest in zip(replacement, of_hypothesis, strict=True)],
        "label": _labels()[seed].tolist(),
        "seed_premise": [f"The {word} {rest}" for word, rest in zip(in_seed, of_premise, strict=True)],
        "seed_hypothesis": [f"A {word} {rest}" for word, rest in zip(in_seed, of_hypothesis, strict=True)],
        "word_class": word_class,
        "original": original,
        "replacement": replacement,
        "premise_offsets": [[len("The ")]] * len(seed),
        "hypothesis_offsets": [[len("A ")]] * len(seed),
        "premise_mlms": _masked_lms(len(seed), rng),
        "hypothesis_mlms": _masked_lms(len(seed), rng),
        "log_odds": rng.exponential(1.0, len(seed)).astype(np.float32).tolist(),
        "subsamples": _draws(len(cells), size, rng),
    }


def _first(values: list[str], seed: Ints) -> list[str]:
    """Return for each row the value of the first row of its seed."""
    _, first, codes = np.unique(seed, return_index=True, return_inverse=True)
    return [values[row] for row in first[codes].tolist()]


def _masked_lms(rows: int, rng: np.random.Generator) -> list[list[str]]:
    """Return one to eight masked LMs per row, more often one."""
    validated = rng.random((rows, len(PAPER_MLMS))) < 0.2
    validated[np.arange(rows), rng.integers(len(PAPER_MLMS), size=rows)] = True
    return [[PAPER_MLMS[at] for at in np.flatnonzero(row)] for row in validated]


def _draws(cells: int, size: int, rng: np.random.Generator) -> list[list[int]]:
    """Return the subsamples of each row, of which each draws the same number of rows per cell."""
    ranks = rng.random((cells, size, N_SUBSAMPLES)).argsort(axis=1).argsort(axis=1)
    return [np.flatnonzero(row).tolist() for row in (ranks < INFLATION).reshape(-1, N_SUBSAMPLES)]


def _seeds(options: Options) -> dict[str, Any]:
    """Return the columns of config `seed`, which no analysis reads, with one word per class."""
    seeds = np.arange(N_SEEDS)
    premise, hypothesis = _sentences(seeds)
    words: dict[str, Any] = {}
    for name in options.classes:
        members = set(CLASSES[name])
        words[f"{name}_words"] = [[name] if seed in members else [] for seed in seeds.tolist()]
        words[f"{name}_variants"] = [[INFLATION] if seed in members else [] for seed in seeds.tolist()]
    return {
        "seed_id": [f"seed-{seed:04}" for seed in seeds.tolist()],
        "premise": premise,
        "hypothesis": hypothesis,
        "label": _labels().tolist(),
        **words,
    }
