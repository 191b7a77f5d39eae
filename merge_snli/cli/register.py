"""`merge-snli register`: make a data set and the metric loadable by bare name from any folder."""

import sys
from argparse import ArgumentParser, Namespace

from merge_snli.base.errors import InputError
from merge_snli.base.templates import printed
from merge_snli.cli.arguments import add


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add(parser, "dataset DATA", "data set: folder or Hub id", nargs="?")
    group = parser.add_mutually_exclusive_group()
    add(group, "--undo", "remove what register wrote to the libraries' caches")
    add(group, "--as NAME", "name to load it by (default: %(default)s)", dest="load_name", default="merge_snli")
    add(group, "--list", "print the registered data set")


def run(arguments: Namespace) -> None:
    """Register, undo or list, and print the folders that were written."""
    from merge_snli.hub.register import REGISTERED, REMOVED, datasets_cache, register, registered, undo

    text = REGISTERED
    if arguments.list:
        registration = registered()
    elif arguments.undo:
        registration = undo(arguments.dataset)
        text = REMOVED
    elif arguments.dataset is None:
        raise InputError("no data set given: name its folder, such as merge-snli register merge_snli")
    else:
        registration = register(arguments.dataset, load_name=arguments.load_name)
    if registration is None:
        sys.stdout.write(f"nothing is registered in {datasets_cache()}\n")
    else:
        sys.stdout.write(printed(text, registration=registration))
