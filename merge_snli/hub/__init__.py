"""Publish a data set, its loading script, the metric and a model's results on the Hub, and register a data set.

A registered data set and the metric load by bare name from any folder, through the caches of the libraries.
"""

from merge_snli.base.shadowing import check_not_shadowed

check_not_shadowed("generation")
