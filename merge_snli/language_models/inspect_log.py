"""Read a log of the Inspect task `merge_snli/nli`."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError, param, reason
from merge_snli.language_models.inspect_task import RECORD, nli_answer
from merge_snli.language_models.logs import Log, Usage, asked_part
from merge_snli.scoring.results.records import GENERATED, PromptRecord

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

HARNESS = "inspect_ai"
SCORER = nli_answer.__name__
CONNECTION = frozenset(
    {
        "adaptive_connections",
        "attempt_timeout",
        "batch",
        "cache",
        "cache_prompt",
        "max_connections",
        "max_retries",
        "stream_idle_timeout",
        "temperature",
        "timeout",
    }
)
"""Settings that do not change answers, or have a field of their own."""
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
"""What Inspect raises for a file that is not a whole log."""


def read_inspect_log(path: Path) -> Log:
    """Read a log, `.eval` or `.json`, finished or not.

    Samples without a score, because the run stopped or they failed, have no answer in the result.

    Raises:
        InputError: If the file is not a whole log, is on another task, has several epochs, or was scored otherwise.
    """
    from inspect_ai._util.error import PrerequisiteError

    try:
        return _read(path)
    except InputError:
        raise
    except (*BROKEN, PrerequisiteError) as error:
        raise InputError(f"{path} is not a whole log of merge_snli/nli ({reason(error)}): copy it again") from error


def _read(path: Path) -> Log:
    from inspect_ai.log import read_eval_log, read_eval_log_samples

    labels: dict[str, str | None] = {}
    texts: dict[str, str] = {}
    usage: dict[tuple[str, ...], Usage] = {}
    header = read_eval_log(path, header_only=True)
    record = (header.eval.metadata or {}).get(RECORD)
    if not isinstance(record, dict) or "dataset" not in record:
        raise InputError(f"{path} is a log of the task {header.eval.task}, not of merge_snli/nli")
    if (header.eval.config.epochs or 1) > 1:
        raise InputError(f"{path} has several epochs, and a result has one answer per pair: use {param('epochs')} 1")
    for sample in read_eval_log_samples(path, all_samples_required=False):
        usage[str(sample.id), str(sample.epoch), sample.uuid or str(path)] = _usage(sample)
        if sample.error is None and sample.scores:
            labels[str(sample.id)] = _answer(sample, path)
            texts[str(sample.id)] = sample.output.completion
    provider, _, model = header.eval.model.partition("/")
    return Log(
        path=path,
        model=model or provider,
        dataset=str(record["dataset"]),
        name=str(record.get("name")),
        part=asked_part(record, path),
        labels=labels,
        texts=texts,
        usage=usage,
        prompt=PromptRecord(
            harness=HARNESS,
            harness_version=header.eval.packages.get(HARNESS),
            provider=provider,
            prompt=Path(str(record["prompt"])).name,
            prompt_digest=str(record["prompt_digest"]),
            shots=int(record["shots"]),
            answers=GENERATED,
            temperature=_settings(header).get("temperature"),
            calls=0,
            input_tokens=None,
            output_tokens=None,
            retries=None,
            settings={
                name: json.dumps(value, sort_keys=True)
                for name, value in _settings(header).items()
                if name not in CONNECTION
            },
        ),
        versions=dict(header.eval.packages),
    )


def _usage(sample: EvalSample) -> Usage:
    events = [event for event in sample.events if event.event == "model"]
    failed = sum(event.error is not None for event in events)  # such as attempts that took too long
    return Usage(
        calls=max(1, len(events) - failed),
        input_tokens=sum(usage.input_tokens for usage in sample.model_usage.values()),
        output_tokens=sum(usage.output_tokens for usage in sample.model_usage.values()),
        retries=failed + sum(event.retries or 0 for event in events) + len(sample.error_retries or []),
    )


def _answer(sample: EvalSample, path: Path) -> str | None:
    score = (sample.scores or {}).get(SCORER)
    if score is None:
        raise InputError(f"{path}: sample {sample.id} was not scored by {SCORER}: score it with merge_snli/nli")
    return score.answer


def _settings(header: EvalLog) -> dict[str, Any]:
    """Return the settings of the task, overridden by those of the command line."""
    return {
        **header.plan.config.model_dump(exclude_none=True),
        **header.eval.model_generate_config.model_dump(exclude_none=True),
    }
