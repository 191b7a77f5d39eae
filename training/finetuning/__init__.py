"""Fine-tune NLI classifiers with transformers' Trainer, with or without augmentation (Luo et al. 2022, section 3.2).

Import the options from `options`, the data from `data`, one run from `run` and the card of its model from `card`.
"""
