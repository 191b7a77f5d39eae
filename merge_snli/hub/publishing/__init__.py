"""Publish a data set, its loading script, the metric and a model's results on the Hub.

From outside, import the names listed in `__all__`, and the texts and checks that the command prints and runs.
"""

# ruff: noqa: E402 - the check comes before the imports that need the packages
from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("generation")

from merge_snli.hub.publishing.plan import Branch, Plan, plan
from merge_snli.hub.publishing.publish import Published, publish
from merge_snli.hub.publishing.results import propose_results

__all__ = ["Branch", "Plan", "Published", "plan", "propose_results", "publish"]
