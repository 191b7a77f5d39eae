"""The exception for errors that the user can fix."""


class InputError(ValueError):
    """An error in the user's input; the command line prints it without a traceback.

    The message says what is wrong with which value, where, and what to do.
    """


def reason(error: BaseException) -> str:
    """Return the first line of a library's error without its period, to quote it within a message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
