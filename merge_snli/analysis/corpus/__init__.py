"""Count the words of a corpus, such as the training data of a model, for the analyses of word frequency.

All modules may be imported from outside.
"""
