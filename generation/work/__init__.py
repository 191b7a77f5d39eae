"""The work folder of a run: its lock and subfolders, its shards, and an inventory of its content.

Import from the modules: `folder`, `shards` and `inventory`.
"""
