"""Fine-tune NLI classifiers with transformers' Trainer, with or without augmentation (Luo et al. 2022, section 3.2).

Import the options from `options`, the data from `data`, and one run with its card from `run`.
"""
