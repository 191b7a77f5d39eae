"""The numbers of the papers as data, and how they are read.

Import from `merge_snli.papers.numbers`.
"""
