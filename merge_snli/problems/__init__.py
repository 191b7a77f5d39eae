"""NLI problems from files and data sets: read row by row, checked and given ids.

Import options from `options`, sources from `source`, and problems and their survey from `reading`.
"""
