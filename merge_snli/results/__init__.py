"""Compute, store, check and show what follows from answers: scores, rows and groups of prompts."""

from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("metrics")
