"""The subcommands, one module each with `add_arguments` and `run`.

Only `merge_snli.cli.main` imports from here. `add_arguments` must not import heavy packages, so that `--help` is fast.
"""
