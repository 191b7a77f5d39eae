"""What many tests compute again, plainly: rows of a split, models that answer by a rule, scores by counting."""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import pyarrow.parquet as pq
import pytest

from merge_snli.answers.answers import Answers
from merge_snli.base.errors import InputError
from merge_snli.dataset.record_file import OWN_DIGEST, own_digest
from merge_snli.embedded import FOLDER
from merge_snli.models.labels import Missing, Pair
from merge_snli.results.naming import answers_name
from merge_snli.results.result import Result
from merge_snli.results.store import write_result
from merge_snli.schema import NLI_LABELS, data_file

BUNDLED = FOLDER.parent
"""The folder of the bundled data set."""

Row = dict[str, Any]
T = TypeVar("T")


def known(value: T | None) -> T:
    """Return a value that is not None."""
    assert value is not None
    return value


def refused(
    message: str,
    call: Callable[..., object],
    /,
    *arguments: Any,  # noqa: ANN401 - of the call
    error: type[BaseException] = InputError,
    **options: Any,  # noqa: ANN401 - of the call
) -> BaseException:
    """Check that a call raises an error whose text matches `message`, by default an `InputError`; return the error."""
    with pytest.raises(error, match=message or None) as raised:
        call(*arguments, **options)
    return raised.value


def missing_from(text: str, *parts: str) -> list[str]:
    """Return the parts that a text does not contain."""
    return [part for part in parts if part not in text]


def rows_of(folder: Path, config: str = "all", split: str = "test") -> list[Row]:
    """Return the rows of a split of a data set."""
    return list(pq.read_table(folder / data_file(config, split)).to_pylist())


def pair_of(row: Row) -> Pair:
    """Return the texts of a row."""
    return row["premise"], row["hypothesis"]


def gold_of(folder: Path) -> dict[Pair, int]:
    """Return the number of the gold label of each pair of a data set: of its variants and of their seeds."""
    rows = rows_of(folder)
    gold = {pair_of(row): row["label"] for row in rows}
    for row in rows:
        gold[row["seed_premise"], row["seed_hypothesis"]] = row["label"]
    return gold


