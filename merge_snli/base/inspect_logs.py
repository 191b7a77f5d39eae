"""What is common to the logs of all tasks of Inspect."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.limits import check_zip

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

# Settings that do not change answers, or have a field of their own.
CONNECTION = frozenset(
    {
        "adaptive_connections",
        "attempt_timeout",
        "batch",
        "cache",
        "cache_prompt",
        "logprobs",
        "max_connections",
        "max_retries",
        "stream_idle_timeout",
        "temperature",
        "timeout",
        "top_logprobs",
    }
)
# What Inspect raises for a file that is not a whole log.
BROKEN = (
    AssertionError,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_header(path: Path) -> EvalLog:
    """Return a log without its samples, after checking that the log is not too large to be read.

    Raises:
        InputError: If it is. Of a file that is not a whole log, Inspect raises the errors of `BROKEN`.
    """
    from inspect_ai.log import read_eval_log  # with which zipfile reads members compressed with Zstandard

    if path.suffix == ".eval":
        check_zip(path)
    return read_eval_log(path, header_only=True)


def settings_of(header: EvalLog) -> dict[str, Any]:
    """Return the settings of the model; those of the command line override those of the task."""
    configs = header.plan.config, header.eval.model_generate_config
    return {name: value for config in configs for name, value in config.model_dump(exclude_none=True).items()}
