"""The arguments, logging and error handling of the training scripts."""

import argparse
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from merge_snli.base.errors import InputError, as_flags, log_flags
from merge_snli.models.finding import disable_progress_bar


def parse(
    module: str, about: str | None, arguments: Mapping[str, Mapping[str, Any]], given: Sequence[str] | None = None
) -> argparse.Namespace:
    """Parse the command line of a script.

    Args:
        module: The name of the script's module.
        about: What the script does.
        arguments: How `add_argument` adds each argument, by name. One that is not given is absent from the result
            unless it has a default.
        given: The command line; None for that of this process.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m training.{module}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    for name, how in arguments.items():
        parser.add_argument(name, **how)
    return parser.parse_args(given)


@contextmanager
def script() -> Iterator[None]:
    """Set up logging for a script; an InputError is printed and exits with code 2, Ctrl-C exits with code 130."""
    handler = logging.StreamHandler()
    handler.addFilter(log_flags)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", handlers=[handler])
    disable_progress_bar()
    try:
        yield
    except InputError as error:
        sys.stderr.write(f"{as_flags(error)}\n")
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run the same command again to resume\n")
        raise SystemExit(130) from None