def written(path: Path, content: str | bytes) -> Path:
    """Write a file and its missing folders, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_rows(path: Path, rows: Iterable[Row]) -> Path:
    """Write rows as JSON lines."""
    return written(path, "".join(json.dumps(row) + "\n" for row in rows))


def read_jsonl(path: Path) -> list[Row]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_results(folder: Path, results: Iterable[Result]) -> Path:
    """Write result files to a folder and return it."""
    for result in results:
        write_result(result, folder)
    return folder


def by_length(pairs: Sequence[Pair]) -> list[int]:
    """Answer with the number of a label that depends on the lengths of the texts only."""
    return [(len(premise) + len(hypothesis)) % 3 for premise, hypothesis in pairs]


def guess(pairs: Sequence[Pair]) -> list[str]:
    """Answer with the name of a label that depends on the lengths of the texts only."""
    return [NLI_LABELS[number] for number in by_length(pairs)]


def by_premise(divisor: int = 3) -> Callable[[Sequence[Pair]], list[int]]:
    """Return a model that answers by the length of the premise only."""
    return lambda pairs: [len(premise) % divisor % 3 for premise, _ in pairs]


def always(answer: object) -> Callable[[Sequence[Pair]], list[Any]]:
    """Return a model that gives one answer to all pairs."""
    return lambda pairs: [answer] * len(pairs)


def without_seconds(result: Result) -> Result:
    """Return a result as if the predictions had taken no time."""
    return replace(result, run=replace(result.run, seconds=0.0))


Graded = Sequence[tuple[object, bool]]
"""The group of each row, and whether the answer to it is right."""


def share(rows: Graded) -> Fraction:
    """Return SA: the share of right rows."""
    return Fraction(sum(right for _, right in rows), len(rows))


def passing_shares(rows: Graded) -> list[Fraction]:
    """Return PA at each percent: the share of the groups with at least this share of right rows."""
    groups: dict[object, list[bool]] = defaultdict(list)
    for group, right in rows:
        groups[group].append(right)
    return [
        Fraction(sum(100 * sum(each) >= percent * len(each) for each in groups.values()), len(groups))
        for percent in range(101)
    ]


def check_scores(
    scores: Any,  # noqa: ANN401 - scores of a result against the gold labels, or against other labels
    rows: Graded,
    draws: Sequence[Graded],
    *,
    on_seeds: Fraction | None = None,
) -> None:
    """Compare every number of scores with counts in fractions.

    Args:
        scores: The scores.
        rows: All rows.
        draws: The rows of each subsample.
        on_seeds: SA on the seeds, which only scores against the gold labels have.
    """

    def near(*values: float | Fraction) -> Any:  # noqa: ANN401 - what pytest compares with
        return pytest.approx([*map(float, values)], abs=1e-12)

    each = [*map(share, draws)]
    curves = [*map(passing_shares, draws)]
    curve = [sum(column, Fraction()) / len(draws) for column in zip(*curves, strict=True)]
    mean = sum(each, Fraction()) / len(draws)
    squares = sum((value - mean) ** 2 for value in each)
    assert scores.rows == len(rows)
    assert [scores.all_rows_accuracy, scores.sample_accuracy.mean] == near(share(rows), mean)
    assert scores.sample_accuracy.each == near(*each)
    assert scores.sample_accuracy.std == (
        None if len(draws) == 1 else pytest.approx(math.sqrt(squares / (len(draws) - 1)), abs=1e-9)
    )
    assert scores.curve.mean == near(*curve)
    assert [near(*values) for values in curves] == [*scores.curve.each]
    assert scores.pattern_accuracy.mean == scores.curve.mean[90]
    assert list(scores.pattern_accuracy.each) == [values[90] for values in scores.curve.each]
    if on_seeds is not None:
        nearest = min(abs(value - on_seeds) for value in curve)
        assert scores.groups == len({group for group, _ in rows})
        assert [scores.seed_accuracy, scores.qt] == near(on_seeds, curve[90] - on_seeds)
        assert scores.mt == max(at for at, value in enumerate(curve) if abs(value - on_seeds) == nearest) / 100


LETTERS = {Missing.NOT_PREDICTED.value: "-", Missing.NO_ANSWER.value: "?"}


@dataclass(frozen=True)
class AnswersOfGroups:
    """The answers of a result by group: the numbers of labels as digits, `?` for no answer.

    Attributes:
        id: The ids of the groups.
        gold: The gold labels of each group's rows.
        predictions: The predicted labels of each group's rows.
        sizes: Number of rows of each subsample and group.
        correct: Number of correct rows.
        seeds: The predicted label of each seed, None for no answer; None without seeds.
    """

    id: tuple[str, ...]
    gold: tuple[str, ...]
    predictions: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    correct: tuple[tuple[int, ...], ...]
    seeds: tuple[str | None, ...] | None


def answers_of_groups(result: Result, answers: Answers | None = None) -> AnswersOfGroups:
    """Return the answers of a result by group; by default those in the result."""
    answers = answers or result.answers
    gold = []
    predictions = []
    for group in range(len(answers.group_ids)):
        rows = answers.groups == group
        gold.append("".join(map(letter_of, answers.gold[rows].tolist())))
        predictions.append("".join(map(letter_of, answers.predicted[rows].tolist())))
    seeds = None
    if answers.seeds is not None:
        numbers = answers.seeds.predicted.tolist()
        seeds = tuple(None if number < 0 else answers.labels[number] for number in numbers)
    counts = answers.counts()
    return AnswersOfGroups(
        id=answers.group_ids,
        gold=tuple(gold),
        predictions=tuple(predictions),
        sizes=tuple(map(tuple, counts.sizes.tolist())),
        correct=tuple(map(tuple, counts.correct.tolist())),
        seeds=seeds,
    )


def letter_of(number: int) -> str:
    return LETTERS.get(number) or str(number)


def with_answers(result: Result, answers: Answers) -> Result:
    """Return a result with other answers and the numbers as they are: what a forger would write."""
    return replace(result, stored=answers)


def sealed(entries: Row) -> Row:
    """Return the entries of a result file with their digest, as someone who edits them could compute it again."""
    return entries | {OWN_DIGEST: own_digest(entries)}


def both_files(path: Path) -> tuple[Path, Path]:
    """Return the two files of a result, of which one is the JSON file."""
    return path, path.with_name(answers_name(path.name))


def variants_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the variants of a table of answers, each with the answer to its seed, and whether both are right."""
    seeds = frame[frame["is_seed"]].set_index("group_id")
    found = frame[~frame["is_seed"]].rename(columns={"row_id": "variant_id", "group_id": "seed_id"})
    found = found.assign(seed_answer=found["seed_id"].map(seeds["answer"]), correct=found["answer"] == found["label"])
    return found.assign(seed_correct=found["seed_answer"] == found["label"])
