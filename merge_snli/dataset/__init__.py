"""A data set on disk: find and read it, its record, and the folders and files that commands write."""
