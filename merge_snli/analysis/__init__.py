"""The analyses of section 5 of the paper: pure functions from the predictions of models on a data set to frozen values.

`report` shows what they return as figures, tables and one page.
"""
