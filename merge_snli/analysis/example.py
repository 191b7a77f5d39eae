"""Show variants drawn at random and how each model answered them, and sum up each model in a sentence."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.scoring.results.grouping import distinct_names_of
from merge_snli.scoring.results.result import Result
from merge_snli.scoring.results.scores import NO_ANSWER_TEXT, NOT_ASKED, label_of

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
    table = read_split(dataset, str(results[0].dataset.config))
    rows, labels, texts = table.to_pylist(), dataset.record.label_names, dataset.record.texts
    drawn = sorted(_with_places(rows), key=lambda each: sha256_of_json([RANDOM_SEED, each[0]["variant_id"]]))[:VARIANTS]
    heading = (
        f"{len(drawn)} of {len(rows):,} variants, drawn at random (random seed {RANDOM_SEED}): the replaced word, the "
        f"label, {texts.first} and {texts.second}, and each model's answers to the seed, which has the original word, "
        "and to the variant."
    )
    blocks = ["\n".join([*textwrap.wrap(heading, TEXT_WIDTH), ""])]
    return "\n".join([*blocks, *(_block(row, place, labels[row["label"]], results) for row, place in drawn)])


def summary_text(results: Sequence[Result]) -> str:
    """Format one sentence per model: its accuracy on the seeds, and the share of seeds with enough correct variants."""
    lines = []
    for name, result in zip(distinct_names_of(results), results, strict=True):
        passing, on_seeds = result.scores.pattern_accuracy.mean, result.scores.anchor_accuracy or 0.0
        lines += textwrap.wrap(
            f"{name} answers {100 * on_seeds:.0f}% of seeds correctly. For "
            f"{'none' if passing is None else f'{100 * passing:.0f}%'} of seeds, it answers at least "
            f"{100 * result.quality_threshold:.0f}% of the variants correctly.",
            TEXT_WIDTH,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, ""])


def _with_places(rows: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], int]]:
    """Return each row with its place among the variants of its seed, which is that of its prediction in results."""
    places: Counter[str] = Counter()
    found = []
    for row in rows:
        found.append((row, places[row["seed_id"]]))
        places[row["seed_id"]] += 1
    return found


def _block(row: dict[str, Any], place: int, gold: str, results: Sequence[Result]) -> str:
    lines = [f"{row['original']} -> {row['replacement']} ({gold})"]
    for name, sentence in (("P", row["premise"]), ("H", row["hypothesis"])):
        lines += textwrap.wrap(sentence, TEXT_WIDTH, initial_indent=f"  {name}: ", subsequent_indent=" " * 5)
    names = distinct_names_of(results)
    for name, result in zip(names, results, strict=True):
        on_seed, on_variant = (_marked(answer, gold) for answer in _answers(result, row["seed_id"], place))
        lines.append(f"  {name:{max(map(len, names))}}  seed: {on_seed}, variant: {on_variant}")
    return "\n".join([*lines, ""])


def _answers(result: Result, seed_id: str, place: int) -> tuple[str, str]:
    """Return a model's answers to a seed and to one of its variants; `NOT_ASKED` for none."""
    table = result.groups
    if seed_id not in table.id:
        return NOT_ASKED, NOT_ASKED
    index = table.id.index(seed_id)
    on_seed = None if table.anchors is None else table.anchors[index]
    return on_seed or NO_ANSWER_TEXT, label_of(table.predictions[index][place], result.compared_labels)


def _marked(answer: str, gold: str) -> str:
    return answer if answer in (gold, NOT_ASKED) else f"{answer} (wrong)"
