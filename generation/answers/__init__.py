"""Answers of masked LMs: the fillers of each form, computed once and cached on disk.

Other packages compute answers through `suggest`, and read them through `store` and `answer`.
"""
