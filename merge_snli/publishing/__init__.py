"""Publishing: a data set, its loading script and the metric on the Hub, whole or not at all."""

# ruff: noqa: E402 - the check comes before the imports that need the packages
from merge_snli.shadowing import check_not_shadowed

check_not_shadowed("generation", "scoring")

from merge_snli.publishing.plan import Branch, Plan, plan
from merge_snli.publishing.publish import Published, publish
from merge_snli.publishing.results import propose_results

__all__ = ["Branch", "Plan", "Published", "plan", "propose_results", "publish"]
