"""`eval.yaml`: what tells the Hub that a data set is a benchmark, and which numbers models are ranked by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.schema import SEED

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

FRAMEWORK = "merge-snli"
"""Who takes the numbers. The Hub shows a leaderboard only for frameworks of a list that it keeps (docs/publish.md)."""

DESCRIPTION = (
    "Natural language inference problems in which a word that premise and hypothesis share is replaced in both. "
    "Pattern accuracy is the share of seed problems of whose variants a model classifies at least 90 % right, the mean "
    "over the subsamples; sample accuracy is the share of variants."
)


def eval_yaml(source: MergeDataset) -> bytes:
    """Return the file: a task for each number of each config of variants."""
    import yaml

    from scoring.results.eval_results import eval_tasks

    tasks = eval_tasks(config for config in source.configs if config != SEED)
    content = {
        "name": "MERGE",
        "description": DESCRIPTION,
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task.id, "config": task.config, "split": task.split} for task in tasks],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120).encode()
