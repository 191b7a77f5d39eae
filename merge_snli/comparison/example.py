"""Show variants drawn at random and how each model answered them, and sum up each model in a sentence."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from merge_snli.answers.opening import open_config
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.dataset.stored import MergeDataset
from merge_snli.results.grouping import distinct_names_of
from merge_snli.results.result import Result
from merge_snli.results.scores import NO_ANSWER_TEXT

VARIANTS = 5
RANDOM_SEED = 0


def example_text(results: Sequence[Result], dataset: MergeDataset) -> str:
    """Format variants drawn at random, with the answers of each model to them and to their seeds.

    The draw takes the variants with the smallest sha256 of the JSON list [`RANDOM_SEED`, variant id], as
    `merge-snli annotate sample` does, so nobody picks them and they are the same in every run.

    Args:
        results: Results of at least one model on one config of the data set.
        dataset: The data set.
    """
    rows = open_config(dataset, results[0].dataset.config).table.to_pylist()
    texts = dataset.record.texts
    drawn = sorted(rows, key=lambda row: sha256_of_json([RANDOM_SEED, row["variant_id"]]))[:VARIANTS]
    heading = (
        f"{len(drawn)} of {len(rows):,} variants, drawn at random (random seed {RANDOM_SEED}): the replaced word, the "
        f"label, {texts.first} and {texts.second}, and each model's answers to the seed, which has the original word, "
        "and to the variant."
    )
    wanted = pa.array([row["seed_id"] for row in drawn] + [row["variant_id"] for row in drawn])
    given = {}
    for name, result in zip(distinct_names_of(results), results, strict=True):
        given[name] = _answers(result.table, wanted)
    lines = [*textwrap.wrap(heading, TEXT_WIDTH), ""]
    for row in drawn:
        lines += _block(row, dataset.record.label_names[row["label"]], given)
    return "\n".join(lines)


def summary_text(results: Sequence[Result]) -> str:
    """Format one sentence per model: its accuracy on the seeds, and the share of seeds with enough correct variants."""
    lines = []
    for name, result in zip(distinct_names_of(results), results, strict=True):
        passing, on_seeds = result.scores.pattern_accuracy.mean, result.scores.seed_accuracy or 0.0
        share = "none" if passing is None else f"{100 * passing:.0f}%"
        sentences = (
            f"{name} answers {100 * on_seeds:.0f}% of seeds correctly. For {share} of seeds, it answers at least "
            f"{100 * result.quality_threshold:.0f}% of the variants correctly."
        )
        lines += textwrap.wrap(sentences, TEXT_WIDTH, break_on_hyphens=False)
    return "\n".join([*lines, ""])


def _answers(table: pa.Table, ids: pa.Array) -> dict[str, str]:
    """Return a model's answers to some rows and seeds, by id."""
    rows = table.filter(pc.is_in(table["row_id"], value_set=ids))
    answers = pc.coalesce(rows["answer"].cast(pa.string()), pa.scalar(NO_ANSWER_TEXT))
    return dict(zip(rows["row_id"].to_pylist(), answers.to_pylist(), strict=True))


def _block(row: dict[str, Any], gold: str, given: Mapping[str, Mapping[str, str]]) -> list[str]:
    lines = [f"{row['original']} -> {row['replacement']} ({gold})"]
    for name, sentence in (("P", row["premise"]), ("H", row["hypothesis"])):
        lines += textwrap.wrap(sentence, TEXT_WIDTH, initial_indent=f"  {name}: ", subsequent_indent=" " * 5)
    width = max(map(len, given))
    for name, answers in given.items():
        on_seed = _marked(answers.get(row["seed_id"]), gold)
        on_variant = _marked(answers.get(row["variant_id"]), gold)
        lines.append(f"  {name:{width}}  seed: {on_seed}, variant: {on_variant}")
    return [*lines, ""]


def _marked(answer: str | None, gold: str) -> str:
    if answer is None:
        return "-"
    return answer if answer == gold else f"{answer} (wrong)"
