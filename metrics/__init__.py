"""Metrics for `evaluate`, one folder each with everything that its Space on the Hub needs.

Import the functions of `metrics.pattern_accuracy.core`, or load a folder with `evaluate.load`.
"""
