"""MERGE data sets: their format, and the command line that generates, validates, publishes and scores them."""

__version__ = "0.1.0"
