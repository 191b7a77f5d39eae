"""Show variants drawn at random and how each model answered them, and sum up each model in a sentence."""

import textwrap
from collections.abc import Sequence

import pyarrow as pa

from merge_snli.answers.opening import open_config
from merge_snli.base.files import sha256_of_json
from merge_snli.base.table import TEXT_WIDTH
from merge_snli.base.templates import text_template
from merge_snli.dataset.stored import MergeDataset
from merge_snli.results.grouping import results_by_name
from merge_snli.results.result import Result
from merge_snli.results.scores import NO_ANSWER_TEXT

VARIANTS = 5
RANDOM_SEED = 0

EXAMPLES = """\
{% macro marked(answer, gold) %}{{ answer }}{{ "" if answer == gold else " (wrong)" }}{% endmacro %}
{% filter wordwrap(width) %}
{{ drawn | length }} of {{ "{:,}".format(variants) }} variants, drawn at random (random seed {{ random_seed }}): the \
replaced word, the label, {{ texts.first }} and {{ texts.second }}, and each model's answers to the seed, which has \
the original word, and to the variant.
{% endfilter %}

{% for row in drawn %}

{% set gold = labels[row.label] %}
{{ row.original }} -> {{ row.replacement }} ({{ gold }})
  P: {{ row.premise | wordwrap(width - 5) | indent(5) }}
  H: {{ row.hypothesis | wordwrap(width - 5) | indent(5) }}
{% for name, answers in given.items() %}
  {{ name.ljust(longest) }}  seed: {{ marked(answers[row.seed_id], gold) }}, variant: \
{{ marked(answers[row.variant_id], gold) }}
{% endfor %}
{% endfor %}"""


def example_text(results: Sequence[Result], dataset: MergeDataset) -> str:
    """Format variants drawn at random, with the answers of each model to them and to their seeds.

    The draw takes the variants with the smallest sha256 of the JSON list [`RANDOM_SEED`, variant id], as
    `merge-snli annotate sample` does, so nobody picks them and they are the same in every run.

    Args:
        results: Results of at least one model on one config of the data set, with answers to all variants and seeds.
        dataset: The data set.
    """
    rows = open_config(dataset, results[0].dataset.config).table.to_pylist()
    given = {}
    for name, result in results_by_name(results).items():
        answers = result.table["answer"].cast(pa.string()).fill_null(NO_ANSWER_TEXT)
        given[name] = dict(zip(result.table["row_id"].to_pylist(), answers.to_pylist(), strict=True))
    return text_template(EXAMPLES).render(
        drawn=sorted(rows, key=lambda row: sha256_of_json([RANDOM_SEED, row["variant_id"]]))[:VARIANTS],
        variants=len(rows),
        random_seed=RANDOM_SEED,
        texts=dataset.record.texts,
        labels=dataset.record.label_names,
        given=given,
        longest=max(map(len, given)),
        width=TEXT_WIDTH,
    )


def summary_text(results: Sequence[Result]) -> str:
    """Format one sentence per model: its accuracy on the seeds, and the share of seeds with enough correct variants."""
    text = ""
    for name, result in results_by_name(results).items():
        passing = result.scores.pattern_accuracy.mean
        on_seeds = result.scores.seed_accuracy or 0.0
        share = "none" if passing is None else f"{100 * passing:.0f}%"
        sentences = (
            f"{name} answers {100 * on_seeds:.0f}% of seeds correctly. For {share} of seeds, it answers at least "
            f"{100 * result.quality_threshold:.0f}% of the variants correctly."
        )
        text += textwrap.fill(sentences, TEXT_WIDTH, break_on_hyphens=False) + "\n"
    return text
