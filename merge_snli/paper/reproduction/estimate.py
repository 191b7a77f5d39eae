"""Estimate a reproduction without making it: downloads, forms, pairs, and hours from a short trial."""

from merge_snli.base.progress import format_duration
from merge_snli.base.table import Cell, Table
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import find_device
from merge_snli.models.shapes import BYTES_PER_PARAMETER, GB, operations_of, operations_per_second, shapes
from merge_snli.paper.report.artifact import NamedColumns
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
    columns = NamedColumns()
    columns.add_text("model", "model")
    columns.add_value("number", "number")
    columns.add_text("of", "of")
    columns.add_value("parameters, M", "parameters", format=",.0f")
    columns.add_value("download, GB", "download", format=",.2f")
    columns.add_value("time", "time")
    inputs = [(name, "forms", forms, TOKENS_PER_FORM) for name in run.masked_lms]
    inputs += [(name, "pairs", pairs, TOKENS_PER_PAIR) for name in run.scored_models]
    rows = []
    total = others
    download = 0.0
    for name, unit, number, tokens in inputs:
        parameters = shapes()[name]["parameters"]
        seconds = number * operations_of(name, tokens, masked_lm=unit == "forms") / speed
        total += seconds
        row: dict[str, Cell] = {"model": name.rpartition("/")[2], "number": number, "of": unit}
        row |= {"parameters": parameters / 1e6, "time": format_duration(seconds)}
        if not embedded_path(name):
            size = parameters * BYTES_PER_PARAMETER / GB
            download += size
            row["download"] = size
        rows.append(row)
    rows.append({"model": "other steps", "time": format_duration(others)})
    flops = speed / 1e9
    notes = [
        f"Total: about {format_duration(total)} on this machine ({device}, {flops:,.0f} GFLOP/s in a trial), and "
        f"{download:,.1f} GB to download if nothing is cached.",
        "Other programs on this machine make the trial, and so the estimate, longer.",
        "Pairs: as many as in the paper, in proportion to the problems. Downloads: 4 bytes per parameter.",
    ]
    notes += [f"{line}." for line in missing_packages(run)]
    notes.append("Nothing was written.")
    return columns.table(rows, title=title, notes=notes)
