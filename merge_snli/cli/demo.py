"""`merge-snli demo`: run the full pipeline on bundled data and models."""

import shlex
import shutil
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from merge_snli.base.errors import as_flags
from merge_snli.cli.arguments import add
from merge_snli.embedded import NLI_MODELS, PREFIX, PROBLEMS

NAME = "merge-snli"
CONTENT = ("figures", "merge_snli", "merge_snli.work", "results", "results.work", "site")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "--out DIR", "output folder (default: %(default)s)", default="demo")


def run(arguments: Namespace) -> int:
    """Generate a data set from the bundled problems, score both NLI models on it, and print all results."""
    from generation.options import BUNDLED_OPTIONS, Options, preset_options
    from generation.pipeline import run_pipeline
    from generation.report.summary import composition_table, words_table
    from merge_snli.answers.reading import read_config
    from merge_snli.comparison.example import example_text, summary_text
    from merge_snli.comparison.figures import draw_curves
    from merge_snli.dataset.out_folder import check_out
    from merge_snli.dataset.record import generation_of
    from merge_snli.dataset.stored import RUN_FILE, find_dataset
    from merge_snli.leaderboard.write import write_leaderboard
    from merge_snli.models.display_names import name_models
    from merge_snli.models.options import ModelOptions
    from merge_snli.results.score_table import score_table
    from merge_snli.results.store import check_results_folder
    from merge_snli.scoring.score_models import score_models

    out = check_out(arguments.out, "a demo", CONTENT)
    options = Options(problems=PREFIX + PROBLEMS, id_column="id", **preset_options("demo") | BUNDLED_OPTIONS)
    check_results_folder(out / "results")
    data = out / "merge_snli"
    is_own = (data / RUN_FILE).is_file() and find_dataset(str(data)).record.options.get("problems") == PREFIX + PROBLEMS
    dataset = run_pipeline(options, data, overwrite=is_own)
    models = name_models(PREFIX + name for name in NLI_MODELS)
    results, failed = score_models(models, read_config(dataset, "all"), options=ModelOptions(), out=out / "results")
    figures = draw_curves(results, out / "figures" / "pattern_accuracy.png")
    page = write_leaderboard(results, out / "site", datasets=[dataset])
    record = dataset.record
    generation = generation_of(dataset.record)
    called = Path(sys.argv[0])
    command = str(called) if called.name == NAME and shutil.which(NAME) is None else NAME
    score = [command, "score", "MODEL", "--dataset", str(dataset.folder), "--out", str(out / "results")]
    reasons = {name: as_flags(reason) for name, reason in failed.items()}
    words = words_table(generation.words, *vars(generation.problems).values())
    written = [data, out / "results", *figures, page]
    sections = {
        "Variants to look at": example_text(results, dataset),
        "What was found": summary_text(results),
        "Scores": score_table(results, reasons).text(),
        f"Variants, by {' and '.join(options.mlm)}": composition_table(record).text(),
        "Shared words of the bundled problems": words.text(),
        "Written": "".join(f"{path}\n" for path in written),
    }
    open_page = f"Open the page: {page.resolve().as_uri()}"
    sections["Next"] = f"{open_page}\nScore your own model:\n  {shlex.join(score)}\n"
    sys.stdout.writelines(f"\n{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items())
    return 2 if failed else 0
