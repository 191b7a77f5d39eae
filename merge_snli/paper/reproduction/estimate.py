"""Estimate a reproduction without making it: downloads, forms, pairs, and hours from a short trial."""

from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import find_device
from merge_snli.models.shapes import BYTES_PER_PARAMETER, GB, operations_of, operations_per_second, shapes
from merge_snli.paper.reproduction.run import PaperRun, missing_packages

# Mean number of tokens of a form of SNLI test, and of a problem of it.
TOKENS_PER_FORM, TOKENS_PER_PAIR = 14, 23


def estimate(run: PaperRun) -> Table:
    """Estimate a run: what `PaperRun.work` does, and downloads and time of the models.

    The time of a model is its operations at the speed of one layer on this machine.

    Args:
        run: The run.

    Raises:
        InputError: If the problems cannot be read.
    """
    device = find_device(run.model_options.device)
    speed = operations_per_second(device)
    title, forms, pairs, others = run.work()
    inputs = [(name, "forms", forms, TOKENS_PER_FORM) for name in run.masked_lms]
    inputs += [(name, "pairs", pairs, TOKENS_PER_PAIR) for name in run.scored_models]
    rows: list[tuple[str | int | float | None, ...]] = []
    total, download = 0.0, 0.0
    for name, unit, number, tokens in inputs:
        parameters = shapes()[name]["parameters"]
        seconds = number * operations_of(name, tokens, masked_lm=unit == "forms") / speed
        total += seconds
        size = None if embedded_path(name) else parameters * BYTES_PER_PARAMETER / GB
        download += size or 0.0
        rows.append((name.rpartition("/")[2], number, unit, parameters / 1e6, size, format_duration(seconds)))
    rows.append(("other steps", None, None, None, None, format_duration(others)))
    columns = (
        Column("model", "left"),
        Column("number"),
        Column("of", "left"),
        Column("parameters, M", format=",.0f"),
        Column("download, GB", format=",.2f"),
        Column("time"),
    )
    notes = [
        f"Total: about {format_duration(total + others)} on this machine ({device}, "
        f"{speed / 1e9:,.0f} GFLOP/s in a trial), and {download:,.1f} GB to download if nothing is cached.",
        "Other programs on this machine make the trial, and so the estimate, longer.",
        "Pairs: as many as in the paper, in proportion to the problems. Downloads: 4 bytes per parameter.",
    ]
    notes += [f"{line}." for line in missing_packages(run)]
    notes.append("Nothing was written.")
    return Table(title=title, columns=columns, rows=tuple(rows), notes=tuple(notes))
