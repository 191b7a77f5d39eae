"""Write `eval.yaml`, which registers a data set as a benchmark on the Hub and names its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from merge_snli.dataset.stored import label_names, read_split
from merge_snli.schema import SEED, TEST

if TYPE_CHECKING:
    from merge_snli.dataset.stored import MergeDataset

FRAMEWORK = "inspect-ai"
"""The evaluation framework, from the Hub's list."""

DESCRIPTION = (
    "Natural language inference problems in which a word shared by premise and hypothesis is replaced in both. "
    "Pattern accuracy is the share of seed problems with at least 90% of their variants classified correctly, "
    "averaged over the subsamples. Sample accuracy is the share of variants classified correctly. "
    "The tasks here ask every variant and report sample accuracy. For pattern accuracy, install merge-snli[inspect] "
    "and run: inspect eval merge_snli/nli -T dataset=ORG/NAME -T config=CONFIG"
)

METADATA = ("premise", "hypothesis", "seed_id", "variant_id", "word_class", "original", "replacement")
"""Columns that the prompt or a reader of a log needs."""


def eval_yaml(dataset: MergeDataset) -> bytes:
    """Return the content of `eval.yaml`: one task per metric and config of variants."""
    import yaml

    from merge_snli.scoring.results.eval_results import eval_tasks

    tasks = eval_tasks(config for config in dataset.configs if config != SEED)
    content = {
        "name": "MERGE",
        "description": DESCRIPTION,
        "evaluation_framework": FRAMEWORK,
        "tasks": [
            {"id": task, "config": config, "split": TEST, **_inspect_fields(dataset, config)}
            for task, config in tasks.items()
        ],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120).encode()


def _inspect_fields(dataset: MergeDataset, config: str) -> dict[str, Any]:
    """Return how Inspect asks and scores a task: only its own solvers and scorers can be named here.

    The label is a number in the data, so the model is asked for the number.
    """
    names = label_names(read_split(dataset, config))
    numbers = ", ".join(f"{number} for {name}" for number, name in enumerate(names))
    template = (
        f"How does the hypothesis relate to the premise? Answer with one number: {numbers}.\n\n"
        "Premise: {premise}\nHypothesis: {hypothesis}\nAnswer:"
    )
    digits = "".join(map(str, range(len(names))))
    return {
        "field_spec": {"input": "premise", "target": "label", "metadata": list(METADATA)},
        "solvers": [{"name": "prompt_template", "args": {"template": template}}, {"name": "generate"}],
        "scorers": [{"name": "pattern", "args": {"pattern": rf"(?:^|\D)([{digits}])\D*$"}}],
    }
