"""Scripts that train and evaluate the bundled models.

Run `train`, `measure` and `finetune` with `python -m`. Only tests import from here.
"""
