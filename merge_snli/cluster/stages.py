"""The stages of a run on a cluster: what their tasks do, and which stage waits for which."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from merge_snli.cluster.options import EVALUATE, FILTERS, MASKED_LM, PREDICT, TAG, WRITE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from generation.task_plan import GenerationPlan
    from merge_snli.progress import Stage
    from merge_snli.share import Share
    from scoring.tasks import ScoringPlan


@dataclass(frozen=True, kw_only=True)
class ClusterStage:
    """A stage of a run.

    Attributes:
        name: Its name, for example that of a masked LM.
        kind: The table of the cluster file that it takes its options from.
        unit: The unit that its tasks count.
        work: Does the share of one task.
        shards: Number of items that are divided among its tasks, and so the largest number of tasks.
        step: Its place in the order; it waits for all stages of earlier steps.
        after_failures: Start even if one of these has failed.
    """

    name: str
    kind: str
    unit: str
    work: Callable[[Share, Stage], None]
    shards: int
    step: int
    after_failures: bool = False

    def folder(self, run_folder: Path, tasks: int) -> Path:
        """Return the folder of its logs and completed tasks, which depend on how the work is divided."""
        safe_name = re.sub(r"[^A-Za-z0-9._]+", "-", self.name).strip("-")
        return run_folder / f"{self.step}-{safe_name}-{tasks}"


def generation_stages(plan: GenerationPlan) -> tuple[ClusterStage, ...]:
    """Return the stages that generate a data set."""
    from generation import tasks

    masked_lms = (
        ClusterStage(
            name=mlm.name,
            kind=MASKED_LM,
            unit="forms",
            work=partial(tasks.answer, plan, mlm.name),
            shards=plan.shards,
            step=1,
        )
        for mlm in plan.masked_lms
    )
    return (
        ClusterStage(
            name="read and tag", kind=TAG, unit="problems", work=partial(tasks.tag, plan), shards=plan.shards, step=0
        ),
        *masked_lms,
        ClusterStage(
            name="filters and sets",
            kind=FILTERS,
            unit="shards",
            work=partial(tasks.make_variants, plan),
            shards=plan.shards,
            step=2,
        ),
        ClusterStage(name="write", kind=WRITE, unit="data set", work=partial(tasks.write, plan), shards=1, step=3),
    )


def scoring_stages(plan: ScoringPlan, models: Sequence[str]) -> tuple[ClusterStage, ...]:
    """Return the stages that score models.

    Args:
        plan: The run.
        models: The display names of the models to predict with.
    """
    from scoring import tasks

    predict = (
        ClusterStage(
            name=name, kind=PREDICT, unit="pairs", work=partial(tasks.predict, plan, name), shards=plan.pairs, step=0
        )
        for name in models
    )
    evaluate = partial(tasks.evaluate, plan)
    last = ClusterStage(
        name="evaluate", kind=EVALUATE, unit="models", work=evaluate, shards=1, step=1, after_failures=True
    )
    return (*predict, last)
