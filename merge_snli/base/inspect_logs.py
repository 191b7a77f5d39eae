"""What is common to the logs of all tasks of Inspect."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.files import JsonObject
from merge_snli.base.limits import check_zip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspect_ai.log import EvalLog, EvalSample

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
# Samples of a log that are in memory at once.
SAMPLES_AT_ONCE = 500
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


def read_samples(path: Path) -> Iterator[EvalSample]:
    """Yield the samples of a log, finished or not.

    Inspect's own generator reads the directory of an `.eval` file, or the whole of a JSON file, again for each sample.
    """
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, read_eval_log_samples_by_id

    if path.suffix != ".eval":
        yield from read_eval_log(path).samples or ()
        return
    there = [(summary.id, summary.epoch) for summary in read_eval_log_sample_summaries(path)]
    for start in range(0, len(there), SAMPLES_AT_ONCE):
        yield from read_eval_log_samples_by_id(path, there[start : start + SAMPLES_AT_ONCE])


def settings_of(header: EvalLog) -> JsonObject:
    """Return the settings of the model; those of the command line override those of the task."""
    settings: JsonObject = header.plan.config.model_dump(exclude_none=True)
    return settings | header.eval.model_generate_config.model_dump(exclude_none=True)
