"""Files of the Hub's branch `script`, which `datasets` 3 loads through a loading script."""

from importlib.resources import files
from pprint import pformat

from merge_snli.base.files import JsonObject
from merge_snli.dataset.stored import MergeDataset

SCRIPT_BRANCH = "script"
# The line of `builder.py` to replace with the description of the data set.
PLACEHOLDER = "DATA_SET: dict[str, Any] | None = None\n"


def script_names(repo_name: str) -> tuple[str, str]:
    """Return the file names of the loading script and the schema in a repository."""
    return f"{repo_name}.py", "schema.py"


def script_files(dataset: MergeDataset, *, repo_name: str = "merge_snli") -> dict[str, bytes]:
    """Return the loading script and its schema.

    The branch also contains the data files, with the same names as on `main`, so that script and data always match.
    The Hub stores equal files once.

    Args:
        dataset: The data set.
        repo_name: Name of the repository without its owner; `datasets` expects a script of that name.

    Returns:
        Contents by path.
    """
    from merge_snli.builder import describe
    from merge_snli.dataset.record_file import as_json

    script = files("merge_snli").joinpath("builder.py").read_text(encoding="utf-8")
    loading, schema = script_names(repo_name)
    return {
        loading: _with_description(script, describe(as_json(dataset.record))).encode(),
        schema: files("merge_snli").joinpath(schema).read_bytes(),
    }


def _with_description(script: str, description: JsonObject) -> str:
    """Insert the description, which has the version of the data, so that new data is never served from the cache."""
    literal = pformat(description, sort_dicts=False, compact=True, width=100)
    return script.replace(PLACEHOLDER, f"DATA_SET: dict[str, Any] | None = {literal}\n")
