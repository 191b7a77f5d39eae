"""The exception for errors that the user can fix."""

import re
from collections.abc import Iterator
from contextlib import contextmanager


class InputError(ValueError):
    """An error in the user's input; the command line prints it without a traceback.

    The message says what is wrong with which value, where, and what to do.
    """


@contextmanager
def python_names() -> Iterator[None]:
    """Name parameters instead of command-line options in the message of an InputError."""
    try:
        yield
    except InputError as error:
        message = re.sub(r"(?<![\w-])--(?=[a-z])([a-z-]+)", lambda option: option[1].replace("-", "_"), str(error))
        raise InputError(message) from error.__cause__


def reason(error: BaseException) -> str:
    """Return the first line of a library's error without its period, to quote it within a message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
