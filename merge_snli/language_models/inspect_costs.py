"""Prices of models for Inspect, and a limit on what all samples of a run cost together."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import yaml
from inspect_ai.hooks import Hooks, ModelUsageData, hooks
from inspect_ai.log import EvalSpec
from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
from inspect_ai.model._model import model_usage  # that of the log before a retry, when a task starts
from inspect_ai.util import EarlyStop, EarlyStopping

from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject

# What the calls of each run have cost so far, in dollars, by the id of the run.
SPENT: defaultdict[str | None, float] = defaultdict(float)
# A limit per sample, which none reaches, makes Inspect check before a run that the prices of its models are known.
UNREACHED = 1e9


def set_prices(path: str) -> None:
    """Tell Inspect the prices of models, also of those that it does not know.

    Args:
        path: A YAML or JSON file with four prices for each model, in dollars per million tokens, as
            `--model-cost-config` of Inspect takes it.

    Raises:
        InputError: If the file cannot be read, or is not such a file.
    """
    with explained(
        (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError),
        f"{path} is not a file of prices such as 'openai/MODEL: {{input: 2.5, output: 10, input_cache_write: 2.5, "
        f"input_cache_read: 1.25}}': ⟦reason⟧",
    ):
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        costs = {model: ModelCost(**prices) for model, prices in content.items()}
    for model, cost in costs.items():
        set_model_info(model, (get_model_info(model) or ModelInfo()).model_copy(update={"cost": cost}))


@hooks(name="spent", description="Adds up what the calls of each run cost.")
class Spent(Hooks):
    """Adds up what the calls of each run cost, those of failed samples and of a second reader included."""

    async def on_model_usage(self, data: ModelUsageData) -> None:
        """Add what a call cost."""
        SPENT[data.run_id] += data.usage.total_cost or 0.0


@dataclass
class CostLimit(EarlyStopping):
    """Starts no sample after all samples of the run, with any prompt, have cost a limit.

    Attributes:
        limit: The limit in dollars.
        reader: The model that reads unread replies, which Inspect does not count among those of a task; None for none.
        run: Id of the run.
    """

    limit: float
    reader: str | None
    run: str = ""

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            InputError: If the limit is not a positive number, or the price of the reader is not known.
        """
        if not isinstance(self.limit, int | float) or not self.limit > 0:
            raise InputError(f"⟦cost_limit⟧ is {self.limit!r}: give a number of dollars above 0")
        if self.reader is not None and (get_model_info(self.reader) or ModelInfo()).cost is None:
            raise InputError(f"⟦cost_limit⟧ needs the price of {self.reader}: add it to ⟦prices⟧")

    async def start_task(self, task: EvalSpec, *_: object, **__: object) -> str:
        """Add what the task cost before a retry, and return the name of the limit."""
        self.run = task.run_id
        SPENT[self.run] += sum(usage.total_cost or 0.0 for usage in model_usage().values())
        return "cost_limit"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Stop the sample if the limit is reached."""
        reached = SPENT[self.run] >= self.limit
        return EarlyStop(id=id, epoch=epoch, reason=f"cost limit of {self.limit} dollars") if reached else None

    async def complete_sample(self, *_: object) -> None:
        """Do nothing: `Spent` counts calls."""

    async def complete_task(self) -> JsonObject:
        """Return what the run has cost so far, for the log."""
        return {"cost": SPENT[self.run]}
