"""Show what the prompt changes in the answers of language models."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple

from merge_snli.base.table import Column, Table
from merge_snli.scoring.results.over_prompts import OverPrompts
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.score_table import MODEL, PA, percent


def prompt_table(results: Iterable[Result], names: Sequence[str] | None = None) -> Table | None:
    """Return what the prompt changes, one row per model that was asked with several, in percent; None without any.

    Args:
        results: Results on one config of one data set, with those of several prompts merged.
        names: Display names of the models; by default the titles of the results.
    """
    listed = list(results)
    named = zip([result.title for result in listed] if names is None else names, listed, strict=True)
    rows = [(name, result) for name, result in named if isinstance(result, OverPrompts)]
    if not rows:
        return None
    first = rows[0][1]
    group, row = first.units
    shares = (PA, "Lowest", "Highest", f"{group.capitalize()}s changed", f"{row.capitalize()}s changed", "Over prompts")
    return Table(
        title="Prompts",
        columns=(MODEL, *(Column(name, format=".1f") for name in shares)),
        rows=tuple((name, *map(percent, astuple(result.effect))) for name, result in rows),
        notes=(
            f"{PA}, Lowest, Highest: mean over the prompts, and the prompts with the lowest and the highest value.",
            f"Changed: share of the {group}s and {row}s whose answer is not the same with every prompt.",
            f"Over prompts: share of {group}s with at least {first.quality_threshold:.0%} of their pairs of a {row} "
            "and a prompt correct.",
            *(f"{name}, {PA} by prompt: {_by_prompt(result)}." for name, result in rows),
        ),
    )


def _by_prompt(result: OverPrompts) -> str:
    return "; ".join(f"{title} {percent(each.pattern_accuracy)}" for title, each in result.prompts.items())
