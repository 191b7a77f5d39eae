"""Replacements of shared words: the filters on the masked LMs' fillers, then the set operations.

Import `find_replacements` from `finding`, `count_standalone` from `standalone`, and the set operations from `combine`.
"""
