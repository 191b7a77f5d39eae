"""Score answers that were given elsewhere: by a harness for language models, or by any program that writes a table.

Import the modules directly.
"""
