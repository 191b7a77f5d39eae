"""Tests of generation.variants."""
