"""NLI models: resolve and load them, map their outputs to labels, and compute logits for sentence pairs.

Other packages import `scored_model`, `options`, `labels` and `predictor`, and `paper_models` for the paper's list.
"""
