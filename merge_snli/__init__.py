"""MERGE data sets: their format, and the command line that generates, validates, publishes and scores them.

The modules in this folder and `problems`, `inference` and `card` may be imported by `generation` and `scoring`;
`validation`, `publishing`, `registration` and `commands` are built on those two.
"""

__version__ = "0.1.0"
