"""Tests of merge_snli.models."""
