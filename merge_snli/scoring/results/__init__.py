"""Results: scores computed from predictions, and the JSON files that store them.

Import the modules directly.
"""
