"""The tasks that Inspect finds under the name of the package: the entry point names this module."""

from merge_snli.annotation.judge_task import judge
from merge_snli.language_models.inspect_task import nli, nli_by_prompt

__all__ = ["judge", "nli", "nli_by_prompt"]
