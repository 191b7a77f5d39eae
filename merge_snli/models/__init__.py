"""Model inference shared by generation and scoring: resolving models, batches, packed layers, fast last layers.

`generation` and `scoring` may import every module here; this package imports neither.
"""
