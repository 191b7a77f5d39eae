"""The analyses of section 5 of the paper: pure functions from the predictions of models on a data set to frozen values.

Each analysis is one module with one public function. `merge_snli.analysis` renders what they return.
"""
