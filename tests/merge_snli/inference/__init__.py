"""Tests of merge_snli.inference."""
