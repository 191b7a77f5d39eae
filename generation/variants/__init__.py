"""Variants of problems: one variant, the draws, and the rows of a shard."""
