"""Predict the pairs of a data set with NLI models, and score the answers."""

from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("metrics")
