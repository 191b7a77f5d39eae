"""Masked LMs: load them, encode forms, and predict the most probable fillers of each form.

Other packages load through `loading` and `vocabulary`, and use `masked_lm` and `encoded_forms` for results.
"""
