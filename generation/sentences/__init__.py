"""Tagged sentences, the words that premise and hypothesis share, and the forms of these words.

All modules may be imported from outside.
"""
