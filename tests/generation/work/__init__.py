"""Tests of generation.work."""
