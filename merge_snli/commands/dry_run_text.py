"""What a dry run found, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generation.dry_run import DryRun

BYTES_PER_MEGABYTE = 1_000_000


def dry_run_text(found: DryRun) -> str:
    """Return how many forms, how long and how much disk, a line a masked LM."""
    width = max(len(mlm.name) for mlm in found.masked_lms)
    header = f"{'masked LM':{width}}{'forms':>12}{'refused':>10}{'forms/s':>10}{'time':>12}{'disk':>12}"
    lines = [
        f"{mlm.name:{width}}{mlm.forms:12,}{sum(mlm.refused.values()):10,}{mlm.forms_per_second:10,.0f}"
        f"{duration(mlm.seconds):>12}{mlm.bytes / BYTES_PER_MEGABYTE:9,.1f} MB"
        for mlm in found.masked_lms
    ]
    seconds, size = (sum(getattr(mlm, name) for mlm in found.masked_lms) for name in ("seconds", "bytes"))
    looked_at = "" if found.sampled == found.problems else f", {found.sampled:,} of them looked at"
    return "\n".join(
        [
            f"{found.problems:,} problems with a gold label{looked_at}: about {found.words:,} words to replace in "
            f"{found.forms:,} forms",
            header,
            *lines,
            f"about {duration(seconds)} for the masked LMs on this machine ({found.device}) and "
            f"{size / BYTES_PER_MEGABYTE:,.1f} MB of answers, if none is stored yet; nothing was written",
            "",
        ]
    )


def duration(seconds: float) -> str:
    """Return a time as hours and minutes, minutes and seconds, or seconds."""
    whole = round(seconds)
    hours, minutes = whole // 3_600, whole // 60 % 60
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {whole % 60:02} s" if minutes else f"{seconds:.1f} s"
