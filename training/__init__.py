"""Scripts that train and evaluate the embedded models.

Run the `train_*` modules and `measure` with `python -m`. Only tests import from here.
"""
