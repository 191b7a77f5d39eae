"""Variants of problems: one variant, the draws, and the rows and counts of a shard.

Import `make_variant_shard` from `variant_shards`, `Variant` from `variant`, and `draw` from `draws`.
"""
