"""The annotation study of the paper's section A.2: sample variants, score the annotators' sheets, keep the scores.

The steps are `sample`, `sheets`, `reading`, `scores` and `report`, each a module; `tables` shows the numbers.
"""
