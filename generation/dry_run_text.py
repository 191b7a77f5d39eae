"""Format the estimate of a dry run as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.base.progress import format_duration
from merge_snli.base.table import Column, Table

if TYPE_CHECKING:
    from generation.dry_run import DryRun, MaskedLMEstimate

BYTES_PER_MB = 1_000_000


def dry_run_text(found: DryRun) -> str:
    """Return the estimated number of forms, time and disk space, with a row per step and masked LM."""
    sampled = "" if found.sampled == found.problems else f" ({found.sampled:,} sampled)"
    size = sum(mlm.bytes for mlm in found.masked_lms)
    table = Table(
        title=f"{found.problems:,} problems with a gold label{sampled}: about {found.words:,} words to replace in "
        f"{found.forms:,} forms",
        columns=(
            Column("step", "left"),
            Column("forms"),
            Column("refused"),
            Column("forms/s", format=",.0f"),
            Column("time"),
            Column("MB"),
        ),
        rows=(
            _step("loading", found.loading),
            _step("reading and tagging", found.reading),
            *map(_masked_lm, found.masked_lms),
            _step("filters and sets", found.filters),
            _step("writing", found.writing),
        ),
        notes=(
            f"Total: about {format_duration(found.seconds)} on this machine ({found.device}) and "
            f"{size / BYTES_PER_MB:,.1f} MB of answers, if no answers are cached.",
            "Nothing was written.",
        ),
    )
    return table.text()


def _step(name: str, seconds: float) -> tuple[str | None, ...]:
    return (name, None, None, None, format_duration(seconds), None)


def _masked_lm(mlm: MaskedLMEstimate) -> tuple[str | float, ...]:
    return (
        mlm.name,
        mlm.forms,
        sum(mlm.refused.values()),
        mlm.forms_per_second,
        format_duration(mlm.seconds),
        mlm.bytes / BYTES_PER_MB,
    )
