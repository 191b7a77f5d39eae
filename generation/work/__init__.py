"""The work folder: its lock, its shards, and an inventory of what it holds."""
