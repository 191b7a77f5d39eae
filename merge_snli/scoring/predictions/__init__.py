"""Predictions: the distinct sentence pairs of a data set config, and the cached logits of a model for each pair.

Other packages read configs through `pairs` and get predictions from `predict` and `store`.
"""
