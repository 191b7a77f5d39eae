"""Read the data that models answer, in groups, and join, take and count their answers."""

from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("metrics")
