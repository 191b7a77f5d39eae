"""Answers of masked LMs: the fillers of each form, computed once and cached on disk.

Import from `store`.
"""
