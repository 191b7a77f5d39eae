"""Predictions: the distinct sentence pairs of a data set, and a model's logits for each on disk."""
