"""Replacements of shared words: the filters on the masked LMs' fillers, then the set operations.

Import `filter_words` and `combine` from `finding`, `count_standalone` from `standalone`, and the set operations from
the module `combine`.
"""
