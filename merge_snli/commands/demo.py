"""`merge-snli demo`: run the full pipeline on bundled data and models."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.embedded import MASKED_LMS, NLI_MODELS, PREFIX, PROBLEMS

if TYPE_CHECKING:
    import pyarrow as pa

    from merge_snli.dataset import MergeDataset

EXAMPLES_PER_LABEL = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--out", default="demo", type=Path, metavar="DIR", help="output folder (default: %(default)s)")


def run(arguments: argparse.Namespace) -> int:
    """Count shared words, generate variants, score both NLI models, and print what came of it."""
    from generation.options import Options
    from generation.pipeline import generate
    from generation.report.composition import composition_table
    from generation.report.words import words_table
    from scoring.api import check_results_folder, score_models
    from scoring.models.options import ModelOptions
    from scoring.predictions.pairs import read_config
    from scoring.reports.figures import draw_curves
    from scoring.reports.leaderboard.write import write_leaderboard
    from scoring.results.score_table import score_table

    out: Path = arguments.out
    options = Options(problems=PREFIX + PROBLEMS, id_column="id", mlm=tuple(PREFIX + name for name in MASKED_LMS))
    check_results_folder(out / "results")
    dataset = generate(options, out / "merge_snli", overwrite=_is_of_a_demo(out / "merge_snli"))
    record, problems = dataset.record, dataset.record.problems
    words = words_table(record.words, problems.with_label, problems.without_label)
    _section("Shared words of the embedded problems", words.text())
    _section(f"Variants, by {' and '.join(options.mlm)}", composition_table(record).text())
    names = [PREFIX + name for name in NLI_MODELS]
    results, failed = score_models(names, read_config(dataset, "all"), options=ModelOptions(), out=out / "results")
    pictures = draw_curves(results, out / "figures" / "pattern_accuracy.png")
    page = write_leaderboard(results, out / "site", dataset=dataset)
    _section("Variants to look at", examples_text(dataset))
    _section("Scores", score_table(results, failed).text())
    _section("Written", "".join(f"{path}\n" for path in (out / "merge_snli", out / "results", *pictures, page)))
    return 2 if failed else 0


def _is_of_a_demo(folder: Path) -> bool:
    """Tell whether a demo made the data set there: only such a one is replaced without being asked."""
    from merge_snli.dataset import RUN_FILE, find_dataset

    return (folder / RUN_FILE).is_file() and find_dataset(str(folder)).record.options["problems"] == PREFIX + PROBLEMS


def _section(title: str, text: str) -> None:
    sys.stdout.write(f"\n{title}\n{'-' * len(title)}\n{text}")
    sys.stdout.flush()


def examples_text(dataset: MergeDataset) -> str:
    """Return some variants of each label, each of another seed and with what was replaced by what.

    Args:
        dataset: A MERGE data set.
    """
    from merge_snli.dataset import label_names, read_split
    from merge_snli.schema import ALL, subsample_split

    table = read_split(dataset, ALL, subsample_split(0))
    return "\n".join(
        f"{name}\n" + "".join(_example(row) for row in _first_of_seeds(table, number))
        for number, name in enumerate(label_names(table))
    )


def _first_of_seeds(table: pa.Table, label: int) -> list[dict[str, str]]:
    """Return the most probable variant of the first seeds with that label."""
    best: dict[str, dict[str, str]] = {}
    for row in table.to_pylist():
        seed = row["seed_id"]
        if row["label"] == label and (seed not in best or row["log_odds"] > best[seed]["log_odds"]):
            best[seed] = row
    step = max(1, len(best) // EXAMPLES_PER_LABEL)
    return list(best.values())[::step][:EXAMPLES_PER_LABEL]


def _example(row: dict[str, str]) -> str:
    change = f"{row['original']} -> {row['replacement']}"
    return f"  {change}\n    P: {row['premise']}\n    H: {row['hypothesis']}\n"
