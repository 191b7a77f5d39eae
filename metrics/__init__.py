"""Metrics in the form that `evaluate` loads: one folder each, holding all that its Space needs."""
