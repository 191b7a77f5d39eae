"""A data set on disk: its record, finding and reading it, its card."""
