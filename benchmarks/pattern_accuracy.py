"""Compare pattern accuracy with pandas on a million rows.

    python -m benchmarks.pattern_accuracy

The run takes about a minute. The methods are:

- plain group-by: one pandas group-by per subsample and threshold.
- group-by once: one pandas group-by per subsample, shared by all thresholds.
- evaluate: the module with all rows passed to `compute`, or added with `add_batch`, which writes them to a file first.

All methods compute the mean curve from the same columns.
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
DRAWN = 20 / 90  # 20 of about 90 variants per seed
FOLDER = Path(__file__).parents[1] / "metrics" / "pattern_accuracy"


def rows(rng: np.random.Generator) -> dict[str, Any]:
    """Return a million predictions, 90% correct, in groups of about 90, in random order."""
    references = rng.integers(0, 3, N_ROWS)
    wrong = rng.random(N_ROWS) < WRONG
    groups = rng.integers(0, N_GROUPS, N_ROWS)
    return {"predictions": (references + wrong) % 3, "references": references, "groups": groups}


def drawn_by(rng: np.random.Generator, share: float) -> list[list[int]]:
    """Return the subsamples of each row."""
    return [np.flatnonzero(drawn).tolist() for drawn in rng.random((N_ROWS, N_SUBSAMPLES)) < share]


def frames(columns: dict[str, Any], subsamples: list[list[int]]) -> list[pd.DataFrame]:
    """Return one frame per subsample."""
    frame = pd.DataFrame({"group": columns["groups"], "right": columns["predictions"] == columns["references"]})
    drawn = pd.Series(subsamples).explode().dropna()
    return [frame.loc[drawn.index[drawn == number]] for number in range(N_SUBSAMPLES)]


def plain_group_by(columns: dict[str, Any], subsamples: list[list[int]]) -> list[float]:
    """Return the mean curve over the subsamples; 1e-9 avoids that 18 of 20 is below 0.9 in floats."""
    parts = frames(columns, subsamples)
    return [
        float(np.mean([(part.groupby("group")["right"].mean() >= t - 1e-9).mean() for part in parts])) for t in CURVE
    ]


def group_by_once(columns: dict[str, Any], subsamples: list[list[int]]) -> list[float]:
    """Return the same curve with one group-by per subsample."""
    means = [part.groupby("group")["right"].mean() for part in frames(columns, subsamples)]
    return [float(np.mean([(mean >= t - 1e-9).mean() for mean in means])) for t in CURVE]


class Timing(NamedTuple):
    """Wall-clock seconds, CPU seconds, and the result of a call."""

    wall: float
    cpu: float
    result: Any


def seconds(function: Callable[[], Any], repeats: int = 3) -> Timing:
    """Return the fastest of several calls."""
    runs = []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        result = function()
        runs.append(Timing(time.perf_counter() - clock, time.process_time() - processor, result))
    return min(runs, key=lambda run: run.cpu)


def peak_mebibytes(function: Callable[[], Any]) -> float:
    """Return the peak memory allocated by a call, without its input."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def through_evaluate(columns: dict[str, Any], subsamples: list[list[int]]) -> tuple[Timing, Timing]:
    """Time `compute` with all rows, and `add_batch` followed by `compute`."""
    import evaluate

    module = evaluate.load(str(FOLDER))

    def streamed() -> None:
        module.add_batch(**columns)
        module.compute(thresholds="curve", subsamples=subsamples)

    direct = seconds(lambda: module.compute(**columns, thresholds="curve", subsamples=subsamples), repeats=1)
    return direct, seconds(streamed, repeats=1)


def main() -> None:
    """Run the benchmark and print the table."""
    rng = np.random.default_rng(0)
    columns, subsamples = rows(rng), drawn_by(rng, DRAWN)
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
        sys.exit("the methods return different curves")
    table: list[tuple[str, Timing, float | None]] = [
        ("core, integer groups", core, peak_mebibytes(lambda: score(columns, subsamples))),
        ("core, string groups", seconds(lambda: score(as_strings, subsamples)), None),
        (
            "core, every row in all 10 subsamples",
            seconds(lambda: score(columns, all_rows)),
            peak_mebibytes(lambda: score(columns, all_rows)),
        ),
        ("plain pandas group-by, integer groups", plain, None),
        ("plain pandas group-by, string groups", seconds(lambda: plain_group_by(as_strings, subsamples), 1), None),
        ("pandas, one group-by per subsample", once, None),
        ("evaluate: compute with all rows", direct, None),
        ("evaluate: add_batch, then compute", streamed, None),
    ]
    sys.stdout.write(
        f"{N_ROWS:,} rows, {len(CURVE)} thresholds, {N_SUBSAMPLES} subsamples of about {N_ROWS * DRAWN:,.0f} rows\n\n"
        "| | seconds | CPU seconds | relative to core | peak MiB |\n| --- | --- | --- | --- | --- |\n"
    )
    for name, timing, peak in table:
        ratio = timing.cpu / core.cpu
        memory = "" if peak is None else f"{peak:.0f}"
        sys.stdout.write(f"| {name} | {timing.wall:.2f} | {timing.cpu:.2f} | {ratio:.1f} x | {memory} |\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"HF_EVALUATE_OFFLINE": "1", "HF_MODULES_CACHE": cache, "HF_METRICS_CACHE": cache}
        main()
