"""Answers of masked LMs: the fillers of each form, computed once and cached on disk.

Import `Store` and `MaskedLMAnswers` from `store`, and what answers depend on from `cache_key`.
"""
