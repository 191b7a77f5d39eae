"""Data sets of sentence pairs in groups, made from templates: Simple Pair and Extended Pair (Luo et al. 2022).

The words and the sentence templates are files in `lexicon/`.
"""
