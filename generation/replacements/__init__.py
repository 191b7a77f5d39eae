"""Replacements of shared words: the filters on the masked LMs' fillers, then the set operations.

Import `find_replacements` from `finding`, the set operations from `combine`, and `count_standalone` from `counts`.
"""
