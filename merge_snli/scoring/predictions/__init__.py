"""Predictions: the distinct sentence pairs of a data set config, and the cached logits of a model for each pair.

Other packages open data through `opening` and get predictions from `predict`.
"""
