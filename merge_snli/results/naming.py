"""Name the files of results."""

import re
from pathlib import Path

from merge_snli.base.files import sha256_of_json
from merge_snli.results.result import Result


def file_name(result: Result) -> str:
    """Return the file name of a result, unique per model, dtype, prompt, data and config.

    A function without a digest is identified by its name, because `safe_name` may drop most of it.
    """
    digest = result.model.digest
    data = result.dataset
    suffix = f"function-{sha256_of_json(result.model.name)[:8]}" if digest is None else digest[:8]
    if result.run.dtype not in (None, "float32"):
        suffix = f"{result.run.dtype}-{suffix}"
    model = f"{safe_name(result.model.name)}-{suffix}"
    return f"{model}_{safe_name(data.name)}-{data.digest[:8]}-{safe_name(data.config or 'groups')}.json"


def answers_name(name: str) -> str:
    """Return the name of the file of the answers of a result file."""
    return f"{name.removesuffix('.json')}.parquet"


def work_folder(out: Path) -> Path:
    """Return the work folder of an output folder: `OUT.work`."""
    return out.resolve().with_name(f"{out.resolve().name}.work")


def safe_name(name: str) -> str:
    """Return a name that is safe as a part of a file name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.")[:60] or "model"
