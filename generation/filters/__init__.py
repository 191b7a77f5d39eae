"""The filters on suggestions: each is one value that says what it drops, how it is switched, and what the card says.

Add a filter in `definitions.py`; everything else follows from it.
"""
