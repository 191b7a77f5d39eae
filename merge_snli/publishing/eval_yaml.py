"""Write `eval.yaml`, which registers a data set as a benchmark on the Hub and names its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.schema import SEED

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

FRAMEWORK = "merge-snli"
"""The evaluation framework. The Hub shows leaderboards only for frameworks on its own list (docs/publish.md)."""

DESCRIPTION = (
    "Natural language inference problems in which a word shared by premise and hypothesis is replaced in both. "
    "Pattern accuracy is the share of seed problems with at least 90% of their variants classified correctly, "
    "averaged over the subsamples. Sample accuracy is the share of variants classified correctly."
)


def eval_yaml(dataset: MergeDataset) -> bytes:
    """Return the content of `eval.yaml`: one task per metric and config of variants."""
    import yaml

    from scoring.results.eval_results import eval_tasks

    tasks = eval_tasks(config for config in dataset.configs if config != SEED)
    content = {
        "name": "MERGE",
        "description": DESCRIPTION,
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task.id, "config": task.config, "split": task.split} for task in tasks],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120).encode()
