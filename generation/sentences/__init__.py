"""Sentences: tagged, with the words that premise and hypothesis share and the forms that these give."""
