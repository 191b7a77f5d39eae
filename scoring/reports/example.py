"""Show one seed with some of its variants and how each model answered them, and sum up each model in a sentence."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from merge_snli.dataset import read_split
from merge_snli.schema import SEED
from merge_snli.table import TEXT_WIDTH
from scoring.reports.leaderboard.hardest import seeds_by_hardness
from scoring.results.grouping import distinct_names_of
from scoring.results.scores import NOT_SCORED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.dataset import MergeDataset
    from scoring.reports.leaderboard.hardest import HardSeed
    from scoring.results.result import Result

VARIANTS = 3

Answers = tuple[str, ...]
"""The answers of the models to one problem; `NOT_SCORED` for none."""


def example_text(results: Sequence[Result], dataset: MergeDataset) -> str:
    """Format a seed, three of its variants and the answers of each model.

    The seed is one that all models answer correctly, if there is one, with as many different answers to its variants as
    possible. Variants with different answers are preferred to others, then those with higher log-odds.

    Args:
        results: Results of at least one model on one config of the data set.
        dataset: The data set.
    """
    tables = [{seed.seed_id: seed for seed in seeds_by_hardness(result)} for result in results]
    shared = [seed_id for seed_id in results[0].seeds.seed_id if all(seed_id in table for table in tables)]
    correct = [seed_id for seed_id in shared if all(table[seed_id].seed_correct for table in tables)]
    answers = {seed_id: _answers(results, [table[seed_id] for table in tables]) for seed_id in correct or shared}
    chosen = max(answers, key=lambda seed_id: len(set(answers[seed_id])))
    names, seeds = distinct_names_of(results), [table[chosen] for table in tables]
    variants = list(zip(_rows(dataset, results[0].dataset.config, chosen), answers[chosen], strict=True))
    [seed] = _rows(dataset, SEED, chosen)
    blocks = [_block(f"Seed ({seeds[0].gold})", seed, names, seeds, tuple(each.predicted for each in seeds))]
    for row, of_models in _different(variants):
        blocks.append(_block(f"{row['original']} -> {row['replacement']}", row, names, seeds, of_models))
    return "\n".join(blocks)


def summary_text(results: Sequence[Result]) -> str:
    """Format one sentence per model: its accuracy on the seeds, and the share of seeds with enough correct variants."""
    lines = []
    for name, result in zip(distinct_names_of(results), results, strict=True):
        passing = result.scores.on_variants.pattern_accuracy.mean
        lines += textwrap.wrap(
            f"{name} answers {100 * result.scores.seed_sample_accuracy:.0f}% of problems correctly; asked for "
            f"{100 * result.quality_threshold:.0f}% of each problem's variants, "
            f"{'no share can be computed' if passing is None else f'{100 * passing:.0f}%'}.",
            TEXT_WIDTH,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, ""])


def _answers(results: Sequence[Result], seeds: Sequence[HardSeed]) -> list[Answers]:
    """Return the answers of the models to each variant of a seed."""
    return list(
        zip(
            *(
                [NOT_SCORED if answer == NOT_SCORED else result.compared_labels[int(answer)] for answer in answers]
                for result, seed in zip(results, seeds, strict=True)
                for answers in [result.seeds.variant_predictions[seed.index]]
            ),
            strict=True,
        )
    )


def _rows(dataset: MergeDataset, config: str, seed_id: str) -> list[dict[str, Any]]:
    return [row for row in read_split(dataset, config).to_pylist() if row["seed_id"] == seed_id]


def _different(variants: list[tuple[dict[str, Any], Answers]]) -> list[tuple[dict[str, Any], Answers]]:
    """Return the most probable variant of each tuple of answers first, then the others."""
    by_log_odds = sorted(variants, key=lambda variant: -variant[0]["log_odds"])
    first = {answers: row for row, answers in reversed(by_log_odds)}
    return sorted(by_log_odds, key=lambda variant: first[variant[1]] is not variant[0])[:VARIANTS]


def _block(title: str, row: dict[str, Any], names: Sequence[str], seeds: Sequence[HardSeed], answers: Answers) -> str:
    width = max(map(len, names))
    lines = [title]
    for name, sentence in (("P", row["premise"]), ("H", row["hypothesis"])):
        lines += textwrap.wrap(sentence, TEXT_WIDTH, initial_indent=f"  {name}: ", subsequent_indent=" " * 5)
    for model, seed, answer in zip(names, seeds, answers, strict=True):
        lines.append(f"  {model:{width}}  {answer}{'' if answer in (seed.gold, NOT_SCORED) else ' (wrong)'}")
    return "\n".join([*lines, ""])
