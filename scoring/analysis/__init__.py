"""The analyses of section 5 of the paper: pure functions from the predictions of models on a data set to frozen values.

Each analysis is one module with one public function. `scoring.reports` renders what they return.
"""
