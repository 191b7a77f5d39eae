"""Results: scores computed from predictions, and the JSON files that store them.

Import `evaluate`, `result`, `files`, `grouping`, `score_table` and `eval_results` from outside.
"""
