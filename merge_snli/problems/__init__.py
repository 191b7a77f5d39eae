"""NLI problems from files and data sets: read row by row, checked and given ids.

Import options from `options`, where problems are from `inputs`, sources from `source`, and problems from `reading`.
"""
