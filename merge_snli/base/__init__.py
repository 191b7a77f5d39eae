"""What all other packages build on: errors, files, options, progress, stages, tables and Hub ids."""

__version__ = "0.1.0rc1"
