"""MERGE: variants of natural language inference problems that keep the reasoning, and how models fare on them."""

__version__ = "0.1.0"
