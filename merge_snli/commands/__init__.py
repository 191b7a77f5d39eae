"""The subcommands, one module each: `add_arguments` imports nothing heavy, `run` does the work."""
