"""The version of the method."""

METHOD_VERSION = "2"
"""Increased if and only if the same options give other rows; then run `make data`.

A new option or filter that is off by default changes no row of existing options and keeps the version. Shards of tagged
problems and of rows are made again with a new version, and `validate` checks rows of its own version only.
"""
