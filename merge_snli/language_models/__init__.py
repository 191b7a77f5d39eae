"""Ask language models the questions of a data set, through Inspect and lm-evaluation-harness.

Import the modules directly. Inspect and lm-evaluation-harness are imported only by the modules named after them.
"""
