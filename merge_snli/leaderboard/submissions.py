"""Check submitted result files before they go on a leaderboard."""

from collections.abc import Mapping, Sequence
from itertools import islice

from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.scoring.predictions.opening import data_keys, open_data
from merge_snli.scoring.results.files import file_name, parse_result
from merge_snli.scoring.results.grouping import data_key, model_key
from merge_snli.scoring.results.recompute import differences
from merge_snli.scoring.results.result import Result

# Number of differences that are listed per file.
SHOWN = 3

LIMITS = (
    "The check computes every number of a result again from its answers, and compares the digest of the data set. "
    "Invented answers pass it: only running the model can find them."
)


def check_files(
    files: Mapping[str, bytes], accepted: Mapping[str, bytes], datasets: Sequence[MergeDataset]
) -> dict[str, list[str]]:
    """Check submitted result files.

    Args:
        files: Content of each submitted file by name.
        accepted: Content of the result files that are on the leaderboard, by name.
        datasets: The data sets of the leaderboard.

    Returns:
        What is wrong with each file; empty if the file passes.

    Raises:
        InputError: If a data set cannot be read.
    """
    known = {name: result for name, content in accepted.items() if not isinstance(result := _read(content), str)}
    found = {}
    for name, content in files.items():
        result = _read(content)
        if isinstance(result, str):
            found[name] = [result]
            continue
        found[name] = [*_wrong_kind(name, result), *_copies(result, known)] or _recomputed(result, datasets)
        known[name] = result
    return found


def _read(content: bytes) -> Result | str:
    """Return a result, or why the file is none."""
    try:
        return parse_result(content, "the file")
    except InputError as error:
        return str(error)


def _wrong_kind(name: str, result: Result) -> list[str]:
    left_out, (group, row) = result.left_out, result.units
    unanswered = left_out.rows + left_out.undrawn
    return [
        *([] if name == file_name(result) else [f"is not named {file_name(result)}"]),
        *(["is on a part of a config: score the whole"] if result.dataset.partial is not None else []),
        *(
            ["has scores on the source, which its answers do not give: score without --source"]
            if result.source is not None
            else []
        ),
        *(
            [f"leaves out {left_out.groups} {group}s and {unanswered} {row}s: all need an answer"]
            if left_out.groups or unanswered
            else []
        ),
    ]


def _copies(result: Result, others: Mapping[str, Result]) -> list[str]:
    """Return a sentence for each other result that is of the same model or has the same answers on the same data."""
    found = []
    for name, other in others.items():
        if data_key(other.dataset) == data_key(result.dataset):
            if model_key(result) == model_key(other):
                found.append(f"is of the same model as {name}")
            elif _answers(result) == _answers(other):
                found.append(f"has the same answers as {name}")
    return found


def _answers(result: Result) -> dict[str, tuple[str, str | None]]:
    table = result.groups
    anchors = table.anchors or (None,) * len(table.id)
    return dict(zip(table.id, zip(table.predictions, anchors, strict=True), strict=True))


def _recomputed(result: Result, datasets: Sequence[MergeDataset]) -> list[str]:
    here = result.dataset
    dataset = next((each for each in datasets if data_key(here) in data_keys(each)), None)
    if dataset is None:
        names = ", ".join(f"{each.name} ({each.digest[:8]})" for each in datasets)
        return [f"is on data with the digest {here.digest[:8]}: the leaderboard has {names}"]
    try:
        (data,) = open_data(dataset, config=here.config, by=() if result.has_anchors else tuple(result.parts))
        wrong = list(islice(differences(result, data), SHOWN + 1))
    except (InputError, ValueError) as error:
        return [str(error)]
    return wrong if len(wrong) <= SHOWN else [*wrong[:SHOWN], "and more"]
