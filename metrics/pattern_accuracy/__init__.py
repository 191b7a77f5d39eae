"""Pattern accuracy: the share of groups of related problems that a model classifies correctly.

Import from `metrics.pattern_accuracy.core`, which needs numpy only; `pattern_accuracy.py` is the `evaluate` module.
"""
