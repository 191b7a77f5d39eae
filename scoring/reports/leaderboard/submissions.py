"""Check submitted result files before they go on a leaderboard."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from merge_snli.errors import InputError
from scoring.predictions.pairs import read_config
from scoring.results.files import file_name, parse_result
from scoring.results.recompute import differences
from scoring.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.dataset import MergeDataset

SHOWN = 3
"""Number of differences that are listed per file."""

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
    known = {name: result for name, content in accepted.items() if isinstance(result := _read(content), Result)}
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
    """Return a result, or why the file is not a result that a leaderboard can check."""
    try:
        result = parse_result(content, "the file")
    except InputError as error:
        return str(error)
    if not isinstance(result, Result):
        return "is a result on pairs in groups: the leaderboard takes results on MERGE data sets"
    return result


def _wrong_kind(name: str, result: Result) -> list[str]:
    left_out = result.left_out
    return [
        *([] if name == file_name(result) else [f"is not named {file_name(result)}"]),
        *(["is on a part of a config: score the whole"] if result.dataset.partial is not None else []),
        *(
            ["has scores on the source, which its answers do not give: score without --source"]
            if result.source is not None
            else []
        ),
        *(
            [f"leaves out {left_out.seeds} seeds and {left_out.variants} variants: all need an answer"]
            if left_out.seeds or left_out.variants
            else []
        ),
    ]


def _copies(result: Result, others: Mapping[str, Result]) -> list[str]:
    """Return a sentence for each other result that is of the same model or has the same answers on the same data."""
    here = result.dataset
    found = []
    for name, other in others.items():
        if (other.dataset.digest, other.dataset.config) == (here.digest, here.config):
            if _model_of(result) == _model_of(other):
                found.append(f"is of the same model as {name}")
            elif _answers(result) == _answers(other):
                found.append(f"has the same answers as {name}")
    return found


def _model_of(result: Result) -> tuple[str | None, ...]:
    """Return what identifies a model: its files, or its name if they are unknown; and how it was run."""
    prompt = result.run.prompt
    return (
        result.model.digest or result.model.name,
        result.run.dtype,
        None if prompt is None else prompt.title,
    )


def _answers(result: Result) -> dict[str, tuple[str | None, str]]:
    table = result.seeds
    return dict(zip(table.seed_id, zip(table.predicted, table.variant_predictions, strict=True), strict=True))


def _recomputed(result: Result, datasets: Sequence[MergeDataset]) -> list[str]:
    dataset = next((each for each in datasets if each.digest == result.dataset.digest), None)
    if dataset is None:
        names = ", ".join(f"{each.name} ({each.digest[:8]})" for each in datasets)
        return [f"is on data with the digest {result.dataset.digest[:8]}: the leaderboard has {names}"]
    try:
        wrong = list(islice(differences(result, read_config(dataset, result.dataset.config)), SHOWN + 1))
    except (InputError, ValueError) as error:
        return [str(error)]
    return wrong if len(wrong) <= SHOWN else [*wrong[:SHOWN], "and more"]
