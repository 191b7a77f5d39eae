"""Pattern accuracy beside what a user would write with pandas, on a million rows.

Run from the project root: `python -m benchmarks.pattern_accuracy`. Prints one table; takes about a minute.

- plain group-by: for each subsample and threshold, group, take the mean, compare, as one writes it the first time.
- group-by once: the same with one group-by a subsample, shared by all thresholds.
- evaluate: the module with everything given to `compute`; and with `add_batch` before, which takes the rows through
  evaluate's Arrow file.

All start from the same columns and end with the mean curve.
"""

import os
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from metrics.pattern_accuracy.core import CURVE, compute

N_ROWS, N_GROUPS, N_SUBSAMPLES = 1_000_000, 11_000, 10
WRONG = 0.1
DRAWN = 20 / 90  # of about 90 variants a seed problem, 20 are drawn
FOLDER = Path(__file__).parents[1] / "metrics" / "pattern_accuracy"


def rows(rng: np.random.Generator) -> dict[str, Any]:
    """A million predictions, right for nine rows of ten, in groups of about 90, in random order."""
    references = rng.integers(0, 3, N_ROWS)
    wrong = rng.random(N_ROWS) < WRONG
    groups = rng.integers(0, N_GROUPS, N_ROWS)
    return {"predictions": (references + wrong) % 3, "references": references, "groups": groups}


def draws(rng: np.random.Generator, share: float) -> list[list[int]]:
    """For each row the subsamples that drew it."""
    return [np.flatnonzero(drawn).tolist() for drawn in rng.random((N_ROWS, N_SUBSAMPLES)) < share]


def frames(columns: dict[str, Any], subsamples: list[list[int]]) -> list[pd.DataFrame]:
    """One frame a subsample."""
    frame = pd.DataFrame({"group": columns["groups"], "right": columns["predictions"] == columns["references"]})
    drawn = pd.Series(subsamples).explode().dropna()
    return [frame.loc[drawn.index[drawn == number]] for number in range(N_SUBSAMPLES)]


def plain_group_by(columns: dict[str, Any], subsamples: list[list[int]]) -> list[float]:
    """The mean curve over the subsamples; the small number keeps 18 of 20 from falling below 0.9."""
    parts = frames(columns, subsamples)
    return [
        float(np.mean([(part.groupby("group")["right"].mean() >= t - 1e-9).mean() for part in parts])) for t in CURVE
    ]


def group_by_once(columns: dict[str, Any], subsamples: list[list[int]]) -> list[float]:
    """The same curve with one group-by a subsample."""
    means = [part.groupby("group")["right"].mean() for part in frames(columns, subsamples)]
    return [float(np.mean([(mean >= t - 1e-9).mean() for mean in means])) for t in CURVE]


class Taken(NamedTuple):
    """Seconds on the clock, seconds of processor time (which other programs do not lengthen), and what was returned."""

    clock: float
    processor: float
    result: Any


def seconds(function: Callable[[], Any], repeats: int = 3) -> Taken:
    """The fastest of some runs."""
    runs = []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        result = function()
        runs.append(Taken(time.perf_counter() - clock, time.process_time() - processor, result))
    return min(runs, key=lambda run: run.processor)


def peak_mebibytes(function: Callable[[], Any]) -> float:
    """The most that a call had allocated at one time, its input not counted."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def through_evaluate(columns: dict[str, Any], subsamples: list[list[int]]) -> tuple[Taken, Taken]:
    """`compute` with all rows, and `add_batch` followed by `compute`."""
    import evaluate

    module = evaluate.load(str(FOLDER))

    def streamed() -> None:
        module.add_batch(**columns)
        module.compute(thresholds="curve", subsamples=subsamples)

    direct = seconds(lambda: module.compute(**columns, thresholds="curve", subsamples=subsamples), repeats=1)
    return direct, seconds(streamed, repeats=1)


def main() -> None:
    """Measure and print the table."""
    rng = np.random.default_rng(0)
    columns, subsamples = rows(rng), draws(rng, DRAWN)
    as_strings = {**columns, "groups": [f"seed-{group}" for group in columns["groups"]]}
    all_rows = [list(range(N_SUBSAMPLES))] * N_ROWS

    def score(columns: dict[str, Any], subsamples: list[list[int]]) -> dict[str, Any]:
        return compute(**columns, thresholds="curve", subsamples=subsamples)

    core = seconds(lambda: score(columns, subsamples))
    once = seconds(lambda: group_by_once(columns, subsamples))
    plain = seconds(lambda: plain_group_by(columns, subsamples), repeats=1)
    direct, streamed = through_evaluate(columns, subsamples)
    ours = [spread["mean"] for spread in core.result["subsamples"]["pattern_accuracy"].values()]
    if not np.allclose(ours, once.result) or not np.allclose(ours, plain.result):
        sys.exit("the curves differ: nothing was compared")
    table: list[tuple[str, Taken, float | None]] = [
        ("core, integer groups", core, peak_mebibytes(lambda: score(columns, subsamples))),
        ("core, string groups", seconds(lambda: score(as_strings, subsamples)), None),
        (
            "core, every row in all 10 subsamples",
            seconds(lambda: score(columns, all_rows)),
            peak_mebibytes(lambda: score(columns, all_rows)),
        ),
        ("plain pandas group-by, integer groups", plain, None),
        ("plain pandas group-by, string groups", seconds(lambda: plain_group_by(as_strings, subsamples), 1), None),
        ("pandas, one group-by a subsample", once, None),
        ("evaluate: compute with all rows", direct, None),
        ("evaluate: add_batch, then compute", streamed, None),
    ]
    sys.stdout.write(
        f"{N_ROWS:,} rows, {len(CURVE)} thresholds, {N_SUBSAMPLES} subsamples of about {N_ROWS * DRAWN:,.0f} rows\n\n"
        "| | seconds | of processor | beside core | peak MiB |\n| --- | --- | --- | --- | --- |\n"
    )
    for name, taken, peak in table:
        ratio = taken.processor / core.processor
        memory = "" if peak is None else f"{peak:.0f}"
        sys.stdout.write(f"| {name} | {taken.clock:.2f} | {taken.processor:.2f} | {ratio:.1f} x | {memory} |\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"HF_EVALUATE_OFFLINE": "1", "HF_MODULES_CACHE": cache, "HF_METRICS_CACHE": cache}
        main()
