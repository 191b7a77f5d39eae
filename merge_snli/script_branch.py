"""What the branch `script` of a data set's repository holds, for `datasets` before version 4."""

from __future__ import annotations

from importlib.resources import files
from pprint import pformat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

SCRIPT_BRANCH = "script"
UNDESCRIBED = "DATA_SET: dict[str, Any] | None = None\n"
"""The line of `builder.py` that the description of the data set replaces."""


def script_names(repo_name: str) -> tuple[str, str]:
    """Return the names of the loading script and of the schema beside it, in a repository of that name."""
    return f"{repo_name}.py", "schema.py"


def script_files(source: MergeDataset, *, repo_name: str = "merge_snli") -> dict[str, bytes]:
    """Return the files of the branch `script` but for the data.

    Beside these the branch holds the data files that the run recorded, under the same names as on `main`: script and
    data then always fit each other, and the Hub stores files of the same content once.

    Args:
        source: The data set.
        repo_name: The repository's name without its owner: `datasets` looks for a script of that name.

    Returns:
        Contents by path: the loading script and `schema.py`.
    """
    from merge_snli.builder import describe
    from merge_snli.record import as_json

    script = files("merge_snli").joinpath("builder.py").read_text(encoding="utf-8")
    loading, schema = script_names(repo_name)
    return {
        loading: _described(script, describe(as_json(source.record))).encode(),
        schema: files("merge_snli").joinpath(schema).read_bytes(),
    }


def _described(script: str, description: dict[str, Any]) -> str:
    """Write what the data set has into the script, with the data's version, so that new data is never taken for old."""
    before, found, after = script.partition(UNDESCRIBED)
    if not found:
        raise RuntimeError("builder.py has lost the line of DATA_SET")
    literal = pformat(description, sort_dicts=False, compact=True, width=100)
    return f"{before}DATA_SET: dict[str, Any] | None = {literal}\n{after}"
