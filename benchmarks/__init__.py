"""Measurements: what docs/benchmarks.md and other pages report; they need a checkout."""
