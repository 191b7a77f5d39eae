"""The part of a stage's work that one task does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """Every `tasks`-th item, from the one with the task's number.

    Attributes:
        task: The number of the task, from 0.
        tasks: The number of tasks.
    """

    task: int
    tasks: int

    def __contains__(self, number: int) -> bool:
        """Return whether the task does the item of this number."""
        return number % self.tasks == self.task
