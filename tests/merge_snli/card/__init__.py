"""Tests of merge_snli.card."""
