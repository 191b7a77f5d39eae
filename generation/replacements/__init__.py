"""Replacements of shared words: the filters on the masked LMs' fillers, then the set operations.

Import `find_replacements` and `count_standalone` from `finding`, and the set operations from `combine`.
"""
